#pragma once
/// The whole answer for one model, and the list of what fits: what the facade calls.

#include "catalog/catalog.hpp"
#include "fit/estimate.hpp"

namespace gpuready::fit {

/// estimate() with limits, suggestions and speed. `gpus`: the table in which the smallest GPU that
/// holds it is sought.
Result<Estimate> estimate_fully(const Model& model, const FitRequest& request,
                                const Devices& devices, const std::vector<catalog::Gpu>& gpus);

/// The catalogue's models that fit on these devices, largest first; each in the type of weights
/// with least loss that fits, with the longest context for it and its speed. Of the request count
/// runtime, kind, family, search, and the options of inference; a runtime that a kind of model
/// can't have leaves that kind out.
std::vector<FittingModel> which_fit(const catalog::Catalog& catalog, const FitRequest& request,
                                    const Devices& devices);

/// How many rows the filters leave.
std::int64_t considered(const catalog::Catalog& catalog, const FitRequest& request);

}  // namespace gpuready::fit
