#pragma once
/// Two runs side by side, case by case. Pure.

#include <vector>

#include "gpuready/compare.hpp"

namespace gpuready::bench {

/// Cases are the same when device, backend, shape, types and data are; the fastest counts where a
/// run has several. A ratio whose interval holds 1, or that is off by less than 1 %, is noise.
std::vector<CaseChange> compare_runs(const std::vector<Case>& first,
                                     const std::vector<Case>& second);

}  // namespace gpuready::bench
