#pragma once
/// Faults in words.

#include <string_view>

#include "cloud/provider.hpp"

namespace gpuready::cloud {

/// "bad-key", "rate-limited", ...: the codes of ProviderError.
std::string_view name_of(FaultKind kind);
/// "running", "terminating", ...
std::string_view name_of(State state);
ProviderError to_error(std::string_view provider, const Fault& fault);

}  // namespace gpuready::cloud
