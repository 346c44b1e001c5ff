#pragma once
/// The question and what was taken for granted, in words. Pure.

#include "plan/evaluate.hpp"

namespace gpuready::plan {

/// `today`: days since 1970, for the age of prices.
void explain(const Task& task, std::int64_t today, Plan& plan);

}  // namespace gpuready::plan
