#pragma once
/// What a GPU's own figures say about a measurement. Pure.

#include <optional>
#include <string>
#include <vector>

#include "gpuready/load_test.hpp"

namespace gpuready::bench {

/// Flags that are due: hardware-slowdown, thermal, power-limited, clocks-capped (slow without any
/// reason that the driver tells: an administrator's limit), not-fed (little power and a low rate:
/// the host or the link could not keep up, or the kernel is a bad one). `percent_of_peak` is that
/// at the measured clock, where it is known.
std::vector<std::string> telemetry_flags(const GpuLoad& seen,
                                         std::optional<double> percent_of_peak);

}  // namespace gpuready::bench
