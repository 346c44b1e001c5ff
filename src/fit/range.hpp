#pragma once
/// Arithmetic of Range. Sizes from files are hostile: everything is counted in double, which is
/// exact to 2^53 bytes, and cut off far above any memory.

#include <algorithm>
#include <cmath>

#include "gpuready/fit.hpp"

namespace gpuready::fit {

constexpr double kibibyte = 1024.0, mebibyte = 1048576.0, gibibyte = 1073741824.0;

/// Whole bytes; 2^60 stands for all that is more (or no number).
inline std::int64_t whole_bytes(double bytes) {
  constexpr double most = 1152921504606846976.0;
  if (!(bytes < most)) return std::int64_t{1} << 60U;
  return static_cast<std::int64_t>(std::llround(std::max(bytes, 0.0)));
}

inline Range between(double low, double expected, double high) {
  return {whole_bytes(low), whole_bytes(expected), whole_bytes(high)};
}

inline Range exactly(double bytes) { return between(bytes, bytes, bytes); }

inline Range operator+(const Range& a, const Range& b) {
  const auto sum = [](std::int64_t x, std::int64_t y) {
    return whole_bytes(static_cast<double>(x) + static_cast<double>(y));
  };
  return {sum(a.low_bytes, b.low_bytes), sum(a.expected_bytes, b.expected_bytes),
          sum(a.high_bytes, b.high_bytes)};
}

inline Range times(const Range& range, double factor) {
  return between(static_cast<double>(range.low_bytes) * factor,
                 static_cast<double>(range.expected_bytes) * factor,
                 static_cast<double>(range.high_bytes) * factor);
}

/// The next multiple of `step`.
inline double padded(double value, double step) { return std::ceil(value / step) * step; }

}  // namespace gpuready::fit
