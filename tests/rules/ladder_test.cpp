#include "rules/ladder.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/messages.hpp"
#include "rules/rungs.hpp"

namespace gpuready::rules {
namespace {

template <class T>
Fact<T> known(T value) {
  return Fact<T>(std::move(value), "test");
}

Fact<bool> failed(std::int64_t code) {
  return Fact<bool>::absent(Absence::call_failed, "call: code " + std::to_string(code), code);
}

CudaDevice working_device() {
  CudaDevice device;
  device.name = known<std::string>("NVIDIA GeForce RTX 4090");
  device.context = known(true), device.kernel = known(true);
  return device;
}

/// A workstation on which everything works.
Machine healthy() {
  Machine m;
  m.pci_count = known<std::int64_t>(40);
  PciFunction gpu;
  gpu.address = "0000:01:00.0";
  gpu.vendor_id = known<std::string>("0x10de"), gpu.class_code = known<std::string>("0x030000");
  gpu.driver = known<std::string>("nvidia");
  m.pci = {gpu};
  m.driver.module.version = known<std::string>("580.95.05");
  m.driver.files = {{"/dev/nvidiactl", known(true)},
                    {"/dev/nvidia0", known(true)},
                    {"/dev/nvidia-uvm", known(true)}};
  NvmlDriver& nvml = m.driver.nvml;
  nvml.library = known<std::string>("libnvidia-ml.so.1"), nvml.init = known(true);
  nvml.driver_version = known<std::string>("580.95.05");
  nvml.device_count = known<std::int64_t>(1);
  CudaDriver& cuda = m.driver.cuda;
  cuda.library = known<std::string>("libcuda.so.1"), cuda.init = known(true);
  cuda.version = known<std::string>("13.0"), cuda.device_count = known<std::int64_t>(1);
  cuda.devices = {working_device()};
  Gpu merged;
  merged.vendor = known<std::string>("nvidia"), merged.kernel = known(true);
  m.gpus = {merged};
  return m;
}

/// The same with a CUDA driver that does not start.
Machine with_cuda_init(Fact<bool> init) {
  Machine m = healthy();
  m.driver.cuda.init = std::move(init);
  m.driver.cuda.device_count = {}, m.driver.cuda.devices.clear();
  m.gpus[0].kernel = {};
  return m;
}

std::string broken_key(const Machine& machine) {
  const Doctor doctor = climb(machine);
  for (const RungResult& rung : doctor.ladder)
    if (rung.outcome == Outcome::finding) return rung.why.key;
  return "none";
}

TEST(Ladder, AHealthyMachineIsUsableAndUsesCuda) {
  const Doctor doctor = climb(healthy());
  EXPECT_EQ(doctor.verdict, Verdict::usable);
  EXPECT_EQ(choose_device(healthy(), doctor).device, "cuda");
}

TEST(Ladder, HasEveryRungOnceInOrder) {
  const Doctor doctor = climb(healthy());
  ASSERT_EQ(doctor.ladder.size(), EnumNames<Rung>::list.size());
  for (std::size_t i = 0; i < doctor.ladder.size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(doctor.ladder[i].rung), i);
}

TEST(Ladder, WhatLiesAboveTheFirstBrokenRungIsNotTested) {
  Machine m = healthy();
  m.pci[0].driver = known<std::string>("nouveau");
  m.driver.nvml.device_count = {}, m.driver.cuda.init = {};
  m.driver.cuda.devices.clear();
  const Doctor doctor = climb(m);
  EXPECT_EQ(doctor.verdict, Verdict::not_usable);
  EXPECT_EQ(doctor.summary.key, "ladder.kernel-driver.nouveau");
  for (std::size_t i = static_cast<std::size_t>(Rung::versions); i < doctor.ladder.size(); ++i)
    EXPECT_EQ(doctor.ladder[i].outcome, Outcome::not_tested);
  EXPECT_EQ(choose_device(m, doctor).device, "cpu");
}

TEST(Ladder, OnlyARunningKernelEarnsUsable) {
  Machine m = healthy();
  m.driver.cuda.devices[0].kernel = known(false), m.gpus[0].kernel = known(false);
  EXPECT_EQ(climb(m).verdict, Verdict::not_usable);
  EXPECT_EQ(broken_key(m), "ladder.kernel.wrong");
  m.driver.cuda.devices[0].kernel = failed(209), m.gpus[0].kernel = failed(209);
  EXPECT_EQ(broken_key(m), "ladder.kernel.code-209");
}

TEST(Ladder, NothingFoundIsNoGpu) {
  Machine m;
  m.pci_count = known<std::int64_t>(6);
  EXPECT_EQ(climb(m).verdict, Verdict::no_gpu);
  EXPECT_EQ(broken_key(m), "ladder.pci-device.none");
}

TEST(Ladder, AnUnreadableBusIsSaidToBeUnreadable) {
  Machine m;
  m.pci_count = Fact<std::int64_t>::absent(Absence::not_found, "/sys: ENOENT");
  EXPECT_EQ(broken_key(m), "ladder.pci-device.unreadable");
}

TEST(Ladder, AnAmdGpuIsNotTestedRatherThanAbsent) {
  Machine m;
  m.pci_count = known<std::int64_t>(20);
  PciFunction gpu;
  gpu.vendor_id = known<std::string>("0x1002"), gpu.class_code = known<std::string>("0x030000");
  m.pci = {gpu};
  Gpu merged;
  merged.vendor = known<std::string>("amd");
  m.gpus = {merged};
  EXPECT_EQ(climb(m).verdict, Verdict::not_tested);
}

TEST(Ladder, EveryExplainedCudaCodeHasItsSentence) {
  for (const int code : {3, 34, 802, 803, 804, 999})
    EXPECT_EQ(broken_key(with_cuda_init(failed(code))),
              "ladder.cuda-init.code-" + std::to_string(code));
  EXPECT_EQ(broken_key(with_cuda_init(failed(304))), "ladder.cuda-init.failed");
}

TEST(Ladder, NoDeviceIsBlamedOnTheVariableThatHidesIt) {
  Machine m = with_cuda_init(failed(100));
  m.environment.variables["CUDA_VISIBLE_DEVICES"] = "-1";
  EXPECT_EQ(broken_key(m), "ladder.device-count.hidden");
}

TEST(Ladder, NoDeviceIsBlamedOnMigWithoutInstances) {
  Machine m = with_cuda_init(failed(100));
  NvmlDevice device;
  device.mig_enabled = known(true), device.mig_instances = known<std::int64_t>(0);
  m.driver.nvml.devices = {device};
  EXPECT_EQ(broken_key(m), "ladder.device-count.mig");
}

TEST(Ladder, AHangAndACrashAreToldApart) {
  EXPECT_EQ(broken_key(with_cuda_init(Fact<bool>::absent(Absence::timed_out, "10 s"))),
            "ladder.cuda-init.timed-out");
  EXPECT_EQ(broken_key(with_cuda_init(Fact<bool>::absent(Absence::crashed, "signal 11", 11))),
            "ladder.cuda-init.crashed");
}

TEST(Ladder, AMissingLibcudaIsAnotherMatterInAContainer) {
  Machine m = with_cuda_init(Fact<bool>::absent(Absence::not_tested, ""));
  m.driver.cuda.library = Fact<std::string>::absent(Absence::library_missing, "not found");
  EXPECT_EQ(broken_key(m), "ladder.cuda-init.library-missing");
  m.environment.container = known<std::string>("docker");
  EXPECT_EQ(broken_key(m), "ladder.cuda-init.library-missing-container");
}

TEST(Ladder, AMismatchedDriverIsNamed) {
  Machine m = with_cuda_init(failed(803));
  m.driver.nvml.init = failed(18), m.driver.nvml.driver_version = {};
  m.driver.nvml.device_count = {};
  EXPECT_EQ(broken_key(m), "ladder.versions.mismatch");
}

TEST(Ladder, NodesAreExplainedByErrno) {
  const auto with_node = [](Fact<bool> open) {
    Machine m = with_cuda_init(failed(999));
    m.driver.nvml.device_count = known<std::int64_t>(0);
    m.driver.files[0].open = std::move(open);
    return m;
  };
  EXPECT_EQ(broken_key(with_node(Fact<bool>::absent(Absence::permission, "EACCES", 13))),
            "ladder.device-nodes.permission");
  EXPECT_EQ(broken_key(with_node(Fact<bool>::absent(Absence::permission, "EPERM", 1))),
            "ladder.device-nodes.cgroup");
  EXPECT_EQ(broken_key(with_node(Fact<bool>::absent(Absence::not_found, "ENOENT", 2))),
            "ladder.device-nodes.missing");
}

TEST(Ladder, MissingNodesAreNoFaultWhereCudaWorks) {
  Machine m = healthy();
  m.driver.files[0].open = Fact<bool>::absent(Absence::not_found, "ENOENT", 2);
  EXPECT_EQ(climb(m).verdict, Verdict::usable);
}

TEST(Ladder, OneBadGpuAmongGoodOnesDegradesAndIsNamed) {
  Machine m = healthy();
  CudaDevice bad = working_device();
  bad.index = 1, bad.kernel = known(false);
  m.driver.cuda.devices.push_back(bad);
  m.driver.cuda.device_count = known<std::int64_t>(2);
  EXPECT_EQ(climb(m).verdict, Verdict::degraded);
  EXPECT_EQ(broken_key(m), "ladder.kernel.some");
  EXPECT_EQ(climb(m).summary.args[0], "1");
}

TEST(Ladder, WhereDeviceZeroIsBadTheChoiceNamesAnother) {
  Machine m = healthy();
  m.driver.cuda.devices[0].kernel = known(false);
  CudaDevice good = working_device();
  good.index = 1;
  m.driver.cuda.devices.push_back(good);
  const DeviceChoice choice = choose_device(m, climb(m));
  EXPECT_EQ(choice.device, "cuda");
  EXPECT_EQ(choice.reason, (Message{"device.cuda-index", {"1"}}));
}

TEST(Ladder, AMismatchUnderAWorkingGpuOnlyDegrades) {
  Machine m = healthy();
  m.driver.nvml.init = failed(18);
  EXPECT_EQ(climb(m).verdict, Verdict::degraded);
}

TEST(Ladder, AGpuThatNvmlSeesAndCudaDoesNotIsMissed) {
  Machine m = healthy();
  m.driver.nvml.device_count = known<std::int64_t>(8);
  EXPECT_EQ(broken_key(m), "ladder.device-count.fewer");
  m.environment.variables["CUDA_VISIBLE_DEVICES"] = "0";
  EXPECT_EQ(climb(m).verdict, Verdict::usable);
}

TEST(Ladder, AVisibleDevicesListThatHidesNothingIsNotBlamed) {
  Machine m = with_cuda_init(failed(100));
  m.environment.variables["CUDA_VISIBLE_DEVICES"] = "0";
  EXPECT_EQ(broken_key(m), "ladder.device-count.none");
}

TEST(Ladder, BrokenNvmlDoesNotCondemnAWorkingGpu) {
  Machine m = healthy();
  m.driver.nvml.init = failed(999), m.driver.nvml.driver_version = {};
  EXPECT_EQ(climb(m).verdict, Verdict::usable);
}

TEST(Ladder, ACpuOnlyTorchDegradesAndPyTorchWouldUseTheCpu) {
  Machine m = healthy();
  PythonEnvironment python;
  python.executable = "/usr/bin/python3", python.is_default = true;
  TorchBuild torch;
  torch.version = "2.14.0+cpu";
  python.torch = known(torch);
  m.python = {python};
  const Doctor doctor = climb(m);
  EXPECT_EQ(doctor.verdict, Verdict::degraded);
  EXPECT_EQ(choose_device(m, doctor).device, "cuda");
  EXPECT_EQ(choose_torch_device(m, doctor).device, "cpu");
}

TEST(Ladder, EverySentenceIsInTheMessageFile) {
  const base::Messages& english = base::Messages::language("en");
  for (const std::string rung : {"cuda-init", "device-count", "context", "kernel"})
    for (const std::string end : {"timed-out", "crashed", "failed"})
      EXPECT_TRUE(english.has("ladder." + rung + "." + end)) << rung << end;
  for (const int code : {2, 46, 214, 999})
    EXPECT_TRUE(english.has("ladder.context.code-" + std::to_string(code))) << code;
  for (const int code : {209, 218, 222, 700})
    EXPECT_TRUE(english.has("ladder.kernel.code-" + std::to_string(code))) << code;
}

}  // namespace
}  // namespace gpuready::rules
