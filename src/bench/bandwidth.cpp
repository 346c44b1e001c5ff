#include "bench/bandwidth.hpp"

#include <algorithm>

#include "bench/stats.hpp"

namespace gpuready::bench {

namespace {
constexpr std::size_t fewest = 10, most = 1000;
constexpr double narrow = 0.01;
}  // namespace

Result<Bandwidth> measure_transfer(const std::string& device, const std::string& what, double moved,
                                   double max_time_s, const Transfer& transfer,
                                   const Clock& clock) {
  // The first one touches pages and wakes links.
  if (const auto first = transfer(); !first) return tl::unexpected<Error>(first.error());
  std::vector<double> seconds;
  const double start = clock();
  while (seconds.size() < most) {
    const auto once = transfer();
    if (!once) return tl::unexpected<Error>(once.error());
    if (!(*once > 0)) return failure("the clock stood still");
    seconds.push_back(*once);
    if (clock() - start >= max_time_s) break;
    if (seconds.size() >= fewest && relative_half_width(seconds) <= narrow) break;
  }
  const MedianInterval interval = median_interval(seconds);
  Bandwidth row;
  row.device = device;
  row.what = what;
  row.samples = static_cast<std::int64_t>(seconds.size());
  row.bytes_per_s = moved / median(seconds);
  row.ci95_bytes_per_s = {moved / interval.interval.high, moved / interval.interval.low};
  if (interval.coverage < 0.95) row.flags.emplace_back("few-samples");
  if (drifts(seconds)) row.flags.emplace_back("drifting");
  if (has_two_modes(seconds)) row.flags.emplace_back("two-modes");
  return row;
}

}  // namespace gpuready::bench
