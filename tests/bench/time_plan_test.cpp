#include "bench/time_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "bench/sizes.hpp"

namespace gpuready::bench {
namespace {

TEST(TimePlan, StartMatricesProductsAndTimedSectionAddUp) {
  const Pace pace{0.5, 1e9, 1e-6};
  EXPECT_NEAR(predicted_s({square(100), pace, 2, 0}), 0.5 + 3e4 * 1e-6 + 4 * 2e6 / 1e9 + 2, 1e-9);
}

TEST(TimePlan, WhatTakesLongestIsLeftOut) {
  EXPECT_EQ(choose_within({1, 9, 2, 4}, 8), (std::vector<bool>{true, false, true, true}));
  EXPECT_EQ(choose_within({1, 9, 2, 4}, 0.5), (std::vector<bool>(4, false)));
  EXPECT_EQ(choose_within({1, 9, 2, 4}, 100), (std::vector<bool>(4, true)));
}

TEST(TimePlan, WhatIsChosenFits) {
  const std::vector<double> seconds{3, 1, 4, 1, 5, 9, 2, 6};
  for (double limit = 0; limit < 40; limit += 0.5) {
    const auto chosen = choose_within(seconds, limit);
    double sum = 0;
    for (std::size_t i = 0; i < seconds.size(); ++i) sum += chosen[i] ? seconds[i] : 0;
    EXPECT_LE(sum, limit);
  }
}

Pace known_pace(double flops) { return {0.5, flops, 0, false}; }

TEST(TimePlan, TheTimedSectionsShareWhatTheProductsLeave) {
  // Each product takes 1 s with its start.
  const CaseTime one{square(500), known_pace(2e9), 6, 0};
  const std::vector<CaseTime> five(5, one);
  EXPECT_NEAR(decide_next(five, 20, 0.9).timed_s, (0.9 * 20 - 5) / 5, 1e-9);
  EXPECT_NEAR(decide_next(five, 100, 0.9).timed_s, 6, 1e-9);
  EXPECT_NEAR(decide_next({one}, 1.2, 0.9).timed_s, 0.25 * 0.9 * 1.2, 1e-9);
}

TEST(TimePlan, ACaseIsLeftOutWhenItsProductsTakeLongerThanIsLeft) {
  const CaseTime quick{square(500), known_pace(2e9), 1, 0};
  const CaseTime slow{square(5000), known_pace(2e9), 1, 0};
  EXPECT_FALSE(decide_next({quick, slow}, 10, 0.9).leave_out);
  EXPECT_TRUE(decide_next({slow}, 10, 0.9).leave_out);
  // What is left out takes no part of the time away.
  EXPECT_NEAR(decide_next({quick, slow}, 1.6, 1).timed_s, 0.6, 1e-9);
}

/// A run as BenchRun makes it, on a machine that does `flops`: the cases measured and the time
/// taken.
struct Played {
  std::vector<Shape> measured;
  double took_s = 0, shortest_timed_s = 1e9;
};

Played play(const std::vector<Shape>& shapes, Pace pace, double flops, double limit_s) {
  Played played;
  const double real_start_s = 0.1;
  std::vector<CaseTime> waiting;
  for (const Shape& shape : shapes) waiting.push_back({shape, pace, 3, 0});
  while (!waiting.empty()) {
    for (CaseTime& time : waiting) time.pace = pace;
    const NextCase next = decide_next(waiting, limit_s - played.took_s, 0.9);
    const CaseTime now = waiting.front();
    waiting.erase(waiting.begin());
    if (next.leave_out) continue;
    const double wall_s = real_start_s + 4 * now.shape.flop() / flops + next.timed_s;
    Case c;
    c.flops = flops;
    c.first_call.load_s = Fact<double>(real_start_s / 2, "clock");
    CaseTime foreseen = now;
    foreseen.timed_s = next.timed_s;
    pace = learn(pace, c, foreseen, wall_s);
    played.took_s += wall_s;
    played.shortest_timed_s = std::min(played.shortest_timed_s, next.timed_s);
    played.measured.push_back(now.shape);
  }
  return played;
}

TEST(TimePlan, AGuessThatIsFarTooLowLeavesNothingOutThatHasTime) {
  const Pace low{0.4, 80e9, 8e-9, true};
  const Played quick = play(quick_shapes(), low, 470e9, 12);
  EXPECT_EQ(quick.measured, quick_shapes());
  EXPECT_GT(quick.shortest_timed_s, 1);
  EXPECT_LT(quick.took_s, 12);
  const Played one = play({square(2048)}, low, 230e9, 1.5);
  EXPECT_EQ(one.measured.size(), 1U);
  EXPECT_LT(one.took_s, 1.5);
}

TEST(TimePlan, AGuessThatIsTooHighStillEndsInTime) {
  const Pace high{0.1, 400e9, 8e-9, true};
  const Played slow = play({square(256), square(1024), square(4096)}, high, 40e9, 6);
  EXPECT_EQ(slow.measured, (std::vector<Shape>{square(256), square(1024)}));
  EXPECT_LT(slow.took_s, 6);
}

TEST(TimePlan, AMeasuredRateReplacesTheGuessAndWhatNothingExplainsIsTheStart) {
  Case c;
  c.flops = 2e9;
  c.first_call.load_s = Fact<double>(0.2, "clock");
  const Pace before{0.5, 1e10, 1e-6};
  const CaseTime foreseen{square(100), before, 1, 0};
  // 0.03 s for the elements, 4 ms for four products, 1 s measured.
  const Pace after = learn(before, c, foreseen, 3.034);
  EXPECT_EQ(after.flops, 2e9);
  EXPECT_FALSE(after.guessed);
  EXPECT_NEAR(after.start_s, 2, 1e-9);
  EXPECT_NEAR(learn(before, c, foreseen, 0.3).start_s, 0.25, 1e-9);
  c.first_call.load_s = Fact<double>::absent(Absence::not_tested, "");
  EXPECT_NEAR(learn(before, c, foreseen, 0.3).start_s, 0.55, 1e-9);
}

TEST(Sizes, TheStandardHoldsWhatASweepMustHave) {
  const auto shapes = standard_shapes();
  const auto has = [&](const Shape& s) { return std::ranges::find(shapes, s) != shapes.end(); };
  for (const std::int64_t side : {256, 512, 1024, 2048, 4096, 5000, 8192, 16384, 4095, 4097})
    EXPECT_TRUE(has(square(side))) << side;
  for (const std::int64_t rows : {1, 16, 64}) EXPECT_TRUE(has({rows, 8192, 8192})) << rows;
}

}  // namespace
}  // namespace gpuready::bench
