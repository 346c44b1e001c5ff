#include "bench/telemetry.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <memory>

#include "bench/patient.hpp"
#include "bench/watch.hpp"

namespace gpuready::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

GpuLoad card(std::int64_t reasons, double clock_mhz, double power_w) {
  GpuLoad seen;
  seen.clock_event_reasons = {reasons, "nvml"};
  seen.sm_clock_hz = {clock_mhz * 1e6, "nvml"};
  seen.sm_clock_max_hz = {1980e6, "nvml"};
  seen.power_w = {power_w, "nvml"};
  seen.power_limit_w = {700.0, "nvml"};
  return seen;
}

TEST(Telemetry, AFullClockSaysNothing) {
  EXPECT_THAT(telemetry_flags(card(0, 1965, 600)), IsEmpty());
}

TEST(Telemetry, ReasonsAreNamed) {
  EXPECT_THAT(telemetry_flags(card(0x4, 1500, 699)), ElementsAre("power-limited"));
  EXPECT_THAT(telemetry_flags(card(0x8, 900, 300)), ElementsAre("hardware-slowdown"));
  EXPECT_THAT(telemetry_flags(card(0x80, 900, 300)), ElementsAre("hardware-slowdown"));
  EXPECT_THAT(telemetry_flags(card(0x40, 900, 300)), ElementsAre("thermal"));
  EXPECT_THAT(telemetry_flags(card(0x24, 900, 300)), ElementsAre("thermal", "power-limited"));
}

TEST(Telemetry, SlowClocksWithoutAReasonAreSomebodysLimit) {
  EXPECT_THAT(telemetry_flags(card(0, 1200, 300)), ElementsAre("clocks-capped"));
  EXPECT_THAT(telemetry_flags(card(0x2, 1200, 300)), ElementsAre("clocks-capped"));
  GpuLoad unknown = card(0, 1200, 300);
  unknown.clock_event_reasons = Fact<std::int64_t>::absent(Absence::not_applicable, "old driver");
  EXPECT_THAT(telemetry_flags(unknown), IsEmpty());
}

TEST(Telemetry, LittlePowerAndALowRateAreAStalledFeed) {
  EXPECT_TRUE(not_fed(card(0, 1965, 200), 30));
  EXPECT_FALSE(not_fed(card(0, 1965, 200), 90));
  EXPECT_FALSE(not_fed(card(0, 1965, 600), 30));
  EXPECT_FALSE(not_fed(card(0, 1000, 200), 30)) << "the clock explains it";
  EXPECT_FALSE(not_fed(GpuLoad{}, 30));
}

TEST(Telemetry, NothingKnownSaysNothing) { EXPECT_THAT(telemetry_flags(GpuLoad{}), IsEmpty()); }

TEST(Patient, GoesOnWithoutWhatHangs) {
  auto release = std::make_shared<std::promise<void>>();
  auto released = std::make_shared<std::shared_future<void>>(release->get_future());
  Patient patient(std::chrono::milliseconds(20));
  EXPECT_TRUE(patient.run([] {}));
  EXPECT_FALSE(patient.run([released] { released->wait(); }));
  EXPECT_TRUE(patient.hung());
  auto called = std::make_shared<bool>(false);
  EXPECT_FALSE(patient.run([called] { *called = true; }));
  EXPECT_FALSE(*called);
  release->set_value();
}

TEST(Watch, LooksUntilItsEnd) {
  std::atomic<int> looks{0};
  const std::function<void()> look = [&] { ++looks; };
  {
    const Watch watch(look, std::chrono::milliseconds(1));
    while (looks < 3) std::this_thread::yield();
  }
  const int at_end = looks;
  EXPECT_GE(at_end, 3);
  const Watch nothing(std::function<void()>{});
  EXPECT_EQ(looks, at_end);
}

}  // namespace
}  // namespace gpuready::bench
