#pragma once
/// Measures in children: which cases, in what order, and what to try when one fails.

#include "gpuready/gpuready.hpp"
#include "host/host.hpp"

namespace gpuready::api {

/// What a measurement answers: a wrong product, nothing to show, or yes.
Answer judge_bench(const Bench& bench);

/// The error is for the user: a device that isn't there, an unknown backend.
Result<BenchAnswer> run_bench(host::Host& host, const Machine& machine, const Doctor& doctor,
                              const BenchRequest& request, const ProgressSink& progress);

}  // namespace gpuready::api
