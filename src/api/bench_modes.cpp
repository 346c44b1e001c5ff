#include "api/bench_modes.hpp"

#include <algorithm>

#include "api/bandwidth.hpp"
#include "base/text.hpp"
#include "bench/sizes.hpp"

namespace gpuready::api {

namespace {

/// What a mode measures where the user did not say it.
BenchRequest with_usual_choices(const BenchRequest& request, const Machine& machine) {
  BenchRequest out = request;
  const bool all = request.device == "all";
  if (all) {
    const auto gpus = usable_gpus(machine);
    out.device = gpus.empty() ? "" : gpus.front();
  }
  if (request.shapes_are_chosen) return out;
  if (request.mode == BenchMode::quick) out.shapes = bench::quick_shapes();
  if (request.mode == BenchMode::standard) out.shapes = bench::standard_shapes();
  return out;
}

/// The types that only make sense at one size in a sweep: every other one, on the GPU.
Result<bool> add_types(BenchRun& run) {
  if (run.request().dtypes_are_chosen) return true;
  const auto devices = devices_of(run);
  for (const std::string& device : devices) {
    if (device == "cpu") continue;
    BenchRequest types = run.request();
    types.device = device;
    types.shapes = {bench::square(4096), bench::square(8192)};
    types.dtypes = {"tf32", "bf16", "fp16", "fp8", "int8", "fp64"};
    if (base::starts_with(device, "cuda"))
      if (const auto good = run.add(types); !good) return good;
  }
  return true;
}

/// The size that the lesson and the sweep quote, on one thread of the CPU.
Result<bool> add_one_thread(BenchRun& run, const Shape& shape) {
  const auto devices = devices_of(run);
  if (devices.size() < 2 || run.request().threads > 0) return true;
  BenchRequest single = run.request();
  single.device = "cpu", single.threads = 1, single.shapes = {shape}, single.dtypes = {"fp32"};
  return run.add(single);
}

Result<bool> add_all(BenchRun& run) {
  const BenchRequest& request = run.request();
  const BenchRequest usual = with_usual_choices(request, run.machine());
  if (const auto good = run.add(usual); !good) return good;
  if (request.mode == BenchMode::standard)
    if (const auto good = add_types(run); !good) return good;
  if (request.mode == BenchMode::standard || request.mode == BenchMode::lesson)
    if (const auto good = add_one_thread(run, bench::square(5000)); !good) return good;
  return true;
}

Result<BenchAnswer> measure_products(BenchRun& run) {
  const BenchRequest& request = run.request();
  if (const auto good = add_all(run); !good) return tl::unexpected(good.error());
  if (request.products) {
    run.announce();
    run.measure();
    if (request.every_cpu_library) run.measure_second_round();
  }
  if (request.bandwidth) add_bandwidth(run);
  if (request.mode == BenchMode::lesson || request.mode == BenchMode::standard)
    run.repeat_first_use();
  const bool several =
      (request.device == "all" && request.products) || (request.mode == BenchMode::standard && request.device.empty());
  if (several) measure_peers(run);
  if (request.torch) measure_torch(run);
  return run.finish();
}

}  // namespace

std::vector<std::string> usable_gpus(const Machine& machine) {
  std::vector<std::string> names;
  for (const Gpu& gpu : machine.gpus)
    if (gpu.kernel.is(true) && gpu.cuda_index)
      names.push_back("cuda:" + std::to_string(*gpu.cuda_index));
  std::ranges::sort(names);
  return names;
}

std::optional<PlannedCase> plan_one(const BenchRun& run, const std::string& device,
                                    const Shape& shape, const std::string& dtype,
                                    double max_time_s) {
  BenchRequest part = run.request();
  part.device = device, part.shapes = {shape}, part.dtypes = {dtype};
  part.max_time_s = max_time_s;
  if (device == "cpu" || base::starts_with(device, "opencl")) part.backend.clear();
  auto plan = plan_cases(run.machine(), run.doctor(), part);
  if (!plan || plan->cases.empty() || plan->cases.front().attempts.empty()) return {};
  return std::move(plan->cases.front());
}

std::vector<std::string> devices_of(const BenchRun& run) {
  BenchRequest part = run.request();
  part.shapes = {bench::square(8)}, part.dtypes = {"fp32"};
  if (part.device == "all") part.device.clear();
  const auto plan = plan_cases(run.machine(), run.doctor(), part);
  std::vector<std::string> devices;
  if (!plan) return devices;
  for (const PlannedCase& planned : plan->cases)
    if (!planned.attempts.empty()) devices.push_back(planned.attempts.front().backend.device);
  return devices;
}

Result<BenchAnswer> run_bench(host::Host& host, const Machine& machine, const Doctor& doctor,
                              const BenchRequest& request, const ProgressSink& progress) {
  BenchRun run(host, machine, doctor, request, progress);
  if (request.mode == BenchMode::peak) {
    if (const auto good = plan_cases(machine, doctor, with_usual_choices(request, machine)); !good)
      return tl::unexpected(good.error());
    search_peaks(run);
    return run.finish();
  }
  if (request.mode == BenchMode::claims) {
    if (const auto good = try_claims(run); !good) return tl::unexpected(good.error());
    return run.finish();
  }
  return measure_products(run);
}

}  // namespace gpuready::api
