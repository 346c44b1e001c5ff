#include "bench/bandwidth.hpp"

#include <gmock/gmock.h>

#include "bench/timing.hpp"
#include "tests/bench/scripted_backend.hpp"

namespace gpuready::bench {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using testing::ManualClock;
using ::testing::Not;

/// A transfer that takes the n-th of these times, and moves the clock on.
Transfer taking(std::vector<double> seconds, ManualClock& clock) {
  return [seconds, &clock, n = std::size_t{0}]() mutable -> Result<double> {
    const double now = seconds[std::min(n++, seconds.size() - 1)];
    clock.now_s += now;
    return now;
  };
}

TEST(Bandwidth, IsBytesOverTheMedianTime) {
  ManualClock clock;
  // The first one is warm-up.
  const auto row = measure_transfer("cpu", "host-copy", 4e9, 60, taking({9, 0.5}, clock),
                                    [&] { return clock(); });
  ASSERT_TRUE(row);
  EXPECT_NEAR(row->bytes_per_s, 8e9, 1);
  EXPECT_EQ(row->samples, 10);
  EXPECT_THAT(row->flags, IsEmpty());
}

TEST(Bandwidth, TheTimeLimitEndsItAndFewSamplesAreTold) {
  ManualClock clock;
  const auto row =
      measure_transfer("cpu", "host-copy", 1e9, 2, taking({1}, clock), [&] { return clock(); });
  ASSERT_TRUE(row);
  EXPECT_EQ(row->samples, 2);
  EXPECT_THAT(row->flags, Contains("few-samples"));
}

TEST(Bandwidth, NoisyTransfersAreRepeated) {
  ManualClock clock;
  std::vector<double> seconds;
  for (int i = 0; i < 400; ++i) seconds.push_back(i % 2 == 0 ? 0.010 : 0.013);
  const auto row =
      measure_transfer("cpu", "host-copy", 1e9, 3, taking(seconds, clock), [&] { return clock(); });
  ASSERT_TRUE(row);
  EXPECT_GT(row->samples, 100);
  EXPECT_THAT(row->flags, Contains("two-modes"));
  EXPECT_LT(row->ci95_bytes_per_s.low, row->bytes_per_s + 1);
}

TEST(Bandwidth, AFailureIsTheAnswer) {
  ManualClock clock;
  const auto row = measure_transfer(
      "cpu", "host-copy", 1e9, 3, []() -> Result<double> { return failure("gone", 15); },
      [&] { return clock(); });
  ASSERT_FALSE(row);
  EXPECT_EQ(row.error().text, "gone");
}

TEST(Bandwidth, TheHostsMemoryMoves) {
  BandwidthRequest request;
  request.threads = 2;
  request.bytes = 1 << 20;
  request.max_time_s = 0.02;
  const BandwidthAnswer answer = measure_host_bandwidth(request, steady_seconds);
  EXPECT_THAT(answer.errors, IsEmpty());
  ASSERT_EQ(answer.rows.size(), 2U);
  for (const Bandwidth& row : answer.rows) {
    EXPECT_GT(row.bytes_per_s, 1e7);
    EXPECT_EQ(row.bytes, 1 << 20);
    EXPECT_THAT(row.flags, ::testing::Not(Contains("wrong-bytes")));
  }
}

}  // namespace
}  // namespace gpuready::bench
