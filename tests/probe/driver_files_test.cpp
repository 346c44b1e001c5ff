#include <gtest/gtest.h>

#include <cerrno>

#include "probe/probe.hpp"
#include "tests/probe/recorded_machine.hpp"

namespace gpuready::probe {
namespace {

KernelModule probe_module(const std::map<std::string, std::string>& files) {
  host::RecordedHost host = testing::host_with_files(files);
  return probe_kernel_module(host);
}

TEST(ProbeKernelModule, BothFormsOfTheVersionFileAreRead) {
  const std::string path = "/proc/driver/nvidia/version";
  const KernelModule closed = probe_module(
      {{path, "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 2024\n"}});
  EXPECT_TRUE(closed.version.is("550.54.15"));
  EXPECT_TRUE(closed.flavour.is("proprietary"));
  const KernelModule open = probe_module(
      {{path,
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build\n"}});
  EXPECT_TRUE(open.version.is("580.95.05"));
  EXPECT_TRUE(open.flavour.is("open"));
  EXPECT_TRUE(probe_module({{path, "\xff\xfe"}}).flavour.absent_for(Absence::unreadable));
}

TEST(ProbeKernelModule, UvmIsKnownFromTheListOfDevices) {
  EXPECT_TRUE(probe_module({{"/proc/devices", "195 nvidia\n511 nvidia-uvm\n"}}).uvm.is(true));
  EXPECT_TRUE(probe_module({{"/proc/devices", "195 nvidia\n"}}).uvm.is(false));
  EXPECT_TRUE(probe_module({}).uvm.absent_for(Absence::not_found));
}

TEST(ProbeDeviceFiles, EachReasonIsItsOwn) {
  host::Recording recording;
  recording.folders.emplace("/dev", std::vector<std::string>{"nvidia0", "nvidia10", "nvidia2",
                                                             "nvidia-caps", "nvidiactl"});
  recording.opens.emplace("/dev/nvidiactl", true);
  recording.opens.emplace("/dev/nvidia0", failure("", EACCES));
  recording.opens.emplace("/dev/nvidia2", failure("", EPERM));
  recording.opens.emplace("/dev/nvidia10", failure("", ENXIO));
  host::RecordedHost host(std::move(recording));
  const auto files = probe_device_files(host, true);
  ASSERT_EQ(files.size(), 7U);
  EXPECT_TRUE(files[0].open.is(true));
  EXPECT_TRUE(files[1].open.absent_for(Absence::permission));
  EXPECT_EQ(files[2].path, "/dev/nvidia2");
  EXPECT_EQ(files[2].open.missing().code, EPERM);
  EXPECT_TRUE(files[3].open.absent_for(Absence::unreadable));
  EXPECT_EQ(files[3].open.missing().detail, "/dev/nvidia10: ENXIO");
  EXPECT_EQ(files[4].path, "/dev/nvidia-uvm");
  EXPECT_TRUE(files[4].open.absent_for(Absence::not_found));
}

TEST(ProbeDeviceFiles, WithoutWakingNothingIsOpened) {
  host::Recording recording;
  recording.opens.emplace("/dev/nvidiactl", true);
  recording.accesses.emplace("/dev/nvidiactl", failure("", EACCES));
  host::RecordedHost host(std::move(recording));
  EXPECT_TRUE(probe_device_files(host, false).at(0).open.absent_for(Absence::permission));
}

TEST(ProbePci, AFunctionWithoutADriverSaysSo) {
  host::Recording recording;
  const std::string root = "/sys/bus/pci/devices";
  recording.folders.emplace(root, std::vector<std::string>{"0000:00:1f.0", "0000:01:00.0"});
  recording.files.emplace(root + "/0000:01:00.0/class", "0x030200\n");
  recording.files.emplace(root + "/0000:01:00.0/vendor", "0x10de\n");
  recording.files.emplace(root + "/0000:00:1f.0/class", failure("", EACCES));
  host::RecordedHost host(std::move(recording));
  Machine machine;
  probe_pci(host, machine);
  EXPECT_TRUE(machine.pci_count.is(2));
  ASSERT_EQ(machine.pci.size(), 1U);
  EXPECT_TRUE(machine.pci[0].driver.absent_for(Absence::not_found));
  EXPECT_TRUE(machine.pci[0].device_id.absent_for(Absence::not_found));
}

TEST(ProbeOs, RelativesAndImagesAreTold) {
  const auto os_of = [](const char* release, const char* kernel) {
    host::RecordedHost host = testing::host_with_files(
        {{"/etc/os-release", release}, {"/proc/sys/kernel/osrelease", kernel}});
    return probe_os(host);
  };
  const Os arch = os_of("ID=cachyos\nID_LIKE=arch\n", "6.18.2-2-cachyos\n");
  EXPECT_TRUE(arch.id_like.is("arch"));
  EXPECT_TRUE(arch.image.absent_for(Absence::not_applicable));
  EXPECT_TRUE(os_of("ID=debian\n", "6.12.15-production+truenas\n").image.is("truenas"));
  EXPECT_TRUE(os_of("ID=slackware\n", "6.12.24-Unraid\n").image.is("unraid"));
  EXPECT_TRUE(os_of("ID=steamos\n", "6.11.11-valve\n").image.is("steamos"));
  EXPECT_TRUE(os_of("ID=opensuse-microos\n", "6.17.9-1-default\n").image.is("microos"));
}

TEST(ProbeOs, QuotedValuesAndTheFallbackFileAreRead) {
  host::RecordedHost host = testing::host_with_files(
      {{"/usr/lib/os-release",
        "NAME=x\nPRETTY_NAME=\"Fedora Linux 41\"\nID=fedora\nVERSION_ID=41\n"},
       {"/proc/cpuinfo", "flags\t: fpu lm sse2\n"}});
  const Os os = probe_os(host);
  EXPECT_TRUE(os.name.is("Fedora Linux 41"));
  EXPECT_TRUE(os.version_id.is("41"));
  EXPECT_EQ(os.id.source(), "/usr/lib/os-release");
  EXPECT_TRUE(os.architecture.is("x86_64"));
}

}  // namespace
}  // namespace gpuready::probe
