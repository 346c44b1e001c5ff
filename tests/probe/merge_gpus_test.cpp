#include <gtest/gtest.h>

#include "probe/probe.hpp"

namespace gpuready::probe {
namespace {

Fact<std::string> text(std::string value) { return {std::move(value), "test"}; }

PciFunction function(const std::string& address, const std::string& vendor = "0x10de",
                     const std::string& code = "0x030000") {
  PciFunction f;
  f.address = address;
  f.vendor_id = text(vendor), f.class_code = text(code), f.device_id = text("0x1234");
  f.runtime_status = text("active");
  return f;
}

NvmlDevice nvml(std::int64_t index, const std::string& address, const std::string& uuid) {
  NvmlDevice d;
  d.index = index;
  d.name = text("GPU by NVML"), d.uuid = text(uuid), d.pci_address = text(address);
  d.memory_total_bytes = {100, "nvml"}, d.memory_free_bytes = {90, "nvml"};
  return d;
}

CudaDevice cuda(std::int64_t index, const std::string& address, const std::string& uuid) {
  CudaDevice d;
  d.index = index;
  d.name = text("GPU by CUDA"), d.uuid = text(uuid), d.pci_address = text(address);
  d.memory_total_bytes = {80, "cuda"}, d.memory_free_bytes = {70, "cuda"};
  d.context = {true, "cuda"}, d.kernel = {true, "cuda"}, d.integrated = {false, "cuda"};
  return d;
}

Machine with_library_answers() {
  Machine machine;
  machine.driver.nvml.init = {true, "nvmlInit_v2"};
  machine.driver.cuda.init = {true, "cuInit"};
  return machine;
}

TEST(MergeGpus, OneGpuInThreePlacesIsOneGpu) {
  Machine machine = with_library_answers();
  machine.pci = {function("0000:01:00.0")};
  machine.driver.nvml.devices = {nvml(0, "00000000:01:00.0", "GPU-a")};
  machine.driver.cuda.devices = {cuda(0, "0000:01:00.0", "GPU-a")};
  const std::vector<Gpu> gpus = merge_gpus(machine);
  ASSERT_EQ(gpus.size(), 1U);
  EXPECT_TRUE(gpus[0].name.is("GPU by NVML"));
  EXPECT_TRUE(gpus[0].pci_address.is("0000:01:00.0"));
  EXPECT_TRUE(gpus[0].memory_free_bytes.is(90));
  EXPECT_TRUE(gpus[0].kernel.is(true));
}

TEST(MergeGpus, AnAddressInCapitalsIsTheSame) {
  Machine machine = with_library_answers();
  machine.pci = {function("0000:af:00.0")};
  machine.driver.nvml.devices = {nvml(0, "00000000:AF:00.0", "GPU-a")};
  EXPECT_EQ(merge_gpus(machine).size(), 1U);
}

TEST(MergeGpus, WithoutAddressesTheUuidTells) {
  Machine machine = with_library_answers();
  machine.driver.nvml.devices = {nvml(0, "", "GPU-a"), nvml(1, "", "GPU-b")};
  machine.driver.cuda.devices = {cuda(0, "", "GPU-b")};
  for (NvmlDevice& d : machine.driver.nvml.devices) d.pci_address = Missing{};
  machine.driver.cuda.devices[0].pci_address = Missing{};
  const std::vector<Gpu> gpus = merge_gpus(machine);
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_TRUE(gpus[0].cuda_index.absent_for(Absence::not_found));
  EXPECT_TRUE(gpus[1].cuda_index.is(0));
  EXPECT_TRUE(gpus[1].nvml_index.is(1));
}

TEST(MergeGpus, AGpuThatOnlyTheBusKnowsCarriesTheLibrariesReasons) {
  Machine machine;
  machine.pci = {function("0000:01:00.0")};
  machine.driver.nvml.init = Missing{Absence::call_failed, "nvmlInit_v2: (9)", 9};
  machine.driver.cuda.init = Missing{Absence::library_missing, "libcuda.so.1: none", {}};
  const Gpu gpu = merge_gpus(machine).at(0);
  EXPECT_EQ(gpu.name.missing().code, 9);
  EXPECT_TRUE(gpu.kernel.absent_for(Absence::library_missing));
  EXPECT_TRUE(gpu.vendor.is("nvidia"));
}

TEST(MergeGpus, GpusOfOtherVendorsAreListedWithoutAskingNvidiasLibraries) {
  Machine machine;
  machine.pci = {function("0000:03:00.0", "0x1002"), function("0000:00:02.0", "0x8086"),
                 function("0000:05:00.0", "0x1a03"), function("0000:06:00.0", "0x10de", "0x068000"),
                 function("0000:07:00.0", "0x1002", "0x120000")};
  const std::vector<Gpu> gpus = merge_gpus(machine);
  ASSERT_EQ(gpus.size(), 3U);
  EXPECT_TRUE(gpus[0].vendor.is("amd"));
  EXPECT_TRUE(gpus[1].vendor.is("intel"));
  EXPECT_TRUE(gpus[0].name.absent_for(Absence::not_applicable));
  EXPECT_NE(gpus[0].name.missing().detail.find("0x1002:0x1234"), std::string::npos);
}

TEST(MergeGpus, MigInstancesAreGpusBesideTheirParent) {
  Machine machine = with_library_answers();
  machine.pci = {function("0000:01:00.0")};
  machine.driver.nvml.devices = {nvml(0, "00000000:01:00.0", "GPU-a")};
  machine.driver.nvml.devices[0].mig_enabled = {true, "test"};
  machine.driver.cuda.devices = {cuda(0, "0000:01:00.0", "MIG-a"),
                                 cuda(1, "0000:01:00.0", "MIG-b")};
  const std::vector<Gpu> gpus = merge_gpus(machine);
  ASSERT_EQ(gpus.size(), 3U);
  EXPECT_TRUE(gpus[0].kernel.absent_for(Absence::not_applicable));
  EXPECT_TRUE(gpus[0].mig.enabled.is(true));
  EXPECT_TRUE(gpus[2].uuid.is("MIG-b"));
  EXPECT_TRUE(gpus[2].memory_total_bytes.is(80));
  EXPECT_TRUE(gpus[2].pci_address.is("0000:01:00.0"));
  EXPECT_TRUE(gpus[2].power.limit_w.absent_for(Absence::not_applicable));
}

TEST(MergeGpus, CudasMemoryStandsInWhereNvmlKnowsNone) {
  Machine machine = with_library_answers();
  machine.driver.nvml.devices = {nvml(0, "0000:01:00.0", "GPU-a")};
  machine.driver.nvml.devices[0].memory_total_bytes =
      Missing{Absence::not_applicable, "not supported", 3};
  machine.driver.cuda.devices = {cuda(0, "0000:01:00.0", "GPU-a")};
  machine.driver.cuda.devices[0].integrated = {true, "cuda"};
  const Gpu gpu = merge_gpus(machine).at(0);
  EXPECT_TRUE(gpu.memory_total_bytes.is(80));
  EXPECT_TRUE(gpu.unified_memory.is(true));
}

TEST(MergeGpus, GarbageForAnAddressIsNobodysAddress) {
  Machine machine = with_library_answers();
  machine.pci = {function("0000:01:00.0")};
  machine.driver.nvml.devices = {nvml(0, "::::", "GPU-a"), nvml(1, std::string(1000, 'f'), "")};
  EXPECT_EQ(merge_gpus(machine).size(), 3U);
}

TEST(AllNvidiaGpusAsleep, OneThatIsAwakeOrUnknownCountsAsAwake) {
  std::vector<PciFunction> pci{function("0000:01:00.0"), function("0000:00:02.0", "0x8086")};
  EXPECT_FALSE(all_nvidia_gpus_asleep({}));
  EXPECT_FALSE(all_nvidia_gpus_asleep(pci));
  pci[0].runtime_status = text("suspended");
  EXPECT_TRUE(all_nvidia_gpus_asleep(pci));
  pci.push_back(function("0000:02:00.0"));
  pci.back().runtime_status = Missing{};
  EXPECT_FALSE(all_nvidia_gpus_asleep(pci));
}

}  // namespace
}  // namespace gpuready::probe
