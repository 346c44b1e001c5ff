#pragma once
/// An outcome in words: the answer that people and programs read.

#include "fit/outcome.hpp"

namespace gpuready::fit {

Estimate explained(const Model& model, const FitRequest& request, const Devices& devices,
                   const Outcome& outcome);

/// The model in figures, with the weights and the cache that are in use.
ModelSummary summary_of(const Model& model, const Outcome& outcome);

}  // namespace gpuready::fit
