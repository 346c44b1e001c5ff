#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <ostream>
#include <string>

#include "probe/probe.hpp"
#include "tests/probe/recorded_machine.hpp"

namespace gpuready::probe {
namespace {

using testing::load_recording;

Machine probe_recorded(const std::string& name, bool wake = true) {
  host::RecordedHost host(load_recording(name));
  ProbeOptions options;
  options.wake = wake;
  return probe_machine(host, options);
}

/// What must be found; empty or -1 where the machine has none, or cannot know.
struct Expected {
  std::string file;
  std::size_t gpus;
  std::string first_gpu, first_driver;
  std::int64_t nvml_code, cuda_code;  ///< 0: works; -1: no library
  bool first_kernel;
  std::string torch_tag;
  std::string container;
};

std::ostream& operator<<(std::ostream& out, const Expected& expected) {
  return out << expected.file;
}

template <class T>
std::int64_t code_of(const Fact<T>& fact) {
  return fact ? 0 : fact.missing().code.value_or(-1);
}

std::string torch_tag_of_default(const Machine& machine) {
  for (const PythonEnvironment& environment : machine.python)
    if (environment.is_default && environment.torch)
      return environment.torch->tag.value_or("no tag");
  return "";
}

class ComposedMachine : public ::testing::TestWithParam<Expected> {};

TEST_P(ComposedMachine, GivesTheFactsThatItWasComposedFrom) {
  const Expected& expected = GetParam();
  const Machine machine = probe_recorded(expected.file);
  ASSERT_EQ(machine.gpus.size(), expected.gpus);
  EXPECT_EQ(code_of(machine.driver.nvml.init), expected.nvml_code);
  EXPECT_EQ(code_of(machine.driver.cuda.init), expected.cuda_code);
  EXPECT_EQ(torch_tag_of_default(machine), expected.torch_tag);
  EXPECT_EQ(machine.environment.container.value_or(""), expected.container);
  if (machine.gpus.empty()) return;
  EXPECT_EQ(machine.gpus[0].name.value_or(""), expected.first_gpu);
  EXPECT_EQ(machine.gpus[0].kernel.is(true), expected.first_kernel);
  if (!expected.first_driver.empty()) {
    EXPECT_EQ(machine.pci.at(0).driver.value_or("none"), expected.first_driver);
  }
}

const std::string rtx4090 = "NVIDIA GeForce RTX 4090";

INSTANTIATE_TEST_SUITE_P(
    All, ComposedMachine,
    ::testing::Values(
        Expected{"colab-t4", 1, "Tesla T4", "nvidia", 0, 0, true, "cu128", "docker"},
        Expected{"rtx-4090-workstation", 1, rtx4090, "nvidia", 0, 0, true, "cu130", ""},
        Expected{"h100-node-8x", 8, "NVIDIA H100 80GB HBM3", "ast", 0, 0, true, "cu130", ""},
        Expected{"rtx-3060-laptop-asleep", 2, "", "i915", 0, 0, false, "", ""},
        Expected{"wsl2", 1, "NVIDIA GeForce RTX 3080", "dxgkrnl", 0, 0, true, "", ""},
        Expected{"container-without-gpus", 1, "", "nvidia", -1, -1, false, "", "docker"},
        Expected{"container-utility-only", 1, rtx4090, "nvidia", 0, -1, false, "", "docker"},
        Expected{"nouveau-bound", 1, "", "nouveau", -1, -1, false, "", ""},
        Expected{"driver-library-mismatch", 1, "", "nvidia", 18, 803, false, "cu130", ""},
        Expected{"mig-without-instances", 1, "NVIDIA A100-SXM4-80GB", "nvidia", 0, 100, false, "",
                 ""},
        Expected{"gb10-without-memory", 1, "NVIDIA GB10", "nvidia", 0, 0, true, "", ""},
        Expected{"amd-7900-xtx", 1, "", "amdgpu", -1, -1, false, "rocm6.4", ""},
        Expected{"tiny-cgroup", 0, "", "", -1, -1, false, "", "docker"},
        Expected{"no-proc-no-sys", 0, "", "", -1, -1, false, "", ""},
        Expected{"uvm-missing", 1, rtx4090, "nvidia", 0, 999, false, "", ""},
        Expected{"module-not-loaded", 1, "", "none", 9, 100, false, "", ""},
        Expected{"slurm-no-gres", 2, "", "nvidia", 0, 100, false, "", ""},
        Expected{"two-different-gpus", 2, "NVIDIA GeForce GTX 1080", "nvidia", 0, 0, true, "cu130",
                 ""},
        Expected{"torch-cpu-build", 1, rtx4090, "nvidia", 0, 0, true, "cpu", ""},
        Expected{"server-without-gpu", 0, "", "ast", -1, -1, false, "", ""}));

TEST(RecordedMachines, EveryFileReadsAndProbesWithoutAnUnexplainedAbsence) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(GPUREADY_SOURCE_DIR "/tests/machines")) {
    if (entry.path().extension() != ".json") continue;
    ++count;
    const Machine machine = probe_recorded(entry.path().stem().string());
    base::JsonWriter writer([](const Message& message) { return message.key; });
    const std::string text = base::dump_json(writer.write(machine), false);
    EXPECT_EQ(text.find(R"("detail":"")"), std::string::npos) << entry.path();
  }
  EXPECT_GE(count, 20);
}

TEST(RecordedMachines, ASleepingGpuIsLeftAloneUnlessItMayBeWoken) {
  const Machine machine = probe_recorded("rtx-3060-laptop-asleep", false);
  EXPECT_TRUE(machine.driver.nvml.init.absent_for(Absence::not_tested));
  EXPECT_NE(machine.driver.cuda.init.missing().detail.find("asleep"), std::string::npos);
  ASSERT_EQ(machine.gpus.size(), 2U);
  EXPECT_TRUE(machine.gpus[1].runtime_status.is("suspended"));
  EXPECT_FALSE(machine.gpus[1].name.known());
  EXPECT_EQ(machine.driver.files.at(0).open.source(), "access(2)");
  EXPECT_TRUE(probe_recorded("rtx-3060-laptop-asleep").gpus[1].kernel.is(true));
}

TEST(RecordedMachines, ATinyControlGroupLimitsThreadsAndMemory) {
  const Machine machine = probe_recorded("tiny-cgroup");
  EXPECT_TRUE(machine.cpu.affinity_cpus.is(64));
  EXPECT_TRUE(machine.cpu.quota_cpus.is(1.0));
  EXPECT_TRUE(machine.cpu.usable_threads.is(1));
  EXPECT_TRUE(machine.cpu.usable_physical_cores.is(1));
  EXPECT_TRUE(machine.memory.cgroup_limit_bytes.is(512 << 20));
  EXPECT_TRUE(machine.memory.cgroup_used_bytes.is(100 << 20));
  EXPECT_TRUE(machine.memory.usable_bytes.is(412 << 20));
}

TEST(RecordedMachines, WithoutProcAndSysEveryFactSaysWhy) {
  const Machine machine = probe_recorded("no-proc-no-sys");
  EXPECT_TRUE(machine.pci_count.absent_for(Absence::not_found));
  EXPECT_TRUE(machine.cpu.model.absent_for(Absence::not_found));
  EXPECT_TRUE(machine.cpu.usable_threads.absent_for(Absence::not_found));
  EXPECT_TRUE(machine.memory.total_bytes.absent_for(Absence::not_found));
  EXPECT_TRUE(machine.driver.module.version.absent_for(Absence::not_found));
  EXPECT_TRUE(machine.os.libc.is("glibc 2.36"));
}

TEST(RecordedMachines, SharedMemoryIsCudasWordWhereNvmlHasNone) {
  const Machine machine = probe_recorded("gb10-without-memory");
  const Gpu& gpu = machine.gpus.at(0);
  EXPECT_TRUE(gpu.unified_memory.is(true));
  EXPECT_TRUE(gpu.memory_total_bytes.is(std::int64_t{125513692} << 10));
  EXPECT_EQ(gpu.memory_free_bytes.source(), "cuMemGetInfo_v2");
  EXPECT_TRUE(machine.os.architecture.is("aarch64"));
  EXPECT_TRUE(machine.cpu.model.is("ARM Cortex-A725"));
}

TEST(RecordedMachines, NvmlsAndCudasOrderMayDiffer) {
  const Machine machine = probe_recorded("two-different-gpus");
  EXPECT_TRUE(machine.gpus.at(0).nvml_index.is(0));
  EXPECT_TRUE(machine.gpus.at(0).cuda_index.is(1));
  EXPECT_TRUE(machine.gpus.at(1).compute_capability.is("8.9"));
  EXPECT_TRUE(machine.gpus.at(1).cuda_index.is(0));
}

TEST(RecordedMachines, ASlurmJobWithoutGpusIsDeniedTheNodes) {
  const Machine machine = probe_recorded("slurm-no-gres");
  const auto& files = machine.driver.files;
  const auto node = std::ranges::find(files, "/dev/nvidia0", &DeviceFile::path);
  ASSERT_NE(node, files.end());
  EXPECT_TRUE(node->open.absent_for(Absence::permission));
  EXPECT_EQ(node->open.missing().code, EPERM);
  EXPECT_TRUE(machine.environment.slurm.is("job 4711"));
  EXPECT_TRUE(machine.cpu.affinity_cpus.is(4));
  EXPECT_EQ(machine.environment.variables.at("CUDA_VISIBLE_DEVICES"), "NoDevFiles");
}

TEST(RecordedMachines, ColabIsRecognisedWithItsDriversFolder) {
  const Machine machine = probe_recorded("colab-t4");
  EXPECT_TRUE(machine.environment.colab.is("release-colab-external_20260819-060048_RC00"));
  EXPECT_TRUE(machine.driver.nvml.library.is("/usr/lib64-nvidia/libnvidia-ml.so.580.82.07"));
  EXPECT_EQ(machine.driver.nvml.driver_version.source(), "nvmlSystemGetDriverVersion");
  EXPECT_EQ(machine.opencl.size(), 1U);
  EXPECT_TRUE(machine.cpu.physical_cores.is(1));
  EXPECT_TRUE(machine.cpu.logical_cpus.is(2));
}

TEST(RecordedMachines, Wsl2HasItsOwnNodeAndNoGpuOnTheBus) {
  const Machine machine = probe_recorded("wsl2");
  EXPECT_TRUE(machine.environment.wsl.is("WSL2"));
  ASSERT_EQ(machine.pci.size(), 1U);
  EXPECT_TRUE(machine.pci[0].vendor_id.is("0x1414"));
  EXPECT_TRUE(machine.gpus.at(0).runtime_status.absent_for(Absence::not_found));
  const auto& files = machine.driver.files;
  EXPECT_TRUE(std::ranges::find(files, "/dev/dxg", &DeviceFile::path)->open.is(true));
  EXPECT_TRUE(std::ranges::find(files, "/dev/nvidiactl", &DeviceFile::path)
                  ->open.absent_for(Absence::not_found));
}

TEST(RecordedMachines, NvSwitchesAreListedAndAreNoGpus) {
  const Machine machine = probe_recorded("h100-node-8x");
  EXPECT_EQ(std::ranges::count_if(
                machine.pci, [](const PciFunction& f) { return f.driver.is("nvidia-nvswitch"); }),
            4);
  EXPECT_TRUE(machine.driver.module.flavour.is("open"));
  EXPECT_TRUE(machine.cpu.sockets.is(2));
}

}  // namespace
}  // namespace gpuready::probe
