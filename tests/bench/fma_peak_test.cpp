#include "bench/fma_peak.hpp"

#include <gtest/gtest.h>

namespace gpuready::bench {
namespace {

TEST(FmaPeak, IsMeasuredWithTheWidestLoopOfThisCpu) {
  const FmaLoop widest = widest_fma_loop();
#if defined(__x86_64__) || defined(__aarch64__)
  ASSERT_NE(widest, FmaLoop::none);
  const Fact<double> peak = measure_fma_peak(widest, 2);
  ASSERT_TRUE(peak);
  EXPECT_GT(*peak, 0);
  EXPECT_EQ(peak.source(), "loop of " + std::string(name_of(widest)));
#else
  EXPECT_EQ(widest, FmaLoop::none);
#endif
}

TEST(FmaPeak, NarrowerLoopsRunOnTheSameCpu) {
  for (const FmaLoop loop : {FmaLoop::sse, FmaLoop::avx, FmaLoop::fma})
    if (widest_fma_loop() == FmaLoop::avx512) {
      EXPECT_GT(measure_fma_peak(loop, 1).value_or(0), 0) << name_of(loop);
    }
}

TEST(FmaPeak, ACpuWithoutALoopSaysSo) {
  EXPECT_TRUE(measure_fma_peak(FmaLoop::none, 1).absent_for(Absence::not_applicable));
}

TEST(FmaPeak, TheClockIsOneThatACpuCanHave) {
  if (widest_fma_loop() == FmaLoop::none) GTEST_SKIP() << "SKIPPED: no loop for this CPU";
  const Fact<double> clock = measure_clock();
  ASSERT_TRUE(clock);
  EXPECT_GT(*clock, 1e6);
  EXPECT_LT(*clock, 2e10);
}

TEST(PercentOfPeak, IsKnownForFp32AndHalfAsHighForFp64) {
  if (widest_fma_loop() == FmaLoop::none) GTEST_SKIP() << "SKIPPED: no loop for this CPU";
  for (const char* dtype : {"fp32", "fp64"}) {
    const PercentOfPeak peak = percent_of_cpu_peak(dtype, 1, 1e9);
    ASSERT_TRUE(peak.peak_flops) << dtype;
    EXPECT_DOUBLE_EQ(*peak.measured_clock, 100 * 1e9 / *peak.peak_flops);
    EXPECT_TRUE(peak.clock_hz.known());
  }
}

TEST(PercentOfPeak, IsKnownForBf16AndInt8WhereTheCpuMultipliesThemInVectors) {
  for (const char* dtype : {"bf16", "int8"}) {
    const FmaLoop loop = loop_for(dtype);
    const PercentOfPeak peak = percent_of_cpu_peak(dtype, 1, 1e9);
    EXPECT_EQ(peak.peak_flops.known(), loop != FmaLoop::none) << dtype;
    if (loop == FmaLoop::none) continue;
    EXPECT_EQ(peak.peak_flops.source(), "loop of " + std::string(name_of(loop)));
    EXPECT_GT(*peak.peak_flops, 0);
  }
}

TEST(PercentOfPeak, IsAbsentWithAReasonForOtherTypes) {
  const PercentOfPeak peak = percent_of_cpu_peak("fp16", 1, 1e9);
  EXPECT_TRUE(peak.measured_clock.absent_for(Absence::not_applicable));
  EXPECT_TRUE(peak.spec_clock.absent_for(Absence::not_applicable));
}

}  // namespace
}  // namespace gpuready::bench
