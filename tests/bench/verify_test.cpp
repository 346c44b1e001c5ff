#include "bench/verify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "bench/operands.hpp"
#include "tests/bench/scripted_backend.hpp"

namespace gpuready::bench {
namespace {

using testing::plain_product;

const Shape square{256, 256, 256};

Check check(const Operands& operands, const Floats& c) {
  return verify(operands, c, *tolerance_of(Dtype{}), 5);
}

struct Product {
  Operands operands;
  Floats c;
};

Product product_of(const Shape& shape, std::uint64_t seed = 3) {
  Product product{make_operands(shape, seed), {}};
  product.c = plain_product(product.operands);
  return product;
}

/// The error in fp64, over everything: the slow truth that the quick test estimates.
double true_error(const Operands& x, const Floats& c) {
  const auto n = static_cast<std::size_t>(x.shape.n);
  const auto k = static_cast<std::size_t>(x.shape.k);
  double error = 0;
  double size = 0;
  for (std::size_t i = 0; i < c.size() / n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double right = 0;
      for (std::size_t p = 0; p < k; ++p)
        right += static_cast<double>(x.a[i * k + p]) * static_cast<double>(x.b[p * n + j]);
      error += (c[i * n + j] - right) * (c[i * n + j] - right);
      size += right * right;
    }
  return std::sqrt(error / size);
}

/// Ten bits of mantissa, as Tensor Cores read fp32 in TF32 mode.
float to_tf32(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits + 0x1000U) & 0xFFFFE000U);
}

TEST(Verify, ARightProductPassesAndItsErrorIsEstimated) {
  const Product product = product_of(square);
  const Check found = check(product.operands, product.c);
  EXPECT_TRUE(found.verification.passed);
  EXPECT_EQ(found.verification.non_finite, 0);
  EXPECT_GE(found.verification.rows_checked, 12);
  const double truth = true_error(product.operands, product.c);
  EXPECT_NEAR(found.verification.error / truth, 1, 0.15);
  EXPECT_FALSE(found.bad_row);
  EXPECT_FALSE(found.bad_column);
}

TEST(Verify, RightProductsOfEveryShapePass) {
  for (const Shape& shape :
       {Shape{1, 1, 1}, Shape{1, 1, 4096}, Shape{2, 2, 2}, Shape{3, 5, 7}, Shape{1, 300, 64},
        Shape{300, 1, 64}, Shape{300, 200, 1}, Shape{64, 65, 2048}, Shape{130, 70, 33}})
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const Product product = product_of(shape, seed);
      const Check found = check(product.operands, product.c);
      EXPECT_TRUE(found.verification.passed)
          << shape.m << "x" << shape.n << "x" << shape.k << " seed " << seed << ": error "
          << found.verification.error << ", worst " << found.verification.worst_element_error
          << ", row " << found.bad_row.value_or(-1) << ", column " << found.bad_column.value_or(-1);
    }
}

TEST(Verify, OneWrongElementFailsWhereverItIs) {
  const Product product = product_of(square);
  for (const std::size_t place : {0U, 255U, 31415U, 65535U}) {
    Floats c = product.c;
    c[place] += 0.01F;  // a thousandth of the root mean square
    const Check found = check(product.operands, c);
    EXPECT_FALSE(found.verification.passed) << place;
    EXPECT_EQ(found.bad_row, static_cast<std::int64_t>(place / 256)) << place;
    EXPECT_EQ(found.bad_column, static_cast<std::int64_t>(place % 256)) << place;
    EXPECT_FALSE(looks_like_reduced_precision(found));
  }
}

TEST(Verify, ASingleNanOrInfinityFails) {
  const Product product = product_of(square);
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    Floats c = product.c;
    c[31415] = bad;
    const Check found = check(product.operands, c);
    EXPECT_FALSE(found.verification.passed);
    EXPECT_EQ(found.verification.non_finite, 1);
  }
}

TEST(Verify, NothingButNanFails) {
  const Product product = product_of(square);
  const Floats c(product.c.size(), std::nanf(""));
  EXPECT_EQ(check(product.operands, c).verification.non_finite, 65536);
  EXPECT_FALSE(check(product.operands, c).verification.passed);
}

TEST(Verify, AHugeFiniteElementFails) {
  Product product = product_of(square);
  product.c[31415] = std::numeric_limits<float>::max();
  EXPECT_FALSE(check(product.operands, product.c).verification.passed);
}

TEST(Verify, TwoSwappedRowsFail) {
  Product product = product_of(square);
  std::swap_ranges(product.c.begin() + 256, product.c.begin() + 512, product.c.begin() + 40 * 256);
  const Check found = check(product.operands, product.c);
  EXPECT_FALSE(found.verification.passed);
  EXPECT_EQ(found.bad_row, 1);
}

TEST(Verify, ATransposedProductFails) {
  const Product product = product_of(square);
  Floats c(product.c.size());
  for (std::size_t i = 0; i < 256; ++i)
    for (std::size_t j = 0; j < 256; ++j) c[j * 256 + i] = product.c[i * 256 + j];
  const Check found = check(product.operands, c);
  EXPECT_FALSE(found.verification.passed);
  EXPECT_GT(found.verification.error, 1);
}

TEST(Verify, AllZerosFail) {
  const Product product = product_of(square);
  const Check found = check(product.operands, Floats(product.c.size()));
  EXPECT_FALSE(found.verification.passed);
  EXPECT_NEAR(found.verification.error, 1, 0.1);
}

TEST(Verify, AProductThatLacksTheLastTermOfTheSumFails) {
  const Product product = product_of(square);
  Operands shorter = product.operands;
  for (std::size_t i = 0; i < 256; ++i) shorter.a[i * 256 + 255] = 0;
  EXPECT_FALSE(check(product.operands, plain_product(shorter)).verification.passed);
}

TEST(Verify, ASingleNumberThatIsWrongFails) {
  Product product = product_of({1, 1, 100});
  product.c[0] += 0.01F;
  EXPECT_FALSE(check(product.operands, product.c).verification.passed);
}

TEST(Verify, InputsRoundedToTf32FailAndAreRecognised) {
  const Product product = product_of(square);
  Operands rounded = product.operands;
  std::ranges::transform(rounded.a, rounded.a.begin(), to_tf32);
  std::ranges::transform(rounded.b, rounded.b.begin(), to_tf32);
  const Check found = check(product.operands, plain_product(rounded));
  EXPECT_FALSE(found.verification.passed);
  EXPECT_NEAR(found.verification.error, 2.8e-4, 0.3e-4);
  EXPECT_TRUE(looks_like_reduced_precision(found));
}

TEST(Verify, ATypeThatIsNotOfferedHasNoTolerance) {
  EXPECT_TRUE(tolerance_of(Dtype{}));
  EXPECT_FALSE(tolerance_of(Dtype{"fp4", "fp4", "fp4", "fp4"}));
}

}  // namespace
}  // namespace gpuready::bench
