#include "bench/timing.hpp"

#include <gtest/gtest.h>

namespace gpuready::bench {
namespace {

TEST(Timing, ASampleIsTheTimeOfOneProduct) {
  const Samples samples = samples_of({{4, {0.2, {}}}, {1, {0.06, {}}}});
  EXPECT_EQ(samples.seconds, (std::vector<double>{0.05, 0.06}));
  EXPECT_FALSE(samples.event_clock_doubtful);
}

TEST(Timing, TheDeviceClockIsUsedWhereItAgrees) {
  const Samples samples = samples_of({{2, {0.2, 0.19}}, {2, {0.2, 0.196}}});
  EXPECT_EQ(samples.seconds, (std::vector<double>{0.095, 0.098}));
}

TEST(Timing, OneBatchInWhichTheDeviceWorkedLongerThanTheBatchSpoilsItsClock) {
  const Samples samples = samples_of({{2, {0.2, 0.19}}, {2, {0.2, 0.3}}});
  EXPECT_TRUE(samples.event_clock_doubtful);
  EXPECT_EQ(samples.seconds, (std::vector<double>{0.1, 0.1}));
}

TEST(Timing, TheCostOfStartingIsNoContradictionInAShortBatch) {
  EXPECT_FALSE(samples_of({{1, {0.0002, 0.0001}}}).event_clock_doubtful);
  EXPECT_TRUE(samples_of({{1, {0.2, 0.1}}}).event_clock_doubtful);
}

TEST(Timing, OneDelayBySomebodyElseIsNoContradiction) {
  EXPECT_FALSE(
      samples_of({{1, {0.1, 0.099}}, {1, {0.15, 0.099}}, {1, {0.1, 0.099}}}).event_clock_doubtful);
}

TEST(Timing, ABatchIsLongEnoughAndNoLonger) {
  EXPECT_EQ(repeats_for(0.003, 0.02), 7);
  EXPECT_EQ(repeats_for(0.5, 0.02), 1);
  EXPECT_EQ(repeats_for(1e-12, 0.02), 1'000'000);
  EXPECT_EQ(repeats_for(0, 0.02), 1'000'000);
}

}  // namespace
}  // namespace gpuready::bench
