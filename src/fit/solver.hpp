#pragma once
/// The inverse questions: everything grows with its option, so bisection on the forward function
/// answers them exactly.

#include <functional>

#include "catalog/gpus.hpp"
#include "fit/outcome.hpp"

namespace gpuready::fit {

/// The largest n in [least, most] that is a multiple of `step` and for which `fits` holds; -1 where
/// not even the least one does. `fits` must not become true again after it was false.
std::int64_t largest_that_fits(std::int64_t least, std::int64_t most, std::int64_t step,
                               const std::function<bool(std::int64_t)>& fits);

/// Whether a request fits (by its high figure); false where it is an error.
bool does_fit(Forward& forward, const FitRequest& request);

/// The fewest GPUs like the first one, of 1 to 64, on which a request fits; 0: none of these.
std::int64_t fewest_of_kind(Forward& forward, const FitRequest& request);

/// Types of weights that a runtime can have on these devices, least loss first, from the model's
/// own down.
std::vector<const catalog::Quant*> types_for(const Model& model, Runtime runtime,
                                             const Devices& devices);

/// The longest context (or training sequence) that fits.
Fact<std::int64_t> max_context(Forward& forward, const FitRequest& request, Runtime runtime);

/// All limits. `table`: GPUs among which the smallest is sought.
Limits limits_of(Forward& forward, const FitRequest& request, Runtime runtime,
                 const std::vector<catalog::Gpu>& table);

}  // namespace gpuready::fit
