#include "bench/operands.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace gpuready::bench {
namespace {

TEST(Operands, ValuesAreUniformBetweenMinusOneAndOne) {
  Floats values(200'000);
  fill_uniform(values, 7);
  double sum = 0;
  double squares = 0;
  for (const float value : values) {
    ASSERT_GE(value, -1.0F);
    ASSERT_LT(value, 1.0F);
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  const auto count = static_cast<double>(values.size());
  EXPECT_NEAR(sum / count, 0, 0.01);
  EXPECT_NEAR(squares / count, 1.0 / 3, 0.01);
}

TEST(Operands, EveryBitOfTheMantissaIsInUse) {
  Floats values(10'000);
  fill_uniform(values, 7);
  std::ranges::sort(values);
  // Hardly any value repeats, and the last bit is set in about half of the large ones.
  EXPECT_LT(values.end() - std::unique(values.begin(), values.end()), 10);
  const auto large = [](float v) { return std::abs(v) >= 0.5F; };
  const auto odd = [&](float v) { return large(v) && std::fmod(std::abs(v) * 0x1p24F, 2.0F) == 1; };
  const auto of_all = static_cast<double>(std::ranges::count_if(values, large));
  EXPECT_NEAR(static_cast<double>(std::ranges::count_if(values, odd)) / of_all, 0.5, 0.05);
}

TEST(Operands, AValueDependsOnSeedAndIndexAlone) {
  Floats few(5);
  Floats many(100);
  Floats other(100);
  fill_uniform(few, 7);
  fill_uniform(many, 7);
  fill_uniform(other, 8);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  EXPECT_NE(many, other);
}

TEST(Operands, BothMatricesHaveTheirSizeAndDiffer) {
  const Operands operands = make_operands({8, 6, 4}, 1);
  EXPECT_EQ(operands.a.size(), 32U);
  EXPECT_EQ(operands.b.size(), 24U);
  EXPECT_FALSE(std::equal(operands.b.begin(), operands.b.end(), operands.a.begin()));
}

}  // namespace
}  // namespace gpuready::bench
