#include <gtest/gtest.h>

#include <filesystem>

#include "probe/probe.hpp"
#include "tests/probe/recorded_machine.hpp"

namespace gpuready::probe {
namespace {

Machine machine_of(const std::string& name) {
  host::RecordedHost host(testing::load_recording("rules/" + name));
  return probe_machine(host, {});
}

TEST(ProbePackages, PinsAndPackagesAreReadFromTheWheelsMetadata) {
  const Machine machine = machine_of("nvidia-packages-differ-from-pins");
  const PythonEnvironment& python = machine.python.at(0);
  const std::map<std::string, std::string> pins{{"nvidia-cublas", "13.0.0.19"},
                                                {"nvidia-cudnn-cu13", "9.13.0.50"},
                                                {"nvidia-nccl-cu13", "2.27.7"}};
  EXPECT_EQ(python.torch->pins, pins);
  EXPECT_EQ(python.packages.at("nvidia-nccl-cu13"), "2.25.1");
  EXPECT_EQ(python.packages.at("nvidia-cublas"), "13.0.0.19");
  EXPECT_EQ(python.packages.count("torch"), 0U);
  EXPECT_TRUE(python.cpu_pin.absent_for(Absence::not_applicable));
}

TEST(ProbePackages, TheSiblingsOfTorchHaveTheirTags) {
  const Machine machine = machine_of("torch-set-from-two-indexes");
  const TorchBuild& torch = *machine.python.at(0).torch;
  EXPECT_TRUE(torch.torchvision.is("0.24.0+cu126"));
  EXPECT_TRUE(torch.torchaudio.is("2.9.0+cu130"));
  EXPECT_TRUE(machine_of("wheel-lacks-kernels")
                  .python.at(0)
                  .torch->torchvision.absent_for(Absence::not_found));
}

TEST(ProbePackages, CopiesThatTheFirstOneHidesAreTold) {
  const Machine machine = machine_of("several-torch-copies");
  const PythonEnvironment& python = machine.python.at(0);
  EXPECT_EQ(python.torch->version, "2.14.0+cu130");
  ASSERT_EQ(python.hidden_torch.size(), 1U);
  EXPECT_EQ(python.hidden_torch[0].version, "2.8.0+cu128");
  EXPECT_EQ(python.hidden_torch[0].site, "/opt/conda/envs/ml/lib/python3.12/site-packages");
}

TEST(ProbePackages, CondasPinIsRead) {
  EXPECT_TRUE(machine_of("conda-keeps-cpu-torch").python.at(0).cpu_pin.is("cpuonly-2.0-0"));
  EXPECT_TRUE(
      machine_of("several-torch-copies").python.at(0).cpu_pin.absent_for(Absence::not_found));
}

TEST(ProbeJupyter, AKernelTellsItsInterpreter) {
  const Machine machine = machine_of("jupyter-kernel-elsewhere");
  ASSERT_EQ(machine.jupyter_kernels.size(), 1U);
  EXPECT_EQ(machine.jupyter_kernels[0].name, "python3");
  EXPECT_TRUE(machine.jupyter_kernels[0].executable.is("/usr/bin/python3"));
}

TEST(ProbeJupyter, AMalformedKernelIsAbsentWithItsReason) {
  host::Recording recording = testing::load_recording("rules/jupyter-kernel-elsewhere");
  const std::string path = "/home/user/.local/share/jupyter/kernels/python3/kernel.json";
  for (const char* const text : {"{", "[]", R"({"argv": []})", R"({"argv": [1]})", "{}"}) {
    recording.files.insert_or_assign(path, std::string(text));
    host::RecordedHost host(recording);
    const auto kernels = probe_jupyter(host, {});
    ASSERT_EQ(kernels.size(), 1U) << text;
    EXPECT_TRUE(kernels[0].executable.absent_for(Absence::unreadable)) << text;
  }
}

TEST(ProbeGfxTargets, AreMatchedByTheAddressOnTheBus) {
  const Machine machine = machine_of("unsupported-gpu-comes-first");
  ASSERT_EQ(machine.gpus.size(), 2U);
  EXPECT_TRUE(machine.gpus[0].gfx_target.is("gfx1036"));
  EXPECT_TRUE(machine.gpus[1].gfx_target.is("gfx1100"));
  EXPECT_TRUE(machine_of("kfd-missing").gpus.at(0).gfx_target.absent_for(Absence::not_found));
  EXPECT_TRUE(
      machine_of("wheel-lacks-kernels").gpus.at(0).gfx_target.absent_for(Absence::not_applicable));
}

}  // namespace
}  // namespace gpuready::probe
