#include "bench/stopping.hpp"

#include <gtest/gtest.h>

namespace gpuready::bench {
namespace {

const std::vector<double> steady(10, 0.1);

TEST(Stopping, NarrowIntervalTenSamplesAndHalfASecondAreEnough) {
  const StoppingRule rule = stopping_rule(false, 6);
  EXPECT_EQ(decide(rule, steady, 1.0, 0.1), Stop::converged);
  EXPECT_EQ(decide(rule, std::vector<double>(9, 0.1), 1.0, 0.1), Stop::go_on);
  EXPECT_EQ(decide(rule, steady, 0.4, 0.1), Stop::go_on);
}

TEST(Stopping, AGpuHasToBeTwiceAsSteadyAsACpu) {
  // The interval of ten samples leaves out one at each end: half of its width is 1.5 %.
  const std::vector<double> samples{0.97, 0.985, 1, 1, 1, 1, 1, 1, 1.015, 1.03};
  EXPECT_EQ(decide(stopping_rule(false, 60), samples, 10, 1), Stop::go_on);
  EXPECT_EQ(decide(stopping_rule(true, 60), samples, 10, 1), Stop::converged);
}

TEST(Stopping, OneSlowSampleDoesNotHinder) {
  std::vector<double> samples(12, 0.1);
  samples[3] = 5;
  EXPECT_EQ(decide(stopping_rule(false, 60), samples, 6.1, 0.1), Stop::converged);
}

TEST(Stopping, ABatchThatWouldPassTheLimitIsNotBegun) {
  const StoppingRule rule = stopping_rule(true, 6);
  const std::vector<double> samples(3, 1.2);
  EXPECT_EQ(decide(rule, samples, 4.7, 1.2), Stop::go_on);
  EXPECT_EQ(decide(rule, samples, 4.9, 1.2), Stop::out_of_time);
}

TEST(Stopping, TheFirstBatchIsAlwaysMeasured) {
  EXPECT_EQ(decide(stopping_rule(true, 6), {}, 100, 100), Stop::go_on);
}

TEST(Stopping, WarmUpEndsWhenTheLastFiveAgree) {
  const WarmUpRule gpu = warm_up_rule(false, 6);
  EXPECT_EQ(decide(gpu, {9, 1, 1, 1, 1, 1.005}, 1.5, 0.1), WarmUp::steady);
  EXPECT_EQ(decide(gpu, {9, 1, 1, 1, 1, 1.02}, 1.5, 0.1), WarmUp::go_on);
  EXPECT_EQ(decide(gpu, {1, 1, 1, 1}, 1.5, 0.1), WarmUp::go_on);
  EXPECT_EQ(decide(warm_up_rule(true, 6), {9, 1, 1, 1, 1, 1.015}, 0.2, 0.1), WarmUp::steady);
}

TEST(Stopping, AGpuIsWarmedForASecondHoweverSteadyItLooks) {
  EXPECT_EQ(decide(warm_up_rule(false, 6), steady, 0.9, 0.1), WarmUp::go_on);
  EXPECT_EQ(decide(warm_up_rule(false, 6), steady, 1.0, 0.1), WarmUp::steady);
}

TEST(Stopping, WarmUpNeverEatsTheTimeOfTheSamples) {
  EXPECT_EQ(decide(warm_up_rule(true, 6), {1.2}, 1.2, 1.2), WarmUp::out_of_time);
  EXPECT_EQ(decide(warm_up_rule(true, 6), {0.7}, 0.7, 0.7), WarmUp::go_on);
  EXPECT_EQ(decide(warm_up_rule(false, 6), {1, 2, 1, 2, 1}, 2.95, 0.1), WarmUp::out_of_time);
}

TEST(Stopping, OnlyBatchesThatWereSeenToDifferAreCalledUnsteady) {
  const WarmUpRule rule = warm_up_rule(true, 6);
  EXPECT_FALSE(seen_unsteady(rule, {1.0, 2.0}));
  EXPECT_TRUE(seen_unsteady(rule, {1.0, 2.0, 1.0}));
  EXPECT_FALSE(seen_unsteady(rule, {1.0, 1.01, 1.0}));
}

}  // namespace
}  // namespace gpuready::bench
