#include "bench/memory_plan.hpp"

#include <algorithm>
#include <cmath>

namespace gpuready::bench {

namespace {

constexpr std::int64_t step = 8;

double matrix_bytes(std::int64_t rows, std::int64_t columns) {
  return static_cast<double>(sizeof(float)) * static_cast<double>(rows) *
         static_cast<double>(columns);
}

std::int64_t scaled(std::int64_t side, double factor) {
  const auto steps = static_cast<std::int64_t>(static_cast<double>(side) * factor / step);
  return std::max(steps * step, std::min(side, step));
}

Shape scaled(const Shape& shape, double factor) {
  return {scaled(shape.m, factor), scaled(shape.n, factor), scaled(shape.k, factor)};
}

}  // namespace

double bytes_of_a(const Shape& shape) { return matrix_bytes(shape.m, shape.k); }
double bytes_of_b(const Shape& shape) { return matrix_bytes(shape.k, shape.n); }
double bytes_of_c(const Shape& shape) { return matrix_bytes(shape.m, shape.n); }
double bytes_of_all(const Shape& shape) {
  return bytes_of_a(shape) + bytes_of_b(shape) + bytes_of_c(shape);
}

bool fits(const Shape& shape, const MemoryLimits& limits, double host_need) {
  const double largest = std::max({bytes_of_a(shape), bytes_of_b(shape), bytes_of_c(shape)});
  return bytes_of_all(shape) <= limits.device_bytes && largest <= limits.largest_matrix_bytes &&
         host_need <= limits.host_bytes;
}

std::optional<Shape> largest_that_fits(const Shape& wanted,
                                       const std::function<bool(const Shape&)>& acceptable) {
  if (acceptable(wanted)) return wanted;
  double good = 0;
  double bad = 1;
  if (!acceptable(scaled(wanted, good))) return {};
  // Each round halves the uncertainty; 40 rounds settle any side below 2^31.
  for (int round = 0; round < 40; ++round) {
    const double middle = (good + bad) / 2;
    (acceptable(scaled(wanted, middle)) ? good : bad) = middle;
  }
  return scaled(wanted, good);
}

}  // namespace gpuready::bench
