#include "bench/verify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "bench/operands.hpp"
#include "bench/verify_sums.hpp"
#include "tests/bench/scripted_backend.hpp"

namespace gpuready::bench {
namespace {

using testing::plain_product;

const Shape square{256, 256, 256};

Check check(const Operands& operands, const Matrix& c) {
  return verify(operands, c, find_dtype("fp32")->tolerance, 5);
}

struct Product {
  Operands operands;
  Matrix c;
};

Product product_of(const Shape& shape, std::uint64_t seed = 3) {
  Product product{make_operands(shape, Element::fp32, Fill::uniform, seed), {}};
  product.c = plain_product(product.operands);
  return product;
}

/// The error in fp64, over everything: the slow truth that the quick test estimates.
double true_error(const Operands& x, const Matrix& c) {
  const auto n = static_cast<std::size_t>(x.shape.n);
  const auto k = static_cast<std::size_t>(x.shape.k);
  double error = 0;
  double size = 0;
  for (std::size_t i = 0; i < c.size() / n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double right = 0;
      for (std::size_t p = 0; p < k; ++p)
        right += static_cast<double>(x.a.as<float>()[i * k + p]) *
                 static_cast<double>(x.b.as<float>()[p * n + j]);
      const double difference = c.as<float>()[i * n + j] - right;
      error += difference * difference;
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

/// A single row's errors have longer tails than sums of many: two libraries' right products of
/// 1 x 8192 x 8192 were refused.
TEST(Verify, ARowWithOneElementThatIsLessExactPassesAndAWrongOneFails) {
  for (const Shape& shape : {Shape{1, 2048, 256}, Shape{16, 2048, 64}}) {
    Product product = product_of(shape);
    const double size = std::sqrt(static_cast<double>(shape.k)) / 3;
    const float right = product.c.as<float>()[1011];
    product.c.as<float>()[1011] = right + static_cast<float>(2e-5 * size);
    EXPECT_TRUE(check(product.operands, product.c).verification.passed);
    product.c.as<float>()[1011] = right + static_cast<float>(1e-3 * size);
    const Check found = check(product.operands, product.c);
    EXPECT_FALSE(found.verification.passed);
    EXPECT_EQ(found.bad_column, 1011);
  }
}

TEST(Verify, OneWrongElementFailsWhereverItIs) {
  const Product product = product_of(square);
  for (const std::size_t place : {0U, 255U, 31415U, 65535U}) {
    Matrix c = product.c;
    c.as<float>()[place] += 0.01F;  // a thousandth of the root mean square
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
    Matrix c = product.c;
    c.as<float>()[31415] = bad;
    const Check found = check(product.operands, c);
    EXPECT_FALSE(found.verification.passed);
    EXPECT_EQ(found.verification.non_finite, 1);
  }
}

TEST(Verify, NothingButNanFails) {
  const Product product = product_of(square);
  Matrix c = product.c;
  std::fill_n(c.as<float>(), c.size(), std::nanf(""));
  EXPECT_EQ(check(product.operands, c).verification.non_finite, 65536);
  EXPECT_FALSE(check(product.operands, c).verification.passed);
}

TEST(Verify, AHugeFiniteElementFails) {
  Product product = product_of(square);
  product.c.as<float>()[31415] = std::numeric_limits<float>::max();
  EXPECT_FALSE(check(product.operands, product.c).verification.passed);
}

TEST(Verify, TwoSwappedRowsFail) {
  Product product = product_of(square);
  float* const c = product.c.as<float>();
  std::swap_ranges(c + 256, c + 512, c + 40 * 256);
  const Check found = check(product.operands, product.c);
  EXPECT_FALSE(found.verification.passed);
  EXPECT_EQ(found.bad_row, 1);
}

TEST(Verify, ATransposedProductFails) {
  const Product product = product_of(square);
  Matrix c(Element::fp32, 256, 256);
  for (std::size_t i = 0; i < 256; ++i)
    for (std::size_t j = 0; j < 256; ++j)
      c.as<float>()[j * 256 + i] = product.c.as<float>()[i * 256 + j];
  const Check found = check(product.operands, c);
  EXPECT_FALSE(found.verification.passed);
  EXPECT_GT(found.verification.error, 1);
}

TEST(Verify, AllZerosFail) {
  const Product product = product_of(square);
  const Check found = check(product.operands, Matrix(Element::fp32, 256, 256));
  EXPECT_FALSE(found.verification.passed);
  EXPECT_NEAR(found.verification.error, 1, 0.1);
}

TEST(Verify, AProductThatLacksTheLastTermOfTheSumFails) {
  const Product product = product_of(square);
  Operands shorter = product.operands;
  for (std::size_t i = 0; i < 256; ++i) shorter.a.as<float>()[i * 256 + 255] = 0;
  EXPECT_FALSE(check(product.operands, plain_product(shorter)).verification.passed);
}

TEST(Verify, ASingleNumberThatIsWrongFails) {
  Product product = product_of({1, 1, 100});
  product.c.as<float>()[0] += 0.01F;
  EXPECT_FALSE(check(product.operands, product.c).verification.passed);
}

TEST(Verify, InputsRoundedToTf32FailAndAreRecognised) {
  const Product product = product_of(square);
  Operands rounded = product.operands;
  for (Matrix* matrix : {&rounded.a, &rounded.b})
    std::transform(matrix->as<float>(), matrix->as<float>() + matrix->size(), matrix->as<float>(),
                   to_tf32);
  const Check found = check(product.operands, plain_product(rounded));
  EXPECT_FALSE(found.verification.passed);
  EXPECT_NEAR(found.verification.error, 2.8e-4, 0.3e-4);
  EXPECT_TRUE(looks_like_reduced_precision(found));
}

TEST(Verify, AProductOfZerosIsZeroAndNothingElse) {
  Product product{make_operands(square, Element::fp32, Fill::zeros, 1), {}};
  product.c = plain_product(product.operands);
  EXPECT_TRUE(check(product.operands, product.c).verification.passed);
  product.c.as<float>()[31415] = 1e-30F;
  EXPECT_FALSE(check(product.operands, product.c).verification.passed);
}

/// The product in fp64, each element rounded once to the output's type.
Matrix rounded_product(const Operands& x, Element output) {
  Matrix c(output, x.a.rows, x.b.columns);
  std::vector<std::size_t> rows(x.a.rows);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  encode(output, exact_rows(x.a, x.b, rows).data(), c.size(), c.data.data());
  return c;
}

TEST(Verify, RightProductsOfEveryTypePassAndAWrongElementFails) {
  for (const std::string& name : dtype_names()) {
    const DtypeRow& row = *find_dtype(name);
    const Operands x = make_operands({96, 80, 300}, row.input, Fill::uniform, 4);
    Matrix c = rounded_product(x, row.output);
    const Check right = verify(x, c, row.tolerance, 5);
    EXPECT_TRUE(right.verification.passed) << name << " " << right.verification.error;
    double element = 0;
    decode(row.output, c.row(40), 1, &element);
    element += 12 * std::sqrt(300.0) * (row.input == Element::int8 ? 127 * 127 : 256);
    if (row.input != Element::int8 && row.input != Element::fp8_e4m3) element = 100;
    encode(row.output, &element, 1, c.data.data() + 40 * 80 * size_of(row.output));
    EXPECT_FALSE(verify(x, c, row.tolerance, 5).verification.passed) << name;
  }
}

TEST(Verify, AnIntegerThatIsOffByOneFails) {
  const Operands x = make_operands({96, 80, 300}, Element::int8, Fill::uniform, 4);
  Matrix c = rounded_product(x, Element::int32);
  const Tolerance exact = find_dtype("int8")->tolerance;
  EXPECT_EQ(verify(x, c, exact, 5).verification.fingerprint, "exact");
  c.as<std::int32_t>()[4000] += 1;
  EXPECT_FALSE(verify(x, c, exact, 5).verification.passed);
}

TEST(Verify, TheErrorPointsToTheTypes) {
  EXPECT_EQ(fingerprint(0), "exact");
  EXPECT_EQ(fingerprint(3e-15), "fp64");
  EXPECT_EQ(fingerprint(1.1e-6), "fp32");
  EXPECT_EQ(fingerprint(2.8e-4), "tf32 or fp16");
  EXPECT_EQ(fingerprint(2.3e-3), "bf16");
  EXPECT_EQ(fingerprint(3.5e-2), "fp8");
  EXPECT_EQ(fingerprint(0.7), "none");
}

}  // namespace
}  // namespace gpuready::bench
