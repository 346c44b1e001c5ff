#pragma once
/// Measures bandwidth in children: main memory, and each usable GPU.

#include "api/bench_run.hpp"

namespace gpuready::api {

/// Adds rows and errors to the run. A device that is named in the request is measured alone; what
/// the limit of the whole run has no time for is left out.
void add_bandwidth(BenchRun& run);

}  // namespace gpuready::api
