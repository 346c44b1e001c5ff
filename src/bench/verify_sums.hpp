#pragma once
/// The inner loops of the check. They walk along rows and keep independent sums, so that they run
/// at the speed of memory.

#include <cstddef>
#include <vector>

#include "bench/backend.hpp"

namespace gpuready::bench {

/// A matrix times two vectors, and the squares of its rows' norms.
struct RightSums {
  std::vector<double> first, second, row_squares;
};
RightSums multiply_right(const Matrix& matrix, const std::vector<double>& first,
                         const std::vector<double>& second);

/// A vector times a matrix, and the squares of its columns' norms.
struct LeftSums {
  std::vector<double> sums, column_squares;
};
LeftSums multiply_left(const std::vector<double>& vector, const Matrix& matrix);

/// These rows of A * B in fp64, one after the other.
std::vector<double> exact_rows(const Matrix& a, const Matrix& b,
                               const std::vector<std::size_t>& rows);

}  // namespace gpuready::bench
