#pragma once
/// Load on every usable GPU, each in a child of its own, with NVML watching.

#include <chrono>
#include <string>
#include <string_view>

#include "gpuready/machine.hpp"
#include "host/host.hpp"

namespace gpuready::api {

struct LoadOptions {
  double seconds = 10;
  /// What a child may take beside the load: to start its driver and library, and to check.
  std::chrono::milliseconds allowance{30000};
};

/// All GPUs at the same time. Absent where there is no usable GPU. A GPU whose child hangs, crashes
/// or fails has the reason in its facts.
Fact<LoadTest> run_load(host::Host& host, const Machine& machine, const LoadOptions& options);

}  // namespace gpuready::api
