#include "bench/timing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "bench/stats.hpp"

namespace gpuready::bench {

namespace {

/// Two good clocks may differ by this much.
constexpr double clock_slack = 1.001;
constexpr double largest_wall_over_device = 1.10;
constexpr std::int64_t most_repeats = 1'000'000;

bool impossible(const Batch& batch) {
  const double device_s = *batch.elapsed.device_s;
  return !(device_s > 0) || !(device_s <= batch.elapsed.wall_s * clock_slack);
}

bool doubtful(const std::vector<Batch>& batches) {
  std::vector<double> ratios;
  for (const Batch& batch : batches) {
    if (impossible(batch)) return true;
    if (batch.elapsed.wall_s >= shortest_batch_s)
      ratios.push_back(batch.elapsed.wall_s / *batch.elapsed.device_s);
  }
  return !ratios.empty() && median(ratios) > largest_wall_over_device;
}

}  // namespace

Samples samples_of(const std::vector<Batch>& batches) {
  const bool has_device_clock = std::ranges::all_of(
      batches, [](const Batch& batch) { return batch.elapsed.device_s.has_value(); });
  Samples samples;
  samples.event_clock_doubtful = has_device_clock && doubtful(batches);
  const bool use_device = has_device_clock && !samples.event_clock_doubtful;
  for (const Batch& batch : batches) {
    const double seconds = use_device ? *batch.elapsed.device_s : batch.elapsed.wall_s;
    samples.seconds.push_back(seconds / static_cast<double>(batch.repeats));
  }
  return samples;
}

std::int64_t repeats_for(double product_s, double batch_s) {
  if (!(product_s > 0)) return most_repeats;
  const double wanted = std::ceil(batch_s / product_s);
  return static_cast<std::int64_t>(std::clamp(wanted, 1.0, static_cast<double>(most_repeats)));
}

double steady_seconds() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

}  // namespace gpuready::bench
