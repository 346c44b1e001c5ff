#include "api/gpu_peak.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "bench/telemetry.hpp"

namespace gpuready::api {

namespace {

/// NVML tells clocks in steps of 15 MHz, about a hundredth of the whole.
constexpr double clock_slack_percent = 1;

const Gpu* gpu_of(const Machine& machine, const std::string& device) {
  const std::string kind = "cuda:";
  if (!base::starts_with(device, kind)) return nullptr;
  const auto index = base::to_integer(device.substr(kind.size()));
  const auto it = std::ranges::find_if(
      machine.gpus, [&](const Gpu& gpu) { return index && gpu.cuda_index.is(*index); });
  return it == machine.gpus.end() ? nullptr : &*it;
}

Fact<double> no_peak(const std::string& why) {
  return Fact<double>::absent(Absence::not_applicable, why);
}

/// Operations in one clock of the whole GPU; absent where the table does not know.
Fact<double> ops_per_clock(const Gpu& gpu, const std::vector<catalog::PeakOps>& table,
                           const Case& c) {
  if (!gpu.sm_count) return gpu.sm_count.pass_absence<double>();
  if (!gpu.compute_capability) return gpu.compute_capability.pass_absence<double>();
  const auto* row = catalog::find_peak_ops(table, *gpu.compute_capability, c.device_name);
  if (row == nullptr)
    return no_peak("compute capability " + *gpu.compute_capability +
                   " is newer than data/peak_ops.csv");
  const auto ops = row->ops.find(c.dtype.name);
  if (ops == row->ops.end())
    return no_peak("data/peak_ops.csv has no rate for " + c.dtype.name + " on this GPU");
  return {static_cast<double>(*gpu.sm_count) * ops->second, "data/peak_ops.csv"};
}

Fact<double> percent(double flops, const Fact<double>& ops, const Fact<double>& clock_hz) {
  if (!ops) return ops;
  if (!clock_hz) return clock_hz;
  if (!(*clock_hz > 0)) return no_peak("the clock is told to be 0");
  return {100 * flops / (*ops * *clock_hz), "bench"};
}

}  // namespace

void add_gpu_peak(const Machine& machine, const std::vector<catalog::PeakOps>& table, Case& c) {
  const Gpu* const gpu = gpu_of(machine, c.device);
  if (gpu == nullptr) return;
  const Fact<double> ops = ops_per_clock(*gpu, table, c);
  const Fact<double> seen =
      c.telemetry ? c.telemetry->sm_clock_hz : c.telemetry.pass_absence<double>();
  const Fact<double> highest = c.telemetry ? c.telemetry->sm_clock_max_hz : seen;
  c.percent_of_peak.clock_hz = seen;
  c.percent_of_peak.measured_clock = percent(c.flops, ops, seen);
  c.percent_of_peak.spec_clock = percent(c.flops, ops, highest);
  c.percent_of_peak.peak_flops = ops && seen ? Fact<double>(*ops * *seen, "data/peak_ops.csv")
                                 : ops       ? seen
                                             : ops;
  if (!c.percent_of_peak.measured_clock) return;
  const double found = *c.percent_of_peak.measured_clock;
  if (found > 100 + clock_slack_percent) c.flags.emplace_back("above-peak");
  if (bench::not_fed(*c.telemetry, found)) c.flags.emplace_back("not-fed");
}

}  // namespace gpuready::api
