#pragma once
/// The kernel that shows whether a GPU computes: y[i] = a * x[i] + i. Every right result is a whole
/// number below 2^24, so it is exact, and a wrong one cannot hide in rounding.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpuready::probe::kernel {

/// The name and the PTX text of `gpuready_check(float* y, const float* x, float a, unsigned n)`.
inline constexpr const char* name = "gpuready_check";
const char* ptx();

/// The last block is only partly used, so that the kernel's bounds check is checked, too.
inline constexpr unsigned count = 1000, block = 256, blocks = 4;
/// Elements of the buffer for y: those past `count` must stay as they were.
inline constexpr unsigned room = block * blocks;
inline constexpr float scale = 3.0F;

std::vector<float> input();
/// `room` elements of NaN: what y holds before the kernel runs.
std::vector<float> poison();
/// The first element that is not what the kernel should have left; nothing where all are right.
std::optional<std::size_t> first_wrong(std::span<const float> y);

}  // namespace gpuready::probe::kernel
