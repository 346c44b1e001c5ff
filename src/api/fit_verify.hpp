#pragma once
/// Allocates what fit predicted, in children, and compares.

#include "gpuready/gpuready.hpp"
#include "host/host.hpp"

namespace gpuready::api {

/// One check for each GPU of the estimate that is on this machine: the high total, less the
/// context, which the child has by itself.
std::vector<FitCheck> verify_fit(host::Host& host, const Machine& machine,
                                 const Estimate& estimate);

}  // namespace gpuready::api
