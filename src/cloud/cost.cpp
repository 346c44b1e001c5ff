#include "cloud/cost.hpp"

#include <algorithm>
#include <cmath>

namespace gpuready::cloud {

double cost_usd(std::string_view provider, double usd_per_hour, double seconds) {
  constexpr double seconds_per_hour = 3600, seconds_per_minute = 60;
  const double unit_s = provider == "lambda" ? seconds_per_minute : 1;
  const double counted_s = std::ceil(std::max(seconds, 0.0) / unit_s) * unit_s;
  return usd_per_hour * counted_s / seconds_per_hour;
}

}  // namespace gpuready::cloud
