#pragma once
/// What each mode of bench measures.

#include "api/bench_run.hpp"

namespace gpuready::api {

/// One case for a device ("cpu", "cuda:0"), or nothing where it cannot be planned.
std::optional<PlannedCase> plan_one(const BenchRun& run, const std::string& device,
                                    const Shape& shape, const std::string& dtype,
                                    double max_time_s);
/// "cpu" and the GPU that --device or the usual choice means, in this order; only what works.
std::vector<std::string> devices_of(const BenchRun& run);
/// "cuda:0" and so on for every GPU on which a kernel ran.
std::vector<std::string> usable_gpus(const Machine& machine);

/// Searches for the fastest shape on each device (--peak).
void search_peaks(BenchRun& run);
/// Tries the lesson's claims (--claims).
Result<bool> try_claims(BenchRun& run);
/// Every GPU alone, then all at once.
void measure_peers(BenchRun& run);
/// The cases that were measured, through the user's own PyTorch.
void measure_torch(BenchRun& run);

}  // namespace gpuready::api
