#pragma once
/// Choices in order, and the answer. Pure.

#include "plan/evaluate.hpp"

namespace gpuready::plan {

/// Best first. What surely fits and surely keeps deadline and budget comes before what likely does,
/// then what is not known, then what does not keep them (nearest first), then what has no time,
/// then what does not fit. Among equals the cheaper one, then the faster one; without a deadline,
/// what ends within a day comes before what ends within a week, a month, or later. Fills the ranks.
void rank(const PlanRequest& request, std::vector<Choice>& choices);

/// Verdict, answer and cures, from the ranked choices.
void conclude(const PlanRequest& request, Plan& plan);

}  // namespace gpuready::plan
