#pragma once
/// What the CPU's arithmetic can do at best, measured with registers alone.

#include <cstdint>
#include <string_view>

#include "bench/fma_loops.hpp"
#include "gpuready/measurements.hpp"

namespace gpuready::bench {

/// The widest one that this CPU and its kernel allow.
FmaLoop widest_fma_loop();
std::string_view name_of(FmaLoop loop);
/// The loop that shows the peak of a type (a name of dtypes.hpp); none where it can't be shown.
FmaLoop loop_for(std::string_view dtype);

/// Operations per second of independent multiply-adds on so many threads: the best of some
/// slices, so that a neighbour who is busy for a while does not lower it. About 60 ms, half a
/// second on a busy machine. Absent where there is no loop for this CPU.
Fact<double> measure_fma_peak(FmaLoop loop, std::int64_t threads);

/// Cycles per second, from a chain of additions that each wait for the one before: one cycle each
/// on every CPU in use. (The files of cpufreq are missing or wrong in virtual machines.) The best
/// of some slices.
Fact<double> measure_clock();

/// A rate against the measured peak. Known for fp32, for fp64, which has half as many lanes, and
/// for bf16 and int8 on CPUs that multiply them in vectors (AVX512-BF16 and AVX512-VNNI, not AMX).
PercentOfPeak percent_of_cpu_peak(std::string_view dtype, std::int64_t threads, double flops);

}  // namespace gpuready::bench
