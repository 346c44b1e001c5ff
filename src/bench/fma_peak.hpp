#pragma once
/// What the CPU's arithmetic can do at best, measured with registers alone.

#include <cstdint>
#include <string_view>

#include "gpuready/measurements.hpp"

namespace gpuready::bench {

/// The loop that a CPU can run.
enum class FmaLoop { none, sse, avx, fma, avx512, neon };

/// The widest one that this CPU and its kernel allow.
FmaLoop widest_fma_loop();
std::string_view name_of(FmaLoop loop);

/// fp32 operations per second of independent multiply-adds on so many threads: the best of some
/// slices, so that a neighbour who is busy for a while does not lower it. About 60 ms. Absent where
/// there is no loop for this CPU.
Fact<double> measure_fma_peak(FmaLoop loop, std::int64_t threads);

/// Cycles per second, from a chain of additions that each wait for the one before: one cycle each
/// on every CPU in use. (The files of cpufreq are missing or wrong in virtual machines.) The best
/// of some slices.
Fact<double> measure_clock();

/// A rate against the measured peak. Known for fp32, and for fp64, which has half as many lanes.
PercentOfPeak percent_of_cpu_peak(std::string_view dtype, std::int64_t threads, double flops);

}  // namespace gpuready::bench
