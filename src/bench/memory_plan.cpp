#include "bench/memory_plan.hpp"

#include <algorithm>
#include <cmath>

namespace gpuready::bench {

namespace {

constexpr std::int64_t step = 8;

double matrix_bytes(std::int64_t rows, std::int64_t columns, Element element) {
  return static_cast<double>(size_of(element)) * static_cast<double>(rows) *
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

double bytes_of_a(const Shape& shape, const Storage& storage) {
  return matrix_bytes(shape.m, shape.k, storage.input);
}
double bytes_of_b(const Shape& shape, const Storage& storage) {
  return matrix_bytes(shape.k, shape.n, storage.input);
}
double bytes_of_c(const Shape& shape, const Storage& storage) {
  return matrix_bytes(shape.m, shape.n, storage.output);
}
double bytes_of_all(const Shape& shape, const Storage& storage) {
  return bytes_of_a(shape, storage) + bytes_of_b(shape, storage) + bytes_of_c(shape, storage);
}

bool fits(const Shape& shape, const MemoryLimits& limits, double host_need,
          const Storage& storage) {
  const double largest = std::max(
      {bytes_of_a(shape, storage), bytes_of_b(shape, storage), bytes_of_c(shape, storage)});
  return bytes_of_all(shape, storage) <= limits.device_bytes &&
         largest <= limits.largest_matrix_bytes && host_need <= limits.host_bytes;
}

std::int64_t wanted_sets(const Shape& shape, const Storage& storage, double cache_bytes,
                         std::int64_t fewest) {
  if (cache_bytes <= 0) return 1;
  constexpr double most = 4096;
  const double inputs = bytes_of_a(shape, storage) + bytes_of_b(shape, storage);
  return static_cast<std::int64_t>(
      std::clamp(std::ceil(2 * cache_bytes / inputs), static_cast<double>(fewest), most));
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
