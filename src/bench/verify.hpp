#pragma once
/// Is the product right? Costs O(n^2) where the product cost O(n^3), and also tells in which
/// precision it was computed. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/backend.hpp"

namespace gpuready::bench {

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
Check verify(const Operands& operands, const Matrix& c, const Tolerance& tolerance,
             std::uint64_t seed);

/// The types that an error of this size points to: "fp64", "fp32", "tf32 or fp16", "bf16", "fp8",
/// or "none" where it is larger than any rounding makes it. (The error of the products of integers
/// is 0, and so "exact".)
std::string fingerprint(double error);

/// Whether the error is what rounding the inputs to TF32 or a 16-bit type gives, and not what a
/// wrong algorithm gives: too large for fp32, the same everywhere.
bool looks_like_reduced_precision(const Check& check);

}  // namespace gpuready::bench
