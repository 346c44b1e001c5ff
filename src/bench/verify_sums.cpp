#include "bench/verify_sums.hpp"

#include <array>

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

RowSums sum_row(const double* row, const double* x, const double* y, std::size_t n) {
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
void add_four(const std::array<double, 4>& weights, const std::array<const double*, 4>& rows,
              double* out, std::size_t n) {
  const auto [w0, w1, w2, w3] = weights;
  const auto [r0, r1, r2, r3] = rows;
  for (std::size_t j = 0; j < n; ++j)
    out[j] += (w0 * r0[j] + w1 * r1[j]) + (w2 * r2[j] + w3 * r3[j]);
}

void add_one(double weight, const double* row, double* out, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) out[j] += weight * row[j];
}

}  // namespace

RightSums multiply_right(const Matrix& matrix, const std::vector<double>& first,
                         const std::vector<double>& second) {
  RightSums result;
  std::vector<double> row(matrix.columns);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    matrix.read_row(i, row.data());
    const RowSums sums = sum_row(row.data(), first.data(), second.data(), matrix.columns);
    result.first.push_back(sums.first);
    result.second.push_back(sums.second);
    result.row_squares.push_back(sums.squares);
  }
  return result;
}

LeftSums multiply_left(const std::vector<double>& vector, const Matrix& matrix) {
  LeftSums result{std::vector<double>(matrix.columns), std::vector<double>(matrix.columns)};
  double* const sums = result.sums.data();
  double* const squares = result.column_squares.data();
  std::vector<double> row(matrix.columns);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    matrix.read_row(i, row.data());
    const double weight = vector[i];
    for (std::size_t j = 0; j < matrix.columns; ++j) {
      const double value = row[j];
      sums[j] += weight * value;
      squares[j] += value * value;
    }
  }
  return result;
}

std::vector<double> exact_rows(const Matrix& a, const Matrix& b,
                               const std::vector<std::size_t>& rows) {
  const std::size_t n = b.columns;
  std::vector<double> result(rows.size() * n);
  std::vector<double> weights(rows.size() * a.columns);
  for (std::size_t i = 0; i < rows.size(); ++i) a.read_row(rows[i], weights.data() + i * a.columns);
  std::vector<double> four(4 * n);
  double* const r = four.data();
  const std::size_t whole = b.rows - b.rows % 4;
  for (std::size_t k = 0; k < whole; k += 4) {
    decode(b.element, b.row(k), 4 * n, r);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double* const w = weights.data() + i * a.columns + k;
      add_four({w[0], w[1], w[2], w[3]}, {r, r + n, r + 2 * n, r + 3 * n}, result.data() + i * n,
               n);
    }
  }
  for (std::size_t k = whole; k < b.rows; ++k) {
    b.read_row(k, r);
    for (std::size_t i = 0; i < rows.size(); ++i)
      add_one(weights[i * a.columns + k], r, result.data() + i * n, n);
  }
  return result;
}

}  // namespace gpuready::bench
