#include "bench/runner.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "host/recorded_host.hpp"
#include "tests/bench/measured.hpp"

namespace gpuready::bench {
namespace {

using testing::BackendScript;
using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::Le;
using testing::ManualClock;
using ::testing::Not;
using testing::ScriptedBackend;

using testing::Measured;
using testing::request_for;
using testing::run;
using testing::small;

BackendScript with_time(std::function<double(std::int64_t)> product_s) {
  BackendScript script;
  script.product_s = std::move(product_s);
  return script;
}

TEST(Runner, AConstantSpeedConvergesWithoutFlags) {
  const Measured measured = run(BackendScript{});
  ASSERT_THAT(measured.answer.errors, IsEmpty());
  const Case& c = measured.only_case();
  EXPECT_THAT(c.flags, IsEmpty());
  EXPECT_NEAR(c.median_s, 0.05, 1e-12);
  EXPECT_NEAR(c.ci95_s.low, 0.05, 1e-12);
  EXPECT_NEAR(c.ci95_s.high, 0.05, 1e-12);
  EXPECT_NEAR(static_cast<double>(c.samples), 10, 1);  // half a second
  EXPECT_NEAR(c.flops, small.flop() / 0.05, 1);
  EXPECT_EQ(c.shape, small);
  EXPECT_TRUE(c.verification.passed);
}

TEST(Runner, ColdProductsAreTimedOneByOneEachWithAnEmptyCache) {
  BackendScript script;
  script.product_s = [](std::int64_t) { return 1e-3; };
  script.cold_s = 4e-3;
  MeasureRequest request = request_for(small);
  request.cold = true;
  const Measured measured = run(script, request);
  const Case& c = measured.only_case();
  EXPECT_NEAR(c.median_s, 5e-3, 1e-12);
  EXPECT_THAT(c.flags, Contains("cold"));
  EXPECT_THAT(c.flags, Not(Contains("coarse-clock")));
  script.flush_error = Error{"no room", 12};
  EXPECT_EQ(run(script, request).answer.errors.at(0).why.key, "bench.error.cold");
  script.flush_error.reset();
  script.product_s = [](std::int64_t) { return 1e-6; };
  script.cold_s = 1e-6;
  EXPECT_THAT(run(script, request).only_case().flags, Contains("coarse-clock"));
}

TEST(Runner, TheFirstProductsAreToldApart) {
  const auto slow_start = [](std::int64_t i) { return i == 0 ? 0.7 : i == 1 ? 0.06 : 0.05; };
  const Case c = run(with_time(slow_start)).only_case();
  EXPECT_NEAR(*c.first_call.first_product_s, 0.7, 1e-12);
  EXPECT_NEAR(*c.first_call.second_product_s, 0.06, 1e-12);
  EXPECT_FALSE(c.first_call.load_s.known());
  EXPECT_NEAR(c.median_s, 0.05, 1e-12);
}

TEST(Runner, ShortProductsAreBatchedToTwentyMilliseconds) {
  const Measured measured = run(with_time([](std::int64_t) { return 1e-4; }));
  const Case& c = measured.only_case();
  EXPECT_NEAR(c.median_s, 1e-4, 1e-12);
  // Half a second of batches of 20 ms.
  EXPECT_NEAR(static_cast<double>(c.samples), 25, 1);
}

TEST(Runner, AProductOfASecondOnACpuKeepsToTheTimeLimit) {
  BackendScript script = with_time([](std::int64_t) { return 1.1; });
  script.on_cpu = true;
  const Measured measured = run(script);
  const Case& c = measured.only_case();
  // First, second and checked product, and six seconds of samples.
  EXPECT_THAT(measured.took_s, Le(3 * 1.1 + 6));
  EXPECT_EQ(c.samples, 5);
  EXPECT_THAT(c.flags, ::testing::UnorderedElementsAre("not-converged", "few-samples"));
}

TEST(Runner, AProductLongerThanTheWarmUpIsItsOwnFirstSample) {
  BackendScript script = with_time([](std::int64_t) { return 2.5; });
  script.on_cpu = true;
  const Measured measured = run(script);
  EXPECT_EQ(measured.only_case().samples, 2);
  EXPECT_NEAR(measured.took_s, 4 * 2.5, 1e-9);
}

TEST(Runner, AProductLongerThanTheLimitIsMeasuredOnceAndNeverCutShort) {
  const Case c = run(with_time([](std::int64_t) { return 40.0; })).only_case();
  EXPECT_EQ(c.samples, 1);
  EXPECT_NEAR(c.median_s, 40, 1e-9);
  EXPECT_THAT(c.flags, Contains("few-samples"));
  EXPECT_THAT(c.flags, Contains("not-converged"));
}

TEST(Runner, ADeviceThatSlowsDownIsDrifting) {
  const Case c = run(with_time([](std::int64_t i) {
                   return 0.05 * (1 + 0.004 * static_cast<double>(i));
                 })).only_case();
  EXPECT_THAT(c.flags, Contains("drifting"));
}

TEST(Runner, ADeviceWithTwoSpeedsHasTwoModesAndLosesNoSample) {
  BackendScript script = with_time([](std::int64_t i) { return i % 2 == 0 ? 0.06 : 0.04; });
  script.on_cpu = true;
  const Case c = run(script).only_case();
  EXPECT_THAT(c.flags, ::testing::UnorderedElementsAre("two-modes", "not-converged", "not-steady"));
  // Six seconds at 0.05 s on average.
  EXPECT_NEAR(static_cast<double>(c.samples), 120, 2);
  EXPECT_NEAR(c.ci95_s.low, 0.04, 1e-12);
  EXPECT_NEAR(c.ci95_s.high, 0.06, 1e-12);
}

TEST(Runner, AColdDeviceIsWarmedUpBeforeSamplesAreTaken) {
  const auto warms_up = [](std::int64_t i) {
    return 0.05 * (1 + 0.05 * static_cast<double>(std::max<std::int64_t>(0, 20 - i)));
  };
  const Case c = run(with_time(warms_up)).only_case();
  EXPECT_NEAR(c.median_s, 0.05, 1e-12);
  EXPECT_NEAR(c.ci95_s.high, 0.05, 1e-12);
  EXPECT_THAT(c.flags, IsEmpty());
}

TEST(Runner, WarmingGoesOnUntilAllAreReadyAndSamplesForAsLongAsAsked) {
  // As slow as half speed until 40 s, so that a sample taken before would show.
  const auto slow_at_first = [](std::int64_t i) { return i < 300 ? 0.1 : 0.05; };
  const Measured alone = run(with_time(slow_at_first));
  EXPECT_NEAR(alone.only_case().median_s, 0.1, 1e-12);
  MeasureRequest request = request_for(small);
  request.start_at_s = ManualClock().now_s + 40, request.min_time_s = 2;
  const Measured together = run(with_time(slow_at_first), request);
  EXPECT_NEAR(together.only_case().median_s, 0.05, 1e-12);
  EXPECT_NEAR(static_cast<double>(together.only_case().samples), 40, 1);
}

TEST(Runner, ADeviceClockThatAgreesIsUsed) {
  BackendScript script;
  script.device_s = [](double wall_s) { return std::optional(wall_s * 0.98); };
  const Case c = run(script).only_case();
  EXPECT_NEAR(c.median_s, 0.05 * 0.98, 1e-12);
  EXPECT_THAT(c.flags, IsEmpty());
}

TEST(Runner, ADeviceClockThatIsTooFastOrTooSlowIsNotBelieved) {
  for (const double factor : {1.5, 0.5, 0.0, -1.0}) {
    BackendScript script;
    script.device_s = [=](double wall_s) { return std::optional(wall_s * factor); };
    const Case c = run(script).only_case();
    EXPECT_NEAR(c.median_s, 0.05, 1e-12) << factor;
    EXPECT_THAT(c.flags, Contains("event-clock-doubtful")) << factor;
  }
}

TEST(Runner, TransfersAreTimedAFewTimes) {
  const Measured measured = run(BackendScript{});
  EXPECT_NEAR(*measured.only_case().with_transfers_s, 0.08, 1e-12);
  EXPECT_EQ(measured.transfers, 5);
}

TEST(Runner, TransfersThatWereNotAskedForAreNotTested) {
  MeasureRequest request = request_for(small);
  request.with_transfers = false;
  const Measured measured = run(BackendScript{}, request);
  EXPECT_EQ(measured.transfers, 0);
  EXPECT_TRUE(measured.only_case().with_transfers_s.absent_for(Absence::not_tested));
}

TEST(Runner, NothingTravelsToACpu) {
  BackendScript script;
  script.on_cpu = true;
  const Measured measured = run(script);
  EXPECT_EQ(measured.transfers, 0);
  EXPECT_TRUE(measured.only_case().with_transfers_s.absent_for(Absence::not_applicable));
}

TEST(Runner, ProgressRisesToOne) {
  const Measured measured = run(BackendScript{});
  EXPECT_TRUE(std::is_sorted(measured.progress.begin(), measured.progress.end()));
  EXPECT_EQ(measured.progress.back(), 1);
  EXPECT_THAT(measured.progress, Each(Le(1.0)));
  EXPECT_THAT(measured.progress.size(), Gt(5U));
}

TEST(Runner, AFailingStepGivesAnErrorAndNoCase) {
  const Error lost{"the device is lost", 15};
  struct Row {
    const char* key;
    std::function<void(BackendScript&)> break_it;
  };
  const std::vector<Row> rows{
      {"bench.error.budget", [&](BackendScript& s) { s.budget_error = lost; }},
      {"bench.error.prepare", [&](BackendScript& s) { s.prepare_error = lost; }},
      {"bench.error.transfers", [&](BackendScript& s) { s.transfers_error = lost; }},
      {"bench.error.run", [&](BackendScript& s) { s.poison_error = lost; }},
      {"bench.error.read-back", [&](BackendScript& s) { s.read_error = lost; }},
  };
  for (const Row& row : rows) {
    BackendScript script;
    row.break_it(script);
    const Measured measured = run(script);
    EXPECT_THAT(measured.answer.cases, IsEmpty()) << row.key;
    ASSERT_EQ(measured.answer.errors.size(), 1U) << row.key;
    EXPECT_EQ(measured.only_error().why.key, row.key);
    EXPECT_THAT(measured.only_error().why.args, Contains("the device is lost"));
    EXPECT_FALSE(measured.only_error().wrong_product);
  }
}

TEST(Runner, ADeviceThatVanishesAtAnyRunGivesAnError) {
  // First, second, warm-up (twenty), ten samples, and the product that is checked.
  for (int failing_run = 1; failing_run <= 20; ++failing_run) {
    BackendScript script;
    script.failing_run = failing_run;
    const Measured measured = run(script);
    EXPECT_THAT(measured.answer.cases, IsEmpty()) << failing_run;
    ASSERT_EQ(measured.answer.errors.size(), 1U) << failing_run;
    EXPECT_EQ(measured.only_error().why.key, "bench.error.run");
    EXPECT_EQ(measured.only_error().device, "cuda:0");
    EXPECT_EQ(measured.only_error().backend, "scripted");
  }
}

TEST(Runner, AClockThatStandsStillGivesAnError) {
  const Measured measured = run(with_time([](std::int64_t) { return 0.0; }));
  ASSERT_EQ(measured.answer.errors.size(), 1U);
  EXPECT_EQ(measured.only_error().why.key, "bench.error.clock");
}

std::string wrong_key(std::function<void(std::span<float>)> spoil,
                      std::vector<std::string> flags = {}) {
  BackendScript script;
  script.spoil = std::move(spoil);
  script.flags = std::move(flags);
  const Measured measured = run(script, request_for({256, 256, 256}));
  EXPECT_THAT(measured.answer.cases, IsEmpty());
  EXPECT_EQ(measured.answer.errors.size(), 1U);
  EXPECT_TRUE(measured.only_error().wrong_product);
  return measured.only_error().why.key;
}

TEST(Runner, AWrongProductNeverGivesASpeed) {
  EXPECT_EQ(wrong_key([](std::span<float> c) { c[7] = std::nanf(""); }), "bench.error.non-finite");
  EXPECT_EQ(wrong_key([](std::span<float> c) { std::ranges::fill(c, 0.0F); }),
            "bench.error.wrong-product");
  EXPECT_EQ(wrong_key([](std::span<float> c) { c[7] += 10; }), "bench.error.wrong-product");
  EXPECT_EQ(wrong_key([](std::span<float> c) { c[100 * 256] += 0.01F; }),
            "bench.error.wrong-element");
}

TEST(Runner, AnErrorThatIsTheSameEverywhereIsCalledALowerPrecision) {
  const auto half_precision = [](std::span<float> c) {
    std::size_t i = 0;
    for (float& value : c) value *= 1 + (i++ % 2 == 0 ? 3e-4F : -3e-4F);
  };
  EXPECT_EQ(wrong_key(half_precision), "bench.error.reduced-precision");
  EXPECT_EQ(wrong_key(half_precision, {"tf32-override"}), "bench.error.tf32-override");
}

TEST(Runner, AProductThatWasNeverWrittenIsFoundByItsPoison) {
  BackendScript script;
  script.spoil = [](std::span<float> c) { std::ranges::fill(c, std::nanf("")); };
  const Measured measured = run(script);
  ASSERT_EQ(measured.answer.errors.size(), 1U);
  EXPECT_EQ(measured.only_error().why,
            (Message{"bench.error.non-finite", {"cuda:0", "1920", "1920"}}));
}

TEST(Runner, AProductBeyondTheBudgetIsMadeSmallerInProportion) {
  BackendScript script;
  script.budget_bytes = 3.0 * 4 * 100 * 100;
  const Case c = run(script, request_for({400, 400, 400})).only_case();
  EXPECT_EQ(c.shape, (Shape{96, 96, 96}));
  EXPECT_THAT(c.flags, Contains("shrunk"));
}

TEST(Runner, UnknownTypesAndDataAreErrors) {
  MeasureRequest request = request_for({8, 8, 8});
  request.backend.dtype = "fp4";
  EXPECT_EQ(run(BackendScript{}, request).only_error().why.key, "bench.error.type");
  request.backend.dtype = "fp32";
  request.data = "random";
  EXPECT_EQ(run(BackendScript{}, request).only_error().why.key, "bench.error.data");
}

TEST(Runner, NoMatrixIsLargerThanTheDeviceAllows) {
  BackendScript script;
  script.largest_matrix_bytes = 4.0 * 128 * 128;
  EXPECT_EQ(run(script, request_for({400, 400, 400})).only_case().shape, (Shape{128, 128, 128}));
}

TEST(Runner, MainMemoryBoundsTheProductAsWell) {
  MeasureRequest request = request_for({400, 400, 400});
  // A, B, the product that is read back, and the one that the backend keeps.
  request.backend.host_budget_bytes = 4 * 4 * 64 * 64;
  EXPECT_EQ(run(BackendScript{}, request).only_case().shape, (Shape{64, 64, 64}));
}

TEST(Runner, AnAllocationThatFailsIsTriedAgainWithHalfTheMemory) {
  BackendScript script;
  script.allocation_limit_bytes = 3.0 * 4 * 100 * 100;
  const Measured measured = run(script, request_for({256, 256, 256}));
  const Case& c = measured.only_case();
  EXPECT_THAT(c.flags, Contains("shrunk"));
  EXPECT_LE(bytes_of_all(c.shape), script.allocation_limit_bytes);
  EXPECT_GE(bytes_of_all(c.shape), script.allocation_limit_bytes / 2.5);
  EXPECT_THAT(measured.prepared, Gt(1));
}

TEST(Runner, ADeviceWithoutAnyMemoryGivesAnError) {
  BackendScript script;
  script.allocation_limit_bytes = 0;
  EXPECT_EQ(run(script).only_error().why.key, "bench.error.no-memory");
}

TEST(Runner, ASideOfNothingOrOfTooMuchIsRefused) {
  for (const Shape& shape : {Shape{0, 8, 8}, Shape{8, -1, 8}, Shape{8, 8, std::int64_t{1} << 31U}})
    EXPECT_EQ(run(BackendScript{}, request_for(shape)).only_error().why.key, "bench.error.shape");
}

TEST(Runner, TheLongestSidesArePlannedWithoutOverflow) {
  BackendScript script;
  script.budget_bytes = 1e5;
  const std::int64_t longest = (std::int64_t{1} << 31U) - 1;
  const Case c = run(script, request_for({longest, longest, longest})).only_case();
  EXPECT_LE(bytes_of_all(c.shape), 1e5);
}

TEST(Runner, ABackendThatDoesNotOpenGivesAnError) {
  host::RecordedHost host{host::Recording{}};
  MeasureRequest request = request_for(small);
  request.backend = {"cpu", "openblas", "libnone.so", 1, 0};
  ManualClock clock;
  const MeasureAnswer answer = measure(
      host, request, [&] { return clock(); }, [](double) {});
  ASSERT_EQ(answer.errors.size(), 1U);
  EXPECT_EQ(answer.errors[0].why.key, "bench.error.open");
  EXPECT_EQ(answer.errors[0].device, "cpu");
}

}  // namespace
}  // namespace gpuready::bench
