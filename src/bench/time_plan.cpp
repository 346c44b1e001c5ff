#include "bench/time_plan.hpp"

#include <algorithm>
#include <numeric>

namespace gpuready::bench {

namespace {

double elements(const Shape& s) {
  const auto m = static_cast<double>(s.m), n = static_cast<double>(s.n),
             k = static_cast<double>(s.k);
  return m * k + k * n + m * n;
}

}  // namespace

double predicted_s(const CaseTime& time) {
  // First, second, the one that is checked, and one begun just before the time was up.
  constexpr double products = 4;
  return time.pace.start_s + elements(time.shape) * time.pace.element_s +
         products * time.shape.flop() / time.pace.flops + time.timed_s;
}

std::vector<bool> choose_within(const std::vector<double>& seconds, double limit_s) {
  std::vector<std::size_t> order(seconds.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return seconds[i]; });
  std::vector<bool> chosen(seconds.size(), false);
  double sum = 0;
  for (const std::size_t i : order) {
    sum += seconds[i];
    if (sum > limit_s) break;
    chosen[i] = true;
  }
  return chosen;
}

double timed_share_s(double limit_s, double fixed_s, std::size_t cases, double wanted_s) {
  constexpr double shortest_s = 0.05;
  if (cases == 0) return wanted_s;
  return std::clamp((limit_s - fixed_s) / static_cast<double>(cases), shortest_s,
                    std::max(wanted_s, shortest_s));
}

Pace learn(const Pace& before, const Case& measured, const CaseTime& foreseen, double wall_s) {
  CaseTime known = foreseen;
  known.pace = before;
  known.pace.flops = measured.flops;
  known.pace.start_s = 0;
  Pace after = before;
  after.flops = measured.flops;
  after.start_s = std::max(before.start_s, wall_s - predicted_s(known));
  return after;
}

}  // namespace gpuready::bench
