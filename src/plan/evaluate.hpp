#pragma once
/// Time and cost of the work on one place. Pure.

#include "plan/candidates.hpp"
#include "plan/rates.hpp"

namespace gpuready::plan {

/// What every place is judged by. The references must outlive it.
struct Task {
  const PlanRequest& request;
  const PlanWork& work;
  const Machine& machine;
  const Bench& bench;
  const RateBook& rates;
  const ModelSummary* model = nullptr;  ///< null: none was named
  double model_bytes = 0;               ///< of its files
  bool model_is_here = false;           ///< on this machine's disk, not on the Hub
};

/// Hours of the work alone on that place, with how they come about.
struct WorkTime {
  Fact<PlanRange> hours;
  Message how;
};
WorkTime work_time(const Task& task, const Candidate& candidate);

/// Boot, install and download before the work.
std::vector<PlanStep> first_steps(const Task& task, const Candidate& candidate);

/// The whole choice but for its ranks.
Choice evaluate(const Task& task, const Candidate& candidate);

/// Hours that a provider bills: rounded up to its unit, without what it gives free.
PlanRange billed_hours(const std::string& provider, const std::vector<PlanStep>& steps);

/// A session of Colab ends after about this many hours (Colab FAQ).
inline constexpr double colab_session_hours = 12;

}  // namespace gpuready::plan
