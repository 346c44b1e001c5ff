#pragma once
/// Which cases a benchmark consists of on this machine. Pure.

#include <map>
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
  bool tries_first = false;   ///< short products with each attempt say which one is the fastest
  bool obeys_tuning = false;  ///< the user's tuning variables stay set
  bool is_optional = false;   ///< an experiment: that it fails is no error
  std::map<std::string, std::string> environment = {};  ///< set for the child besides
  std::string flag = {};                                ///< of the cases that come of it
};

struct MeasurePlan {
  std::vector<PlannedCase> cases;
  std::vector<CaseError> impossible;
  std::vector<Message> notes;
  bool has_cpu = false;  ///< whether the CPU's libraries are to be measured
};

/// The error is for the user: an unknown device or backend, or an index that isn't there.
Result<MeasurePlan> plan_cases(const Machine& machine, const Doctor& doctor,
                               const BenchRequest& request);

}  // namespace gpuready::api
