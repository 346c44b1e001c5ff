#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"
#include "bench/runner.hpp"
#include "bench/stats.hpp"

namespace gpuready::bench {

namespace {

bool same_types(const Dtype& x, const Dtype& y) {
  return x.input == y.input && x.compute == y.compute && x.accumulate == y.accumulate &&
         x.output == y.output;
}

const Case* find_gpu(const std::vector<Case>& cases) {
  for (const std::string_view kind : {"cuda", "opencl"})
    for (const Case& c : cases)
      if (base::starts_with(c.device, kind) &&
          std::ranges::find(c.flags, "opencl-on-cpu") == c.flags.end())
        return &c;
  return nullptr;
}

const Case* find_cpu(const std::vector<Case>& cases, const Case& gpu) {
  const Case* best = nullptr;
  for (const Case& c : cases)
    if (c.device == "cpu" && c.shape == gpu.shape && same_types(c.dtype, gpu.dtype) &&
        (best == nullptr || c.median_s < best->median_s))
      best = &c;
  return best;
}

Speedups no_speedup(const std::string& why) {
  const auto absent = Fact<Speedup>::absent(Absence::not_applicable, why);
  return {absent, absent, absent};
}

/// The median of the transfers has no interval of its own; the product's is moved along with it.
Fact<Speedup> with_transfers(const Case& cpu, const Case& gpu) {
  if (!gpu.with_transfers_s) return gpu.with_transfers_s.pass_absence<Speedup>();
  const double total = *gpu.with_transfers_s;
  const Interval around{total + (gpu.ci95_s.low - gpu.median_s),
                        total + (gpu.ci95_s.high - gpu.median_s)};
  return {Speedup{cpu.median_s / total, ratio_interval(cpu.ci95_s, around)}, "bench"};
}

/// A cold start happens once, so both ends of its interval are the ratio itself.
Fact<Speedup> first_use(const Case& cpu, const Case& gpu) {
  for (const auto* part :
       {&cpu.first_call.load_s, &cpu.first_call.first_product_s, &gpu.first_call.load_s,
        &gpu.first_call.first_product_s, &gpu.with_transfers_s})
    if (!*part) return part->pass_absence<Speedup>();
  const double travel = std::max(0.0, *gpu.with_transfers_s - gpu.median_s);
  const double cpu_s = *cpu.first_call.load_s + *cpu.first_call.first_product_s;
  const double gpu_s = *gpu.first_call.load_s + *gpu.first_call.first_product_s + travel;
  const double ratio = cpu_s / gpu_s;
  return {Speedup{ratio, {ratio, ratio}}, "bench"};
}

}  // namespace

Speedups compare_cpu_gpu(const std::vector<Case>& cases) {
  const Case* const gpu = find_gpu(cases);
  if (gpu == nullptr) return no_speedup("no GPU was measured");
  const Case* const cpu = find_cpu(cases, *gpu);
  if (cpu == nullptr)
    return no_speedup(
        base::format("no product of the same size and types was measured on the CPU "
                     "as on {} ({} x {} x {}, {})",
                     gpu->device, gpu->shape.m, gpu->shape.n, gpu->shape.k, gpu->dtype.input));
  return {
      {Speedup{cpu->median_s / gpu->median_s, ratio_interval(cpu->ci95_s, gpu->ci95_s)}, "bench"},
      with_transfers(*cpu, *gpu),
      first_use(*cpu, *gpu)};
}

}  // namespace gpuready::bench
