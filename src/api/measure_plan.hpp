#pragma once
/// Which cases a benchmark consists of on this machine. Pure.

#include <string>
#include <vector>

#include "bench/runner.hpp"
#include "gpuready/gpuready.hpp"

namespace gpuready::api {

/// One case and the requests to try for it, best library first.
struct PlannedCase {
  Message what;
  std::vector<bench::MeasureRequest> attempts;
  bool tuning_is_set = false;
};

struct MeasurePlan {
  std::vector<PlannedCase> cases;
  std::vector<CaseError> impossible;
  std::vector<Message> notes;
};

/// The error is for the user: an unknown device or backend, or an index that isn't there.
Result<MeasurePlan> plan_cases(const Machine& machine, const Doctor& doctor,
                               const BenchRequest& request);

/// Variables with which a user steers OpenBLAS away from the kernels it would choose. They are
/// left out for the measurement, and the result says so.
const std::vector<std::string>& blas_tuning_variables();

}  // namespace gpuready::api
