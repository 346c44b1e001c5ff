#pragma once
/// Measures in children: what to try when one fails, and when a child must be done.

#include <functional>
#include <optional>
#include <vector>

#include "api/measure_plan.hpp"
#include "bench/runner.hpp"
#include "gpuready/gpuready.hpp"
#include "host/host.hpp"

namespace gpuready::api {

/// The limit of a whole run leaves out what does not fit; a case that has begun on a busy machine
/// may end, for a process that is killed has nothing to show.
inline constexpr double grace_s = 10;

/// What a measurement answers: a wrong product, nothing to show (with `strict` also what did not
/// converge), or yes.
Answer judge_bench(const Bench& bench, bool strict = false);

/// The error is for the user: a device that isn't there, an unknown backend.
Result<BenchAnswer> run_bench(host::Host& host, const Machine& machine, const Doctor& doctor,
                              const BenchRequest& request, const ProgressSink& progress);

/// When and how to end early.
struct Patience {
  std::optional<double> until_s;  ///< by steady_seconds(); a child is ended then
  std::function<bool()> stopped;  ///< no further child is begun; may be empty
};

struct CaseAnswer {
  bench::MeasureAnswer measured;
  std::optional<bench::MeasureRequest> used;  ///< the attempt that gave the case
};

/// One case with each library in turn until one gives a right product.
CaseAnswer measure_case(host::Host& host, const PlannedCase& planned, const Patience& patience,
                        const std::function<void(double)>& progress);

/// One child each, all begun together.
std::vector<bench::MeasureAnswer> measure_together(
    host::Host& host, const std::vector<bench::MeasureRequest>& requests, const Patience& patience);

}  // namespace gpuready::api
