#include "bench/compare_runs.hpp"

#include <algorithm>
#include <cmath>

#include "bench/compare.hpp"
#include "bench/stats.hpp"

namespace gpuready::bench {

namespace {

bool is_cold(const Case& c) { return std::ranges::find(c.flags, "cold") != c.flags.end(); }

bool same_case(const Case& x, const Case& y) {
  return x.device == y.device && x.backend == y.backend && x.shape == y.shape &&
         same_types(x.dtype, y.dtype) && x.data == y.data && is_cold(x) == is_cold(y) &&
         (x.threads == 1) == (y.threads == 1);
}

/// The fastest case of each kind, in the order in which they first stand.
std::vector<Case> fastest(const std::vector<Case>& cases) {
  std::vector<Case> kept;
  for (const Case& c : cases) {
    const auto same = std::ranges::find_if(kept, [&](const Case& k) { return same_case(k, c); });
    if (same == kept.end())
      kept.push_back(c);
    else if (c.median_s < same->median_s)
      *same = c;
  }
  return kept;
}

CaseChange opening(const Case& c) {
  CaseChange change;
  change.device = c.device, change.library = c.backend, change.device_names = c.device_name;
  change.shape = c.shape, change.dtype = c.dtype, change.data = c.data;
  const auto absent = Fact<double>::absent(Absence::not_tested, "not in this run");
  change.first_flops = change.second_flops = change.ratio = absent;
  change.ratio_ci95 = absent.pass_absence<Interval>();
  return change;
}

Change judge(double ratio, const Interval& ci95) {
  constexpr double least = 0.01;
  const bool holds_one = ci95.low <= 1 && ci95.high >= 1;
  if (holds_one || std::abs(ratio - 1) < least) return Change::noise;
  return ratio > 1 ? Change::faster : Change::slower;
}

CaseChange both(const Case& first, const Case& second) {
  CaseChange change = opening(first);
  if (first.device_name != second.device_name)
    change.device_names = first.device_name + " / " + second.device_name;
  const Interval ci95 = ratio_interval(first.ci95_s, second.ci95_s);
  const double ratio = first.median_s / second.median_s;
  change.first_flops = Fact<double>(first.flops, "first");
  change.second_flops = Fact<double>(second.flops, "second");
  change.ratio = Fact<double>(ratio, "bench");
  change.ratio_ci95 = Fact<Interval>(ci95, "bench");
  change.change = judge(ratio, ci95);
  return change;
}

CaseChange alone(const Case& c, bool in_first) {
  CaseChange change = opening(c);
  (in_first ? change.first_flops : change.second_flops) = Fact<double>(c.flops, "bench");
  change.change = in_first ? Change::only_first : Change::only_second;
  return change;
}

}  // namespace

std::vector<CaseChange> compare_runs(const std::vector<Case>& first,
                                     const std::vector<Case>& second) {
  std::vector<CaseChange> changes;
  std::vector<Case> rest = fastest(second);
  for (const Case& x : fastest(first)) {
    const auto y = std::ranges::find_if(rest, [&](const Case& c) { return same_case(x, c); });
    if (y == rest.end()) {
      changes.push_back(alone(x, true));
    } else {
      changes.push_back(both(x, *y));
      rest.erase(y);
    }
  }
  for (const Case& y : rest) changes.push_back(alone(y, false));
  return changes;
}

}  // namespace gpuready::bench
