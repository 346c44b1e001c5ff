#include "bench/time_plan.hpp"

#include <gtest/gtest.h>

#include "bench/sizes.hpp"

namespace gpuready::bench {
namespace {

TEST(TimePlan, StartMatricesProductsAndTimedSectionAddUp) {
  const Pace pace{0.5, 1e9, 1e-6};
  EXPECT_NEAR(predicted_s({square(100), pace, 2}), 0.5 + 3e4 * 1e-6 + 4 * 2e6 / 1e9 + 2, 1e-9);
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

TEST(TimePlan, TheTimedSectionsShareWhatTheProductsLeave) {
  EXPECT_NEAR(timed_share_s(20, 10, 5, 6), 2, 1e-9);
  EXPECT_NEAR(timed_share_s(100, 10, 5, 6), 6, 1e-9);
  EXPECT_NEAR(timed_share_s(5, 10, 5, 6), 0.05, 1e-9);
}

TEST(TimePlan, AMeasuredRateReplacesTheGuessAndWhatNothingExplainsIsTheStart) {
  Case c;
  c.flops = 2e9;
  const Pace before{0.5, 1e10, 1e-6};
  const CaseTime foreseen{square(100), before, 1};
  // 0.03 s for the elements, 4 ms for four products, 1 s measured.
  const Pace after = learn(before, c, foreseen, 3.034);
  EXPECT_EQ(after.flops, 2e9);
  EXPECT_NEAR(after.start_s, 2, 1e-9);
  EXPECT_NEAR(learn(before, c, foreseen, 0.2).start_s, 0.5, 1e-9);
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
