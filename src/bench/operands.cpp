#include "bench/operands.hpp"

#include <algorithm>
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

Operands make_operands(const Shape& shape, std::uint64_t seed) {
  Operands operands;
  operands.shape = shape;
  operands.a.resize(static_cast<std::size_t>(shape.m) * static_cast<std::size_t>(shape.k));
  operands.b.resize(static_cast<std::size_t>(shape.k) * static_cast<std::size_t>(shape.n));
  fill_uniform(operands.a, mix(seed, 0));
  fill_uniform(operands.b, mix(seed, 1));
  return operands;
}

}  // namespace gpuready::bench
