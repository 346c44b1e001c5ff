#pragma once
/// CPU against GPU from measured cases. Pure.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpuready/bench.hpp"

namespace gpuready::bench {

/// Every size and type that was measured on the CPU and on the GPU (cuda before opencl; OpenCL on a
/// CPU never counts): the fastest CPU case against the GPU's, never across types. The figures on
/// top are those of fp32 where it was measured, and of its largest square. Cold starts that were
/// repeated count with their interval; else the one of the case.
Speedups compare_cpu_gpu(const std::vector<Case>& cases,
                         const std::vector<FirstUse>& first_uses = {});

/// Ratios CPU over GPU by the side of a square product, ascending. Where the last ones reach 1, the
/// side at which they begin to, interpolated on logarithmic scales; absent where none does, or
/// where all do.
Fact<double> break_even(const std::vector<std::pair<double, double>>& ratio_by_side);

/// Sides, ascending, at which the rate falls by more than 40 % from the one before: a bad choice of
/// the library, or a neighbour.
std::vector<std::pair<Case, Case>> sudden_falls(const std::vector<Case>& cases);

/// Whether the device of a case is a GPU.
bool is_on_gpu(const Case& c);
bool same_types(const Dtype& x, const Dtype& y);
bool is_square(const Shape& shape);

/// The median of cold starts with its interval; nothing of an empty list.
std::optional<FirstUse> first_use_of(const Case& c, const std::vector<double>& seconds);
/// Library, context, first product and the data's way, from nothing; absent where a part is.
Fact<double> cold_start_s(const Case& c);

}  // namespace gpuready::bench
