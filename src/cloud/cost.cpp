#include "cloud/cost.hpp"

#include <algorithm>
#include <cmath>

namespace gpuready::cloud {

namespace {

constexpr double seconds_per_hour = 3600, seconds_per_minute = 60;

double begun(double seconds, double unit_s) {
  return std::ceil(std::max(seconds, 0.0) / unit_s) * unit_s;
}

}  // namespace

double cost_usd(std::string_view provider, const Usage& usage) {
  if (provider == "vast") {
    const double disk = std::min(usage.disk_usd_per_hour, usage.usd_per_hour);
    return ((usage.usd_per_hour - disk) * std::max(usage.ran_s, 0.0) +
            disk * std::max(usage.existed_s, 0.0)) /
           seconds_per_hour;
  }
  const double unit_s = provider == "lambda" ? seconds_per_minute : 1;
  return usage.usd_per_hour * begun(usage.existed_s, unit_s) / seconds_per_hour;
}

}  // namespace gpuready::cloud
