#include "bench/stats.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace gpuready::bench {

namespace {

constexpr double confidence = 0.95;
/// 2^-1000 is still a normal double; above that the normal approximation is exact enough.
constexpr std::size_t exact_up_to = 1000;

struct Ranks {
  std::size_t from_end = 0;  ///< order statistics this far (0-based) from either end
  double coverage = 0;
};

/// Sums the binomial distribution of "samples below the median" from its tail inwards.
Ranks exact_ranks(std::size_t n) {
  double term = std::ldexp(1.0, -static_cast<int>(n));
  double tail = term;
  Ranks best{0, 1 - 2 * tail};
  for (std::size_t below = 1; 2 * below < n; ++below) {
    term *= static_cast<double>(n - below + 1) / static_cast<double>(below);
    tail += term;
    if (1 - 2 * tail < confidence) break;
    best = {below, 1 - 2 * tail};
  }
  return best;
}

Ranks approximate_ranks(std::size_t n) {
  const double count = static_cast<double>(n);
  const double rank = std::floor(count / 2 - 0.98 * std::sqrt(count));
  return {static_cast<std::size_t>(rank) - 1, confidence};
}

std::vector<double> part(const std::vector<double>& samples, std::size_t from, std::size_t to) {
  return {std::next(samples.begin(), static_cast<std::ptrdiff_t>(from)),
          std::next(samples.begin(), static_cast<std::ptrdiff_t>(to))};
}

}  // namespace

double quantile(std::vector<double> samples, double p) {
  if (samples.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(samples);
  const double position = p * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  const double weight = position - static_cast<double>(below);
  return samples[below] * (1 - weight) + samples[above] * weight;
}

double median(const std::vector<double>& samples) { return quantile(samples, 0.5); }

MedianInterval median_interval(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::ranges::sort(samples);
  const std::size_t n = samples.size();
  const Ranks ranks = n <= exact_up_to ? exact_ranks(n) : approximate_ranks(n);
  return {{samples[ranks.from_end], samples[n - 1 - ranks.from_end]}, ranks.coverage};
}

double relative_half_width(const std::vector<double>& samples) {
  const Interval interval = median_interval(samples).interval;
  return (interval.high - interval.low) / 2 / median(samples);
}

bool drifts(const std::vector<double>& samples) {
  const std::size_t n = samples.size();
  if (n < 6) return false;
  const double first = median(part(samples, 0, n / 2));
  const double second = median(part(samples, n - n / 2, n));
  return std::abs(second - first) > 0.02 * std::min(first, second);
}

bool has_two_modes(std::vector<double> samples) {
  const std::size_t n = samples.size();
  if (n < 10) return false;
  std::ranges::sort(samples);
  const std::size_t fifth = (n + 4) / 5;
  for (std::size_t left = fifth; left + fifth <= n; ++left)
    if (samples[left] - samples[left - 1] > 0.05 * samples[left - 1]) return true;
  return false;
}

Interval ratio_interval(const Interval& numerator, const Interval& denominator) {
  return {numerator.low / denominator.high, numerator.high / denominator.low};
}

}  // namespace gpuready::bench
