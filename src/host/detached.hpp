#pragma once

#include <string>
#include <vector>

#include "gpuready/result.hpp"

namespace gpuready::host {

/// Starts a program in a session of its own, with nothing of ours but the environment: it outlives
/// us and our terminal. The value is its process number.
Result<int> start_detached(const std::vector<std::string>& argv);

}  // namespace gpuready::host
