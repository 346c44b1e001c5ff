#pragma once

#include <string_view>

namespace gpuready::cloud {

/// What is billed of a machine, in USD per hour and seconds.
struct Usage {
  double usd_per_hour = 0;       ///< the whole machine
  double disk_usd_per_hour = 0;  ///< the part of it that is disk
  double existed_s = 0;
  double ran_s = 0;  ///< of that, not booting
};

/// USD by the provider's way of counting: Lambda bills begun minutes, RunPod seconds, from the order
/// on; Vast the seconds that the machine runs, its disk from the order on.
double cost_usd(std::string_view provider, const Usage& usage);

}  // namespace gpuready::cloud
