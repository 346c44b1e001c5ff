#include "api/gpu_peak.hpp"

#include <gmock/gmock.h>

namespace gpuready::api {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

struct Measured {
  Machine machine;
  Case c;
};

/// An H100 as NVML saw it.
Measured h100(double teraflops, double clock_ghz = 1.755, double power_w = 690) {
  Measured m;
  Gpu gpu;
  gpu.cuda_index = {std::int64_t{0}, "cuda"};
  gpu.sm_count = {std::int64_t{132}, "cuda"};
  gpu.compute_capability = {std::string("9.0"), "cuda"};
  m.machine.gpus.push_back(gpu);
  m.c.device = "cuda:0";
  m.c.device_name = "NVIDIA H100 80GB HBM3";
  m.c.dtype.name = "bf16";
  m.c.flops = teraflops * 1e12;
  GpuLoad seen;
  seen.sm_clock_hz = {clock_ghz * 1e9, "nvml"};
  seen.sm_clock_max_hz = {1.98e9, "nvml"};
  seen.power_w = {power_w, "nvml"};
  seen.power_limit_w = {700.0, "nvml"};
  m.c.telemetry = Fact<GpuLoad>(seen, "NVML");
  return m;
}

void add(Measured& m) { add_gpu_peak(m.machine, *catalog::load_peak_ops({}), m.c); }

TEST(GpuPeak, IsAtTheClockThatWasSeenAndAtTheHighest) {
  Measured m = h100(760);
  add(m);
  EXPECT_NEAR(*m.c.percent_of_peak.peak_flops, 132 * 1.755e9 * 4096, 1);
  EXPECT_NEAR(*m.c.percent_of_peak.measured_clock, 80.1, 0.1);
  EXPECT_NEAR(*m.c.percent_of_peak.spec_clock, 71.0, 0.1);
  EXPECT_THAT(m.c.flags, IsEmpty());
}

TEST(GpuPeak, MoreThanThePeakIsOurError) {
  Measured m = h100(1000);
  add(m);
  EXPECT_THAT(m.c.flags, Contains("above-peak"));
}

TEST(GpuPeak, AStalledFeedIsTold) {
  Measured m = h100(200, 1.95, 200);
  add(m);
  EXPECT_THAT(m.c.flags, Contains("not-fed"));
}

TEST(GpuPeak, WhatIsNotKnownIsSaidAndNotGuessed) {
  Measured newer = h100(760);
  newer.machine.gpus[0].compute_capability = {std::string("13.0"), "cuda"};
  add(newer);
  EXPECT_TRUE(newer.c.percent_of_peak.measured_clock.absent_for(Absence::not_applicable));
  Measured blind = h100(760);
  blind.c.telemetry = Fact<GpuLoad>::absent(Absence::library_missing, "libnvidia-ml.so.1");
  add(blind);
  EXPECT_TRUE(blind.c.percent_of_peak.measured_clock.absent_for(Absence::library_missing));
  Measured other = h100(760);
  other.c.device = "cpu";
  add(other);
  EXPECT_THAT(other.c.flags, IsEmpty());
}

}  // namespace
}  // namespace gpuready::api
