#pragma once
/// "Not found" is not enough to believe that a machine is gone: an interface that moved, or a proxy,
/// says the same. The list of all machines has the last word.

#include <string>

#include "cloud/provider.hpp"

namespace gpuready::cloud {

/// The machine as the list tells it; state `gone` where a complete list lacks it.
Answer<Instance> find_in_list(Provider& provider, const std::string& id);

}  // namespace gpuready::cloud
