#include "bench/operands.hpp"
#include "bench/dtypes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace gpuready::bench {
namespace {

TEST(Operands, ValuesAreUniformBetweenMinusOneAndOne) {
  std::vector<float> values(200'000);
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
  std::vector<float> values(10'000);
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
  std::vector<float> few(5);
  std::vector<float> many(100);
  std::vector<float> other(100);
  fill_uniform(few, 7);
  fill_uniform(many, 7);
  fill_uniform(other, 8);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  EXPECT_NE(many, other);
}

TEST(Operands, BothMatricesHaveTheirSizeAndDiffer) {
  const Operands operands = make_operands({8, 6, 4}, Element::fp32, Fill::uniform, 1);
  EXPECT_EQ(operands.a.size(), 32U);
  EXPECT_EQ(operands.b.size(), 24U);
  EXPECT_FALSE(std::equal(operands.b.data.begin(), operands.b.data.end(), operands.a.data.begin()));
}

std::vector<double> numbers(const Matrix& matrix) {
  std::vector<double> values(matrix.size());
  decode(matrix.element, matrix.data.data(), matrix.size(), values.data());
  return values;
}

TEST(Operands, EveryTypeUsesItsRangeAndHoldsNothingThatIsTooLarge) {
  for (const std::string& name : dtype_names())
    for (const Fill fill : {Fill::uniform, Fill::normal}) {
      const DtypeRow& row = *find_dtype(name);
      const Matrix a = make_operands({128, 8, 128}, row.input, fill, 3).a;
      EXPECT_EQ(count_non_finite(a.element, a.data.data(), a.size()), 0) << name;
      const std::vector<double> values = numbers(a);
      const double largest = *std::ranges::max_element(values);
      const double smallest = *std::ranges::min_element(values);
      EXPECT_GT(largest, 0.9) << name;
      EXPECT_NEAR(largest / smallest, -1, 0.35) << name;
      if (row.input == Element::int8) {
        EXPECT_LE(largest, 127);
      }
      if (row.input == Element::fp8_e4m3) {
        EXPECT_LT(largest, 448);
      }
    }
}

TEST(Operands, ZerosAndOnesAreThat) {
  for (const double value : numbers(make_operands({8, 8, 8}, Element::bf16, Fill::zeros, 3).a))
    EXPECT_EQ(value, 0);
  for (const double value : numbers(make_operands({8, 8, 8}, Element::fp32, Fill::ones, 3).b))
    EXPECT_EQ(value, 1);
}

TEST(Operands, NamesOfFillsGoBothWays) {
  for (const std::string& name : fill_names()) EXPECT_TRUE(fill_named(name)) << name;
  EXPECT_FALSE(fill_named("random"));
}

}  // namespace
}  // namespace gpuready::bench
