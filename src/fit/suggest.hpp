#pragma once
/// What would take less memory, in the order of what it costs.

#include "catalog/gpus.hpp"
#include "fit/outcome.hpp"

namespace gpuready::fit {

/// Changes for a request that does not fit (or fits barely), each with the memory it would take
/// then. Nothing where it fits.
std::vector<Suggestion> suggestions_for(Forward& forward, const FitRequest& request,
                                        const Outcome& outcome, const Limits& limits);

}  // namespace gpuready::fit
