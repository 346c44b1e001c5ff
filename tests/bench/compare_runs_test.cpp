#include "bench/compare_runs.hpp"

#include <gtest/gtest.h>

#include "bench/sizes.hpp"

namespace gpuready::bench {
namespace {

Case timed(const std::string& device, double median_s, double half_width,
           std::int64_t side = 1024) {
  Case c;
  c.device = device, c.backend = "x", c.shape = square(side);
  c.median_s = median_s, c.ci95_s = {median_s * (1 - half_width), median_s * (1 + half_width)};
  c.flops = c.shape.flop() / median_s;
  return c;
}

TEST(CompareRuns, ADifferenceInsideTheNoiseIsCalledThat) {
  const auto changes = compare_runs({timed("cpu", 1.0, 0.05)}, {timed("cpu", 0.95, 0.05)});
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].change, Change::noise);
  EXPECT_NEAR(*changes[0].ratio, 1 / 0.95, 1e-9);
}

TEST(CompareRuns, FasterAndSlowerAreSaidWhereTheIntervalAllowsIt) {
  EXPECT_EQ(compare_runs({timed("cpu", 1.0, 0.01)}, {timed("cpu", 0.8, 0.01)})[0].change,
            Change::faster);
  EXPECT_EQ(compare_runs({timed("cpu", 1.0, 0.01)}, {timed("cpu", 1.2, 0.01)})[0].change,
            Change::slower);
}

TEST(CompareRuns, BelowOnePercentNothingIsSaid) {
  EXPECT_EQ(compare_runs({timed("cpu", 1.0, 1e-5)}, {timed("cpu", 0.995, 1e-5)})[0].change,
            Change::noise);
}

TEST(CompareRuns, WhatOnlyOneRunHasIsNamed) {
  const auto changes =
      compare_runs({timed("cpu", 1, 0.01)}, {timed("cuda:0", 1, 0.01), timed("cpu", 1, 0.01, 512)});
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[0].change, Change::only_first);
  EXPECT_FALSE(changes[0].ratio.known());
  EXPECT_EQ(changes[1].change, Change::only_second);
}

TEST(CompareRuns, TheFastestOfSeveralLibrariesCounts) {
  const auto changes =
      compare_runs({timed("cpu", 2, 0.01), timed("cpu", 1, 0.01)}, {timed("cpu", 1, 0.01)});
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].change, Change::noise);
}

TEST(CompareRuns, OtherTypesOrDataAreOtherCases) {
  Case zeros = timed("cpu", 1, 0.01), tf32 = timed("cpu", 1, 0.01);
  zeros.data = "zeros", tf32.dtype.compute = "tf32";
  EXPECT_EQ(compare_runs({timed("cpu", 1, 0.01)}, {zeros, tf32}).size(), 3U);
}

}  // namespace
}  // namespace gpuready::bench
