#include "bench/load.hpp"

#include <gtest/gtest.h>

#include "tests/bench/scripted_backend.hpp"

namespace gpuready::bench {
namespace {

using testing::BackendScript;
using testing::ManualClock;
using testing::ScriptedBackend;

MeasureRequest seconds(double load_s) {
  MeasureRequest request;
  request.shape = {64, 64, 64};
  request.max_time_s = load_s;
  return request;
}

struct Outcome {
  Result<Busy> busy;
  int samples = 0, transfers = 0;
};

Outcome load(BackendScript script, double load_s) {
  ManualClock clock;
  ScriptedBackend backend(std::move(script), clock);
  int samples = 0;
  auto busy = keep_busy(
      backend, seconds(load_s), [&] { return clock(); }, [&] { ++samples; });
  return {std::move(busy), samples, backend.transfers};
}

TEST(Load, LastsAsLongAsAskedWithASampleAndACopyInEachSlice) {
  const Outcome outcome = load({}, 10);
  ASSERT_TRUE(outcome.busy) << outcome.busy.error().text;
  EXPECT_GE(outcome.busy->seconds, 10);
  EXPECT_LT(outcome.busy->seconds, 11);
  EXPECT_TRUE(outcome.busy->right);
  EXPECT_GE(outcome.samples, 25);
  EXPECT_LE(outcome.samples, 40);
  EXPECT_EQ(outcome.transfers, outcome.samples);
  EXPECT_GT(outcome.busy->products, outcome.samples);
}

TEST(Load, AWrongProductAtTheEndIsFound) {
  BackendScript script;
  script.spoil = [](std::span<float> c) { c[5] += 100; };
  const Outcome outcome = load(std::move(script), 1);
  ASSERT_TRUE(outcome.busy);
  EXPECT_FALSE(outcome.busy->right);
}

TEST(Load, ADeviceThatIsLostEndsItWithItsOwnWords) {
  BackendScript script;
  script.failing_run = 6;
  const Outcome outcome = load(std::move(script), 10);
  ASSERT_FALSE(outcome.busy);
  EXPECT_EQ(outcome.busy.error().text, "the device is lost");
  EXPECT_EQ(outcome.busy.error().code, 15);
  EXPECT_GE(outcome.samples, 1);
}

TEST(Load, WithoutRoomItSaysSo) {
  BackendScript script;
  script.allocation_limit_bytes = 10;
  EXPECT_EQ(load(std::move(script), 1).busy.error().code, out_of_memory_code);
}

}  // namespace
}  // namespace gpuready::bench
