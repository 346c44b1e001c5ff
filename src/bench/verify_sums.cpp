#include "bench/verify_sums.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace gpuready::bench {

namespace {

/// Independent sums that a compiler can keep in vector registers.
constexpr std::size_t lanes = 8;
using Lanes = std::array<double, lanes>;

double total(const Lanes& sums) {
  double all = 0;
  for (const double sum : sums) all += sum;
  return all;
}

struct RowSums {
  double first = 0, second = 0, squares = 0;
};

RowSums sum_row(const float* row, const double* x, const double* y, std::size_t n) {
  Lanes first{};
  Lanes second{};
  Lanes squares{};
  const auto add = [&](std::size_t lane, std::size_t j) {
    const double value = row[j];
    first[lane] += value * x[j];
    second[lane] += value * y[j];
    squares[lane] += value * value;
  };
  const std::size_t whole = n - n % lanes;
  for (std::size_t j = 0; j < whole; j += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) add(lane, j + lane);
  for (std::size_t j = whole; j < n; ++j) add(j - whole, j);
  return {total(first), total(second), total(squares)};
}

/// Adds four scaled rows of B to a row of the result in one pass.
void add_four(const std::array<double, 4>& weights, const std::array<const float*, 4>& rows,
              double* out, std::size_t n) {
  const auto [w0, w1, w2, w3] = weights;
  const auto [r0, r1, r2, r3] = rows;
  for (std::size_t j = 0; j < n; ++j)
    out[j] += (w0 * static_cast<double>(r0[j]) + w1 * static_cast<double>(r1[j])) +
              (w2 * static_cast<double>(r2[j]) + w3 * static_cast<double>(r3[j]));
}

void add_one(double weight, const float* row, double* out, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) out[j] += weight * static_cast<double>(row[j]);
}

}  // namespace

RightSums multiply_right(const MatrixView& matrix, const std::vector<double>& first,
                         const std::vector<double>& second) {
  RightSums result;
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    const RowSums sums = sum_row(matrix.row(i), first.data(), second.data(), matrix.columns);
    result.first.push_back(sums.first);
    result.second.push_back(sums.second);
    result.row_squares.push_back(sums.squares);
  }
  return result;
}

LeftSums multiply_left(const std::vector<double>& vector, const MatrixView& matrix) {
  LeftSums result{std::vector<double>(matrix.columns), std::vector<double>(matrix.columns)};
  double* const sums = result.sums.data();
  double* const squares = result.column_squares.data();
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    const float* const row = matrix.row(i);
    const double weight = vector[i];
    for (std::size_t j = 0; j < matrix.columns; ++j) {
      const double value = row[j];
      sums[j] += weight * value;
      squares[j] += value * value;
    }
  }
  return result;
}

std::vector<double> exact_rows(const MatrixView& a, const MatrixView& b,
                               const std::vector<std::size_t>& rows) {
  const std::size_t n = b.columns;
  std::vector<double> result(rows.size() * n);
  const std::size_t whole = b.rows - b.rows % 4;
  for (std::size_t k = 0; k < whole; k += 4)
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const float* const w = a.row(rows[i]) + k;
      add_four({w[0], w[1], w[2], w[3]}, {b.row(k), b.row(k + 1), b.row(k + 2), b.row(k + 3)},
               result.data() + i * n, n);
    }
  for (std::size_t k = whole; k < b.rows; ++k)
    for (std::size_t i = 0; i < rows.size(); ++i)
      add_one(a.row(rows[i])[k], b.row(k), result.data() + i * n, n);
  return result;
}

std::int64_t count_non_finite(const Floats& values) {
  // By the bits, so that no compiler flag about NaN can take the test away.
  constexpr std::uint32_t exponent = 0x7F800000U;
  std::int64_t count = 0;
  for (const float value : values)
    count += (std::bit_cast<std::uint32_t>(value) & exponent) == exponent ? 1 : 0;
  return count;
}

}  // namespace gpuready::bench
