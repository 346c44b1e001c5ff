#pragma once
/// Products of column-major matrices, as the fake libraries compute them.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace gpuready::fakes {

/// A matrix as the caller stored it, and whether it is meant the other way round.
struct Stored {
  bool transposed = false;
  std::size_t rows = 0, columns = 0;  ///< of op(X)
  std::size_t stride = 0;

  [[nodiscard]] std::size_t stored_rows() const { return transposed ? columns : rows; }
  [[nodiscard]] std::size_t stored_columns() const { return transposed ? rows : columns; }
  /// Elements from the first to the last one.
  [[nodiscard]] std::size_t span() const {
    return stored_rows() == 0 || stored_columns() == 0
               ? 0
               : (stored_columns() - 1) * stride + stored_rows();
  }
};

/// op(X) without gaps, column by column; `at(i)` is the number at place i of the stored matrix.
template <class Number, class At>
std::vector<Number> pack(const Stored& x, const At& at) {
  std::vector<Number> packed(x.rows * x.columns);
  for (std::size_t j = 0; j < x.columns; ++j)
    for (std::size_t i = 0; i < x.rows; ++i)
      packed[i + j * x.rows] = at(x.transposed ? j + i * x.stride : i + j * x.stride);
  return packed;
}

struct Panel {
  std::size_t begin, end;
};

/// Adds alpha times columns `inner` of A times rows `inner` of B to rows `rows` of C.
template <class Number>
void add_panel(const std::vector<Number>& a, const std::vector<Number>& b, Number* c, std::size_t m,
               std::size_t n, std::size_t k, std::size_t c_stride, Number alpha, Panel rows,
               Panel inner) {
  for (std::size_t j = 0; j < n; ++j) {
    Number* const column = c + j * c_stride;
    for (std::size_t p = inner.begin; p < inner.end; ++p) {
      const Number factor = alpha * b[p + j * k];
      const Number* const from = a.data() + p * m;
      for (std::size_t i = rows.begin; i < rows.end; ++i) column[i] += factor * from[i];
    }
  }
}

/// C += alpha * A * B for packed A (m x k) and B (k x n).
template <class Number>
void add_product(const std::vector<Number>& a, const std::vector<Number>& b, Number* c,
                 std::size_t m, std::size_t n, std::size_t k, std::size_t c_stride, Number alpha) {
  constexpr std::size_t rows_at_once = 512, inner_at_once = 64;  // a panel of A stays in the cache
  for (std::size_t p = 0; p < k; p += inner_at_once)
    for (std::size_t i = 0; i < m; i += rows_at_once)
      add_panel(a, b, c, m, n, k, c_stride, alpha, {i, std::min(m, i + rows_at_once)},
                {p, std::min(k, p + inner_at_once)});
}

}  // namespace gpuready::fakes
