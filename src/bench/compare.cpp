#include "bench/compare.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/format.hpp"
#include "base/text.hpp"
#include "bench/stats.hpp"

namespace gpuready::bench {

namespace {

/// The device that stands for "the GPU": the first CUDA device measured, else the first of OpenCL.
std::string find_gpu(const std::vector<Case>& cases) {
  for (const std::string_view kind : {"cuda", "opencl"})
    for (const Case& c : cases)
      if (base::starts_with(c.device, kind) && is_on_gpu(c)) return c.device;
  return {};
}

bool same_product(const Case& x, const Case& y) {
  return x.shape == y.shape && same_types(x.dtype, y.dtype) && x.data == y.data;
}

/// The fastest CPU case of this product; with `one_thread` that of a single thread.
const Case* find_cpu(const std::vector<Case>& cases, const Case& gpu, bool one_thread) {
  const Case* best = nullptr;
  for (const Case& c : cases)
    if (c.device == "cpu" && same_product(c, gpu) && (!one_thread || c.threads == 1) &&
        (best == nullptr || c.median_s < best->median_s))
      best = &c;
  return best;
}

/// The median of the transfers has no interval of its own; the product's is moved along with it.
Fact<Speedup> with_transfers(const Case& cpu, const Case& gpu) {
  if (!gpu.with_transfers_s) return gpu.with_transfers_s.pass_absence<Speedup>();
  const double total = *gpu.with_transfers_s;
  const Interval around{total + (gpu.ci95_s.low - gpu.median_s),
                        total + (gpu.ci95_s.high - gpu.median_s)};
  return {Speedup{cpu.median_s / total, ratio_interval(cpu.ci95_s, around)}, "bench"};
}

Fact<Speedup> kernel_only(const Case& cpu, const Case& gpu) {
  return {Speedup{cpu.median_s / gpu.median_s, ratio_interval(cpu.ci95_s, gpu.ci95_s)}, "bench"};
}

struct ColdStart {
  double median_s = 0;
  Interval range_s;
};

Fact<ColdStart> cold_start(const Case& c, const std::vector<FirstUse>& repeated) {
  for (const FirstUse& use : repeated)
    if (use.device == c.device && use.shape == c.shape && same_types(use.dtype, c.dtype))
      return {ColdStart{use.median_s, use.range_s}, "bench"};
  const Fact<double> once = cold_start_s(c);
  if (!once) return once.pass_absence<ColdStart>();
  return {ColdStart{*once, {*once, *once}}, "bench"};
}

/// Without repetitions both ends of the interval are the ratio itself: it happened once.
Fact<Speedup> first_use(const Case& cpu, const Case& gpu, const std::vector<FirstUse>& repeated) {
  const auto x = cold_start(cpu, repeated), y = cold_start(gpu, repeated);
  if (!x) return x.pass_absence<Speedup>();
  if (!y) return y.pass_absence<Speedup>();
  return {Speedup{x->median_s / y->median_s, ratio_interval(x->range_s, y->range_s)}, "bench"};
}

/// fp32 before other types, squares before other shapes, large before small.
bool stands_for_more(const SizeSpeedup& x, const SizeSpeedup& y) {
  const auto rank = [](const SizeSpeedup& s) {
    return std::tuple(s.dtype.name == "fp32", is_square(s.shape), s.shape.flop());
  };
  return rank(x) < rank(y);
}

std::vector<SizeSpeedup> all_sizes(const std::vector<Case>& cases, const std::string& device,
                                   const std::vector<FirstUse>& repeated) {
  std::vector<SizeSpeedup> sizes;
  for (const Case& gpu : cases) {
    if (gpu.device != device) continue;
    const Case* const cpu = find_cpu(cases, gpu, false);
    if (cpu == nullptr) continue;
    sizes.push_back({gpu.device, gpu.shape, gpu.dtype, kernel_only(*cpu, gpu),
                     with_transfers(*cpu, gpu), first_use(*cpu, gpu, repeated)});
  }
  return sizes;
}

Fact<double> break_even_of(const std::vector<SizeSpeedup>& sizes, const Dtype& dtype,
                           Fact<Speedup> SizeSpeedup::*kind) {
  std::vector<std::pair<double, double>> ratios;
  for (const SizeSpeedup& s : sizes)
    if (is_square(s.shape) && same_types(s.dtype, dtype) && s.*kind)
      ratios.emplace_back(static_cast<double>(s.shape.n), (s.*kind)->ratio);
  std::ranges::sort(ratios);
  return break_even(ratios);
}

Fact<Speedup> one_thread(const std::vector<Case>& cases, const SizeSpeedup& main) {
  for (const Case& gpu : cases) {
    if (gpu.device != main.device || !(gpu.shape == main.shape) ||
        !same_types(gpu.dtype, main.dtype))
      continue;
    const Case* const cpu = find_cpu(cases, gpu, true);
    if (cpu != nullptr) return kernel_only(*cpu, gpu);
  }
  return Fact<Speedup>::absent(Absence::not_tested, "no CPU case with one thread");
}

Speedups no_speedup(const std::string& why) {
  const auto absent = Fact<Speedup>::absent(Absence::not_applicable, why);
  const auto no_side = Fact<double>::absent(Absence::not_applicable, why);
  return {absent, absent, absent, absent, {no_side, no_side}, {}};
}

std::string why_none(const std::vector<Case>& cases, const std::string& device) {
  for (const Case& gpu : cases)
    if (gpu.device == device)
      return base::format(
          "no product of the same size and types was measured on the CPU as on {} ({} x {} x {}, "
          "{})",
          device, gpu.shape.m, gpu.shape.n, gpu.shape.k, gpu.dtype.name);
  return "no GPU was measured";
}

double log_interpolated(const std::pair<double, double>& below,
                        const std::pair<double, double>& above) {
  const double step = std::log(above.second) - std::log(below.second);
  const double part = -std::log(below.second) / step;
  return std::exp(std::log(below.first) + part * (std::log(above.first) - std::log(below.first)));
}

}  // namespace

bool is_on_gpu(const Case& c) {
  return c.device != "cpu" && std::ranges::find(c.flags, "opencl-on-cpu") == c.flags.end();
}

bool same_types(const Dtype& x, const Dtype& y) {
  return x.input == y.input && x.compute == y.compute && x.accumulate == y.accumulate &&
         x.output == y.output;
}

bool is_square(const Shape& shape) { return shape.m == shape.n && shape.n == shape.k; }

Fact<double> cold_start_s(const Case& c) {
  for (const auto* part : {&c.first_call.load_s, &c.first_call.first_product_s})
    if (!*part) return *part;
  const double seconds = *c.first_call.load_s + *c.first_call.first_product_s;
  if (c.device == "cpu") return {seconds, "bench"};
  if (!c.with_transfers_s) return c.with_transfers_s;
  return {seconds + std::max(0.0, *c.with_transfers_s - c.median_s), "bench"};
}

std::optional<FirstUse> first_use_of(const Case& c, const std::vector<double>& seconds) {
  if (seconds.empty()) return {};
  return FirstUse{c.device,
                  c.shape,
                  c.dtype,
                  median(seconds),
                  median_interval(seconds).interval,
                  static_cast<std::int64_t>(seconds.size())};
}

Fact<double> break_even(const std::vector<std::pair<double, double>>& ratio_by_side) {
  const auto absent = [](const std::string& why) {
    return Fact<double>::absent(Absence::not_applicable, why);
  };
  if (ratio_by_side.size() < 2)
    return absent("fewer than two square sizes were measured on both sides");
  if (ratio_by_side.back().second < 1)
    return absent(base::format("the GPU is slower up to n = {:.0f}, the largest size measured",
                               ratio_by_side.back().first));
  std::size_t first = ratio_by_side.size() - 1;
  while (first > 0 && ratio_by_side[first - 1].second >= 1) --first;
  if (first == 0)
    return absent(
        base::format("the GPU is as fast or faster from n = {:.0f}, the smallest size "
                     "measured",
                     ratio_by_side.front().first));
  return {log_interpolated(ratio_by_side[first - 1], ratio_by_side[first]), "bench"};
}

std::vector<std::pair<Case, Case>> sudden_falls(const std::vector<Case>& cases) {
  constexpr double fall = 0.4;
  std::vector<Case> sorted;
  for (const Case& c : cases)
    if (is_square(c.shape)) sorted.push_back(c);
  const auto group = [](const Case& c) {
    return std::tuple(c.device, c.backend, c.library.file.value_or(""), c.dtype.name, c.data,
                      c.threads);
  };
  std::ranges::stable_sort(sorted, [&](const Case& x, const Case& y) {
    return std::tuple(group(x), x.shape.n) < std::tuple(group(y), y.shape.n);
  });
  std::vector<std::pair<Case, Case>> falls;
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (group(sorted[i - 1]) == group(sorted[i]) && sorted[i - 1].shape.n < sorted[i].shape.n &&
        sorted[i].flops < (1 - fall) * sorted[i - 1].flops)
      falls.emplace_back(sorted[i - 1], sorted[i]);
  return falls;
}

Speedups compare_cpu_gpu(const std::vector<Case>& cases, const std::vector<FirstUse>& first_uses) {
  const std::string device = find_gpu(cases);
  const std::vector<SizeSpeedup> sizes = all_sizes(cases, device, first_uses);
  if (sizes.empty()) return no_speedup(why_none(cases, device));
  const SizeSpeedup& main = *std::ranges::max_element(sizes, stands_for_more);
  return {main.kernel_only,
          main.with_transfers,
          main.first_use,
          one_thread(cases, main),
          {break_even_of(sizes, main.dtype, &SizeSpeedup::with_transfers),
           break_even_of(sizes, main.dtype, &SizeSpeedup::first_use)},
          sizes};
}

}  // namespace gpuready::bench
