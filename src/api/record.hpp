#pragma once

#include <string>

#include "gpuready/gpuready.hpp"
#include "host/host.hpp"

namespace gpuready::api {

/// This machine's facts and the raw answers that they came from, redacted, as indented JSON.
Result<std::string> record_machine(host::Host& host, const FactsRequest& request);

}  // namespace gpuready::api
