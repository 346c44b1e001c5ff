#pragma once
/// Is the product right? Costs O(n^2) where the product cost O(n^3), and also tells in which
/// precision it was computed. Pure.

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/backend.hpp"

namespace gpuready::bench {

/// What a product of a type may be off by.
struct Tolerance {
  double frobenius = 0;  ///< relative Frobenius error
  double element = 0;    ///< error of one element over the root mean square of C
};

/// By the type of the accumulation and of the output; nothing for a type that is not offered.
std::optional<Tolerance> tolerance_of(const Dtype& dtype);

struct Check {
  Verification verification;
  /// First row and column that stand out from the others, where any does; otherwise the place of
  /// the worst element that was recomputed, where it is too far off.
  std::optional<std::int64_t> bad_row, bad_column;
  /// No row and no column stands out.
  bool same_everywhere = false;
};

/// Compares C with A * B: NaN and infinity are counted first; then Freivalds' test with two right
/// and one left vector of random signs in fp64, over the whole and for each row and column against
/// the median row; then some rows in fp64, element by element. `seed` chooses signs and rows.
Check verify(const Operands& operands, const Floats& c, const Tolerance& tolerance,
             std::uint64_t seed);

/// Whether the error is what rounding the inputs to TF32 or a 16-bit type gives, and not what a
/// wrong algorithm gives: too large for fp32, the same everywhere.
bool looks_like_reduced_precision(const Check& check);

}  // namespace gpuready::bench
