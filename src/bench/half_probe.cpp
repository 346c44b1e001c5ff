#include "bench/half_probe.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "bench/operands.hpp"

namespace gpuready::bench {

namespace {

constexpr std::size_t rows = 16, columns = 16;

/// The number as it comes back from storage.
double stored_as(Element element, double value) {
  std::array<std::byte, 8> bytes{};
  encode(element, &value, 1, bytes.data());
  double back = 0;
  decode(element, bytes.data(), 1, &back);
  return back;
}

std::vector<double> stored_as(Element element, const std::vector<double>& values) {
  std::vector<double> out;
  out.reserve(values.size());
  for (const double value : values) out.push_back(stored_as(element, value));
  return out;
}

/// Numbers from `low` to `high`, each an fp32 number.
std::vector<double> uniform(std::size_t count, double low, double high, std::uint64_t seed) {
  std::vector<float> values(count);
  fill_uniform(values, seed);
  std::vector<double> out;
  out.reserve(count);
  for (const float value : values)
    out.push_back(static_cast<float>(low + (static_cast<double>(value) + 1) / 2 * (high - low)));
  return out;
}

/// Rows of A times columns of B (which lie one after another, too), summed in fp64.
std::vector<double> products(const std::vector<double>& a, const std::vector<double>& b,
                             std::size_t terms) {
  std::vector<double> out;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < terms; ++k) sum += a[i * terms + k] * b[j * terms + k];
      out.push_back(sum);
    }
  return out;
}

double relative_error(const std::vector<double>& found, const std::vector<double>& right) {
  double off = 0, size = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    off += (found[i] - right[i]) * (found[i] - right[i]);
    size += right[i] * right[i];
  }
  return std::sqrt(off / size);
}

}  // namespace

HalfProbe probe_half(Element stored, std::int64_t terms, std::uint64_t seed) {
  const auto length = static_cast<std::size_t>(terms);
  const auto a = uniform(rows * length, -1, 1, seed),
             b = uniform(columns * length, -1, 1, seed + 1);
  HalfProbe probe;
  probe.bytes_per_number = static_cast<double>(size_of(stored));
  probe.error = relative_error(
      stored_as(stored, products(stored_as(stored, a), stored_as(stored, b), length)),
      products(a, b, length));
  const auto large = products(uniform(rows * length, 0, 10, seed + 2),
                              uniform(columns * length, 0, 10, seed + 3), length);
  probe.products = static_cast<std::int64_t>(large.size());
  for (const double value : large) {
    probe.largest_mean += value / static_cast<double>(large.size());
    if (std::isinf(stored_as(stored, value))) ++probe.overflowed;
  }
  constexpr double tiny = 2e-8;
  probe.tiny_becomes_zero = stored_as(stored, tiny) == 0;
  return probe;
}

}  // namespace gpuready::bench
