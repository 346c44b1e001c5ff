#pragma once
/// The inner loops of the check. They walk along rows and keep independent sums, so that they run
/// at the speed of memory.

#include <cstddef>
#include <vector>

#include "bench/backend.hpp"

namespace gpuready::bench {

/// A row-major matrix that belongs to somebody else.
struct MatrixView {
  const float* data = nullptr;
  std::size_t rows = 0, columns = 0;

  [[nodiscard]] const float* row(std::size_t i) const { return data + i * columns; }
};

/// A matrix times two vectors, and the squares of its rows' norms.
struct RightSums {
  std::vector<double> first, second, row_squares;
};
RightSums multiply_right(const MatrixView& matrix, const std::vector<double>& first,
                         const std::vector<double>& second);

/// A vector times a matrix, and the squares of its columns' norms.
struct LeftSums {
  std::vector<double> sums, column_squares;
};
LeftSums multiply_left(const std::vector<double>& vector, const MatrixView& matrix);

/// These rows of A * B in fp64, one after the other.
std::vector<double> exact_rows(const MatrixView& a, const MatrixView& b,
                               const std::vector<std::size_t>& rows);

std::int64_t count_non_finite(const Floats& values);

}  // namespace gpuready::bench
