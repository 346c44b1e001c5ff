#include "bench/stats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace gpuready::bench {
namespace {

std::vector<double> one_to(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Stats, TheMedianIsTheMiddleOrTheMeanOfTheTwoInTheMiddle) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({7}), 7);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Stats, QuantilesInterpolateBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(quantile(one_to(11), 0.05), 1.5);
  EXPECT_DOUBLE_EQ(quantile(one_to(11), 0), 1);
  EXPECT_DOUBLE_EQ(quantile(one_to(11), 1), 11);
  EXPECT_DOUBLE_EQ(quantile({1, 2}, 0.25), 1.25);
}

// Order statistics and coverage as tabulated for the sign test at two-sided 95 %.
TEST(Stats, TheIntervalOfTheMedianUsesExactBinomialRanks) {
  struct Row {
    std::size_t n;
    double low, high, coverage;
  };
  for (const Row& row :
       {Row{6, 1, 6, 0.96875}, Row{8, 1, 8, 0.9921875}, Row{9, 2, 8, 0.9609375},
        Row{10, 2, 9, 0.978515625}, Row{20, 6, 15, 0.958610535}, Row{100, 40, 61, 0.964799800}}) {
    const MedianInterval found = median_interval(one_to(row.n));
    EXPECT_EQ(found.interval.low, row.low) << row.n;
    EXPECT_EQ(found.interval.high, row.high) << row.n;
    EXPECT_NEAR(found.coverage, row.coverage, 1e-8) << row.n;
  }
}

TEST(Stats, FewerThanSixSamplesCannotReach95Percent) {
  const MedianInterval five = median_interval({5, 1, 4, 2, 3});
  EXPECT_EQ(five.interval.low, 1);
  EXPECT_EQ(five.interval.high, 5);
  EXPECT_DOUBLE_EQ(five.coverage, 0.9375);
  EXPECT_DOUBLE_EQ(median_interval({1}).coverage, 0);
  EXPECT_EQ(median_interval({}).coverage, 0);
}

TEST(Stats, ManySamplesTakeTheNormalApproximationWithoutAJump) {
  const Interval exact = median_interval(one_to(1000)).interval;
  const Interval approximate = median_interval(one_to(1001)).interval;
  EXPECT_NEAR(exact.low, approximate.low, 2);
  EXPECT_NEAR(exact.high, approximate.high, 2);
  EXPECT_EQ(approximate.low + approximate.high, 1002);
}

TEST(Stats, TheIntervalHoldsTheMedianAsOftenAsItSays) {
  std::mt19937_64 random(1);
  std::exponential_distribution<double> skewed(1.0);
  const double truth = std::log(2.0);
  int held = 0;
  constexpr int trials = 4000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> samples(15);
    for (double& sample : samples) sample = skewed(random);
    const Interval found = median_interval(samples).interval;
    held += found.low <= truth && truth <= found.high ? 1 : 0;
  }
  // Exact coverage at n = 15 is 96.5 %; the trial's own deviation is 0.3 %.
  EXPECT_NEAR(static_cast<double>(held) / trials, 0.965, 0.012);
}

TEST(Stats, TheHalfWidthIsRelativeToTheMedian) {
  EXPECT_DOUBLE_EQ(relative_half_width(one_to(10)), 3.5 / 5.5);
  EXPECT_DOUBLE_EQ(relative_half_width({2, 2, 2}), 0);
}

TEST(Stats, DriftIsAChangeOfMoreThanTwoPercentBetweenHalves) {
  EXPECT_TRUE(drifts({1, 1, 1, 1.03, 1.03, 1.03}));
  EXPECT_TRUE(drifts({1.03, 1.03, 1.03, 1, 1, 1}));
  EXPECT_FALSE(drifts({1, 1, 1, 1.01, 1.01, 1.01}));
  EXPECT_FALSE(drifts({1, 1.5, 1, 1, 1.5, 1}));
  EXPECT_FALSE(drifts({1, 2}));
}

TEST(Stats, TwoModesNeedAGapAndAFifthOnEachSide) {
  EXPECT_TRUE(has_two_modes({1, 1.1, 1, 1.1, 1, 1, 1, 1, 1, 1}));
  EXPECT_FALSE(has_two_modes({1, 1.1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_FALSE(has_two_modes({1, 1.04, 1, 1.04, 1, 1, 1, 1, 1, 1}));
  EXPECT_FALSE(has_two_modes({1, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08, 1.09}));
  EXPECT_FALSE(has_two_modes({1, 2, 1, 2}));
}

TEST(Stats, ARatioLiesBetweenTheExtremesOfBothIntervals) {
  const Interval found = ratio_interval({8, 12}, {2, 4});
  EXPECT_DOUBLE_EQ(found.low, 2);
  EXPECT_DOUBLE_EQ(found.high, 6);
}

}  // namespace
}  // namespace gpuready::bench
