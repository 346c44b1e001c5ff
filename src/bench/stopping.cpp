#include "bench/stopping.hpp"

#include <algorithm>
#include <iterator>

#include "bench/stats.hpp"

namespace gpuready::bench {

namespace {

/// Fewer batches than this say nothing about steadiness.
constexpr std::size_t fewest_to_compare = 3;

bool within(double spread, std::vector<double> samples, std::size_t window) {
  if (samples.size() > window)
    samples.erase(samples.begin(), std::prev(samples.end(), static_cast<std::ptrdiff_t>(window)));
  const auto [low, high] = std::ranges::minmax(samples);
  return high - low <= spread * median(samples);
}

}  // namespace

StoppingRule stopping_rule(bool runs_on_cpu, double max_time_s) {
  StoppingRule rule;
  rule.half_width = runs_on_cpu ? 0.02 : 0.01;
  rule.max_time_s = max_time_s;
  return rule;
}

Stop decide(const StoppingRule& rule, const std::vector<double>& samples, double elapsed_s,
            double next_s) {
  if (samples.empty()) return Stop::go_on;
  if (samples.size() >= rule.min_samples && elapsed_s >= rule.min_time_s &&
      relative_half_width(samples) <= rule.half_width)
    return Stop::converged;
  return elapsed_s + next_s > rule.max_time_s ? Stop::out_of_time : Stop::go_on;
}

WarmUpRule warm_up_rule(bool runs_on_cpu, double max_time_s) {
  if (runs_on_cpu) return {0.02, 0.02, 5, 0, max_time_s / 4};
  return {0.1, 0.01, 5, std::min(1.0, max_time_s / 4), std::min(10.0, max_time_s / 2)};
}

WarmUp decide(const WarmUpRule& rule, const std::vector<double>& samples, double elapsed_s,
              double next_s) {
  if (samples.size() >= rule.window && elapsed_s >= rule.min_time_s &&
      within(rule.spread, samples, rule.window))
    return WarmUp::steady;
  return elapsed_s + next_s > rule.max_time_s ? WarmUp::out_of_time : WarmUp::go_on;
}

bool seen_unsteady(const WarmUpRule& rule, const std::vector<double>& samples) {
  return samples.size() >= fewest_to_compare && !within(rule.spread, samples, rule.window);
}

}  // namespace gpuready::bench
