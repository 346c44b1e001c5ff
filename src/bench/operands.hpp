#pragma once
/// The matrices that are multiplied.

#include <cstdint>
#include <span>

#include "bench/backend.hpp"

namespace gpuready::bench {

/// Uniform in [-1, 1) with every bit of the mantissa in use: constants and small integers draw less
/// power and so flatter a GPU. Each value depends on the seed and its own index alone.
void fill_uniform(std::span<float> values, std::uint64_t seed);

/// A and B for this shape; throws std::bad_alloc.
Operands make_operands(const Shape& shape, std::uint64_t seed);

}  // namespace gpuready::bench
