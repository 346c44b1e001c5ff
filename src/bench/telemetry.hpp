#pragma once
/// What a GPU's own figures say about a measurement. Pure.

#include <string>
#include <vector>

#include "gpuready/load_test.hpp"

namespace gpuready::bench {

/// Flags that are due: hardware-slowdown, thermal, power-limited, clocks-capped (slow without any
/// reason that the driver tells: an administrator's limit).
std::vector<std::string> telemetry_flags(const GpuLoad& seen);

/// Little power and a low rate at a full clock: the host or the link could not keep up, or the
/// kernel is a bad one. `percent_of_peak` is that at the measured clock.
bool not_fed(const GpuLoad& seen, double percent_of_peak);

}  // namespace gpuready::bench
