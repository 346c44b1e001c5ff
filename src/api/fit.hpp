#pragma once
/// What fit answers, from the name of a model to the estimate.

#include "catalog/catalog.hpp"
#include "gpuready/gpuready.hpp"
#include "host/host.hpp"

namespace gpuready::api {

/// What one model takes on the machine's GPUs, on the GPU that the request names, or in main
/// memory.
Result<Estimate> estimate_model(host::Host& host, const Machine& machine,
                                const catalog::Catalog& catalog, FitRequest request);

/// The rule of thumb, and the catalogue's models that fit.
Result<FitList> list_fitting(const Machine& machine, const catalog::Catalog& catalog,
                             const FitRequest& request);

}  // namespace gpuready::api
