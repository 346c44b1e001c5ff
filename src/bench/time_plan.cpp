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

/// Without warm-up and timed section.
double fixed_s(const CaseTime& time) {
  // First, second, the one that is checked, and one begun just before the time was up.
  constexpr double products = 4;
  return time.trials_s + time.pace.start_s + elements(time.shape) * time.pace.element_s +
         products * time.shape.flop() / time.pace.flops;
}

/// A guess is low rather than high; only what it can't be wrong about is left out because of it.
double surely_needed_s(const CaseTime& time) {
  constexpr double doubt = 4;
  return fixed_s(time) / (time.pace.guessed ? doubt : 1);
}

}  // namespace

double predicted_s(const CaseTime& time) { return fixed_s(time) + time.timed_s; }

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

NextCase decide_next(const std::vector<CaseTime>& waiting, double limit_s, double part) {
  constexpr double shortest_s = 0.08;  // a few batches of a GPU
  std::vector<double> seconds;
  for (const CaseTime& time : waiting) seconds.push_back(surely_needed_s(time) + shortest_s);
  const std::vector<bool> chosen = choose_within(seconds, limit_s);
  if (!chosen.front()) return {true, 0};
  double products_s = 0;
  double cases = 0;
  for (std::size_t i = 0; i < waiting.size(); ++i)
    if (chosen[i]) products_s += fixed_s(waiting[i]), ++cases;
  const double wanted_s = std::max(waiting.front().timed_s, shortest_s);
  // Where the products are only guessed to take it all, a case still gets a part of its share.
  constexpr double least_part = 0.25;
  const double share_s = std::max(part * limit_s - products_s, least_part * part * limit_s) / cases;
  return {false, std::clamp(share_s, shortest_s, wanted_s)};
}

Pace learn(const Pace& before, const Case& measured, const CaseTime& foreseen, double wall_s) {
  constexpr double process_s = 0.05;
  CaseTime known = foreseen;
  known.pace = before;
  known.pace.flops = measured.flops;
  known.pace.start_s = 0;
  Pace after = before;
  after.flops = measured.flops;
  after.guessed = false;
  const double loaded_s = process_s + measured.first_call.load_s.value_or(before.start_s);
  after.start_s = std::max(loaded_s, wall_s - predicted_s(known));
  return after;
}

}  // namespace gpuready::bench
