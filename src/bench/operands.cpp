#include "bench/operands.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace gpuready::bench {

namespace {

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014), as a
/// function of the counter.
std::uint64_t mix(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t z = seed + (counter + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

float to_uniform(std::uint32_t bits) {
  constexpr float largest_below_one = 0x1.fffffep-1F;
  const auto whole = static_cast<float>(static_cast<std::int32_t>(bits));
  return std::min(whole * 0x1p-31F, largest_below_one);
}

struct FillName {
  std::string_view name;
  Fill fill;
};
constexpr std::array fills{FillName{"uniform", Fill::uniform}, FillName{"normal", Fill::normal},
                           FillName{"zeros", Fill::zeros}, FillName{"ones", Fill::ones}};

/// By pairs of uniform numbers (Box and Muller, 1958).
void make_normal(std::span<float> values) {
  constexpr double two_pi = 6.283185307179586;
  for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
    const double radius = std::sqrt(-2 * std::log((1.0 - values[i]) / 2));
    const double angle = two_pi * values[i + 1];
    values[i] = static_cast<float>(radius * std::cos(angle));
    values[i + 1] = static_cast<float>(radius * std::sin(angle));
  }
}

/// What a number of the size 1 becomes: integers use their range, where normal numbers need room
/// above; fp8 is as fine at 16 as at any other size, and 448 is far from there.
double scale_of(Element stored, Fill fill) {
  if (stored == Element::int8) return fill == Fill::normal ? 32 : 127;
  return stored == Element::fp8_e4m3 ? 16 : 1;
}

void fill_floats(std::span<float> values, Fill fill, std::uint64_t seed) {
  if (fill == Fill::zeros || fill == Fill::ones) {
    std::ranges::fill(values, fill == Fill::ones ? 1.0F : 0.0F);
    return;
  }
  fill_uniform(values, seed);
  if (fill == Fill::normal) make_normal(values);
}

/// Values of fp32 in place; others by pieces that stay in the cache, fp64 with a second number in
/// the bits that the first leaves empty.
Matrix make_matrix(Element stored, std::size_t rows, std::size_t columns, Fill fill,
                   std::uint64_t seed) {
  Matrix matrix(stored, rows, columns);
  if (stored == Element::fp32) {
    fill_floats({matrix.as<float>(), matrix.size()}, fill, seed);
    return matrix;
  }
  constexpr std::size_t piece = 4096;
  std::array<float, piece> floats{};
  std::array<float, piece> low{};
  std::array<double, piece> doubles{};
  const double scale = scale_of(stored, fill);
  const bool fine = stored == Element::fp64 && (fill == Fill::uniform || fill == Fill::normal);
  for (std::size_t done = 0; done < matrix.size(); done += piece) {
    const std::size_t now = std::min(piece, matrix.size() - done);
    fill_floats({floats.data(), now}, fill, mix(seed, done));
    if (fine) fill_floats({low.data(), now}, fill, mix(~seed, done));
    for (std::size_t i = 0; i < now; ++i)
      doubles[i] = scale * floats[i] + 0x1p-25 * static_cast<double>(low[i]);
    encode(stored, doubles.data(), now, matrix.data.data() + done * size_of(stored));
  }
  return matrix;
}

}  // namespace

void fill_uniform(std::span<float> values, std::uint64_t seed) {
  for (std::size_t pair = 0; pair < values.size() / 2; ++pair) {
    const std::uint64_t bits = mix(seed, pair);
    values[2 * pair] = to_uniform(static_cast<std::uint32_t>(bits));
    values[2 * pair + 1] = to_uniform(static_cast<std::uint32_t>(bits >> 32U));
  }
  if (values.size() % 2 != 0)
    values.back() = to_uniform(static_cast<std::uint32_t>(mix(seed, values.size() / 2)));
}

std::optional<Fill> fill_named(std::string_view name) {
  const auto* row = std::ranges::find(fills, name, &FillName::name);
  return row == fills.end() ? std::nullopt : std::optional<Fill>(row->fill);
}

std::vector<std::string> fill_names() {
  std::vector<std::string> names;
  for (const FillName& row : fills) names.emplace_back(row.name);
  return names;
}

Operands make_operands(const Shape& shape, Element stored, Fill fill, std::uint64_t seed) {
  const auto m = static_cast<std::size_t>(shape.m);
  const auto n = static_cast<std::size_t>(shape.n);
  const auto k = static_cast<std::size_t>(shape.k);
  return {shape, make_matrix(stored, m, k, fill, mix(seed, 0)),
          make_matrix(stored, k, n, fill, mix(seed, 1))};
}

}  // namespace gpuready::bench
