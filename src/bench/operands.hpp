#pragma once
/// The matrices that are multiplied.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/backend.hpp"

namespace gpuready::bench {

/// Uniform in [-1, 1) with every bit of the mantissa in use: constants and small integers draw less
/// power and so flatter a GPU. Each value depends on the seed and its own index alone.
void fill_uniform(std::span<float> values, std::uint64_t seed);

/// What stands in A and B. Anything but uniform is an experiment: zeros draw less power, and so
/// make a GPU faster than it is at work.
enum class Fill { uniform, normal, zeros, ones };
std::optional<Fill> fill_named(std::string_view name);
std::vector<std::string> fill_names();

/// A and B for this shape, each number rounded once to how it is stored (fp8: scaled so that none
/// is too large; int8: -127 to 127). Throws std::bad_alloc.
Operands make_operands(const Shape& shape, Element stored, Fill fill, std::uint64_t seed);

}  // namespace gpuready::bench
