#pragma once
/// Measures bandwidth in children: main memory, and each usable GPU.

#include "gpuready/gpuready.hpp"
#include "host/host.hpp"

namespace gpuready::api {

/// Adds rows and errors to `bench`. A device that is named in the request is measured alone.
void add_bandwidth(host::Host& host, const Machine& machine, const BenchRequest& request,
                   const ProgressSink& progress, Bench& bench);

}  // namespace gpuready::api
