#include <gtest/gtest.h>

#include "probe/probe.hpp"
#include "tests/probe/recorded_machine.hpp"

namespace gpuready::probe {
namespace {

KernelModule module_of(const std::string& machine) {
  host::RecordedHost host(testing::load_recording(machine));
  return probe_kernel_module(host);
}

TEST(ModuleFiles, TheModuleForTheRunningKernelIsFoundInTheUsualFolders) {
  EXPECT_TRUE(module_of("rules/module-blacklisted").installed_for_kernel.is(true));
  EXPECT_TRUE(module_of("rules/module-present-not-loaded").installed_for_kernel.is(true));
  EXPECT_TRUE(module_of("rules/module-not-built-for-kernel").installed_for_kernel.is(false));
  EXPECT_FALSE(module_of("module-not-loaded").installed_for_kernel.known());
}

TEST(ModuleFiles, SecureBootIsTheFifthByteOfItsVariable) {
  EXPECT_TRUE(module_of("rules/secure-boot-rejects-module").secure_boot.is(true));
  EXPECT_TRUE(module_of("rules/module-blacklisted").secure_boot.is(false));
  EXPECT_FALSE(module_of("uvm-missing").secure_boot.known());
}

TEST(ModuleFiles, OnlyALineThatForbidsTheModuleItselfCounts) {
  const auto forbidding = [](const char* line) {
    host::Recording recording;
    recording.folders.emplace("/etc/modprobe.d", std::vector<std::string>{"a.conf", "b.txt"});
    recording.files.emplace("/etc/modprobe.d/a.conf", std::string(line));
    recording.files.emplace("/etc/modprobe.d/b.txt", std::string("blacklist nvidia\n"));
    host::RecordedHost host(std::move(recording));
    return probe_kernel_module(host).blacklisted_in;
  };
  EXPECT_TRUE(forbidding("blacklist nvidia\n").is("/etc/modprobe.d/a.conf"));
  EXPECT_TRUE(forbidding("install  nvidia /bin/false\n").known());
  EXPECT_TRUE(forbidding("blacklist\tnvidia\n").known());
  EXPECT_TRUE(forbidding("alias nvidia off\n").known());
  EXPECT_FALSE(forbidding("alias nvidia nvidia-current\n").known());
  EXPECT_FALSE(forbidding("# blacklist nvidia\n").known());
  EXPECT_FALSE(forbidding("blacklist nvidia_drm\n").known());
  EXPECT_FALSE(forbidding("options nvidia NVreg_EnableGpuFirmware=0\n").known());
  EXPECT_FALSE(forbidding("install nvidia /sbin/modprobe --ignore-install nvidia\n").known());
}

TEST(ModuleFiles, DistributionsNameAndPlaceTheModuleDifferently) {
  EXPECT_TRUE(module_of("rules/debians-module-of-a-branch").installed_for_kernel.is(true));
  EXPECT_TRUE(module_of("rules/suses-module-folder").installed_for_kernel.is(true));
  EXPECT_TRUE(module_of("rules/forbidden-on-the-command-line").blacklisted_in.is("/proc/cmdline"));
  EXPECT_TRUE(
      module_of("rules/module-not-built-for-kernel").blacklisted_in.absent_for(Absence::not_found));
}

TEST(PciFunctions, AGpuThatReadsAsOnesDoesNotAnswerAndASleepingOneIsNotAsked) {
  const auto answers = [](const std::string& config, const std::string& status) {
    host::Recording recording = testing::load_recording("rtx-4090-workstation");
    const std::string folder = "/sys/bus/pci/devices/0000:01:00.0/";
    recording.files.emplace(folder + "config", config);
    recording.files.insert_or_assign(folder + "power/runtime_status", status);
    host::RecordedHost host(std::move(recording));
    Machine machine;
    probe_pci(host, machine);
    return machine.pci.at(0).answers;
  };
  EXPECT_TRUE(answers("\xff\xff\xff\xff", "active\n").is(false));
  EXPECT_TRUE(answers("\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", "active\n").is(false));
  EXPECT_TRUE(answers("\xde\x10\x84\x26", "active\n").is(true));
  EXPECT_TRUE(answers("\xef\xbf\xbd\x10\xef\xbf\xbd&", "active\n").is(true));
  EXPECT_TRUE(answers("\xff\xff\xff\xff", "suspended\n").absent_for(Absence::not_applicable));
}

TEST(PciFunctions, TheWindowOfAnNvidiaGpuIsTheSecondRegion) {
  const auto window = [](const std::string& second_line) {
    host::Recording recording = testing::load_recording("rtx-4090-workstation");
    recording.files.emplace(
        "/sys/bus/pci/devices/0000:01:00.0/resource",
        "0x00000000fb000000 0x00000000fbffffff 0x0000000000040200\n" + second_line);
    host::RecordedHost host(std::move(recording));
    Machine machine;
    probe_pci(host, machine);
    return machine.pci.at(0).bar1_bytes;
  };
  EXPECT_TRUE(window("0x0000006000000000 0x00000067ffffffff 0x000000000014220c\n")
                  .is(std::int64_t{32} << 30U));
  EXPECT_TRUE(window("0x0000000000000000 0x0000000000000000 0x0000000000000000\n").is(0));
  EXPECT_FALSE(window("0x2 0x1 0x0\n").known());
  EXPECT_FALSE(window("nonsense\n").known());
  EXPECT_FALSE(window("").known());
}

TEST(Prime, TheSwitchOfALaptopsGpuIsReadFromEitherTool) {
  const auto prime = [](const std::string& path, const std::string& content) {
    auto host = testing::host_with_files({{path, content}});
    return probe_environment(host).prime;
  };
  EXPECT_TRUE(prime("/etc/prime-discrete", "off\n").is("off"));
  EXPECT_TRUE(prime("/proc/acpi/bbswitch", "0000:01:00.0 OFF\n").is("off"));
  EXPECT_TRUE(prime("/proc/acpi/bbswitch", "0000:01:00.0 ON\n").is("on"));
  EXPECT_FALSE(prime("/etc/hostname", "x").known());
}

}  // namespace
}  // namespace gpuready::probe
