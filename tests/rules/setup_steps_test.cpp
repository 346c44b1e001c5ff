#include "rules/setup_steps.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text.hpp"
#include "probe/probe.hpp"
#include "tests/probe/recorded_machine.hpp"

namespace gpuready::rules {
namespace {

Machine recorded(const std::string& name) {
  host::RecordedHost host(probe::testing::load_recording(name));
  return probe::probe_machine(host, {});
}

/// A GPU of NVIDIA on the bus of an Ubuntu without driver.
Machine with_device(const std::vector<std::string>& ids) {
  Machine machine = recorded("nouveau-bound");
  const PciFunction gpu = machine.pci.at(0);
  machine.pci.clear();
  for (const std::string& id : ids) {
    machine.pci.push_back(gpu);
    machine.pci.back().device_id = {id, "test"};
  }
  return machine;
}

std::string all_commands(const std::vector<SetupStep>& steps) {
  std::string text;
  for (const SetupStep& step : steps) text += base::join(step.commands, "\n") + "\n";
  return text;
}

TEST(SetupSteps, TheFlavourAndBranchFollowTheGeneration) {
  const DriverNeed pascal = driver_need(with_device({"0x1b80"}));
  EXPECT_FALSE(pascal.open);
  EXPECT_EQ(pascal.last_branch, 580);
  const DriverNeed kepler = driver_need(with_device({"0x102d"}));
  EXPECT_EQ(kepler.last_branch, 470);
  const DriverNeed blackwell = driver_need(with_device({"0x2b85"}));
  EXPECT_TRUE(blackwell.open);
  EXPECT_EQ(blackwell.last_branch, 0);
  EXPECT_FALSE(driver_need(with_device({"0x1b80", "0x2b85"})).possible);
  EXPECT_TRUE(driver_need(with_device({"0x1b80", "0x2684"})).possible);
  EXPECT_FALSE(driver_need(with_device({})).known);
}

TEST(SetupSteps, TheDriverComesTheDistributionsWay) {
  const DriverNeed pascal = driver_need(with_device({"0x1b80"}));
  EXPECT_EQ(driver_commands("ubuntu", pascal).back(), "sudo apt-mark hold nvidia-driver-580");
  EXPECT_TRUE(base::contains(driver_commands("fedora", pascal).at(0), "akmod-nvidia-580xx"));
  const DriverNeed blackwell = driver_need(with_device({"0x2b85"}));
  EXPECT_TRUE(base::contains(driver_commands("ubuntu", blackwell).back(), "-open"));
  EXPECT_TRUE(base::contains(driver_commands("arch", blackwell).back(), "nvidia-open"));
  EXPECT_TRUE(driver_commands("void", blackwell).empty());
  EXPECT_TRUE(driver_commands("ubuntu", driver_need(with_device({}))).empty());
}

TEST(SetupSteps, NoDriverIsInstalledInWslOrInAContainer) {
  for (const char* const name : {"wsl2", "rules/wsl-without-gpu-library", "container-without-gpus",
                                 "container-utility-only", "colab-t4"}) {
    const auto steps = setup_steps(recorded(name));
    ASSERT_FALSE(steps.empty()) << name;
    EXPECT_TRUE(steps[0].commands.empty()) << name;
    EXPECT_FALSE(base::contains(all_commands(steps), "sudo")) << name;
  }
}

TEST(SetupSteps, AMachineInOrderHasItsStepsDone) {
  const auto steps = setup_steps(recorded("rtx-4090-workstation"));
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_TRUE(steps[0].done);
  EXPECT_TRUE(steps[1].done);
  EXPECT_TRUE(base::contains(steps[2].commands.at(0), "device='cuda'"));
}

TEST(SetupSteps, TheWheelFollowsTheOldestGpu) {
  const auto steps = setup_steps(recorded("rules/wheel-lacks-kernels"));
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[1].what, "PyTorch (cu126)");
  EXPECT_FALSE(steps[1].done);
}

TEST(SetupSteps, GpusWithoutACommonWheelGetAnEnvironmentEach) {
  Machine machine = recorded("two-different-gpus");
  machine.driver.cuda.devices.at(0).compute_capability = {"12.0", "test"};
  const auto steps = setup_steps(machine);
  ASSERT_EQ(steps.size(), 4U);
  EXPECT_EQ(steps[1].what, "PyTorch (cu126)");
  EXPECT_EQ(steps[2].what, "PyTorch (cu130)");
  EXPECT_NE(steps[1].commands.at(0), steps[2].commands.at(0));
}

TEST(SetupSteps, WithoutAGpuThereIsNothingToInstall) {
  EXPECT_TRUE(setup_steps(recorded("server-without-gpu")).empty());
}

TEST(SetupSteps, OtherVendorsGetTheirIndex) {
  EXPECT_TRUE(
      base::contains(all_commands(setup_steps(recorded("rules/kfd-permission"))), "whl/rocm7.2"));
  const auto intel = setup_steps(recorded("rules/intel-graphics-only"));
  EXPECT_TRUE(base::contains(all_commands(intel), "whl/xpu"));
  EXPECT_TRUE(base::contains(all_commands(intel), "device='xpu'"));
}

}  // namespace
}  // namespace gpuready::rules
