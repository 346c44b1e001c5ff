#pragma once

#include <string_view>

namespace gpuready::cloud {

/// What a machine has cost that existed for so long, in USD, by the provider's way of counting:
/// Lambda begun minutes, RunPod and Vast seconds.
double cost_usd(std::string_view provider, double usd_per_hour, double seconds);

}  // namespace gpuready::cloud
