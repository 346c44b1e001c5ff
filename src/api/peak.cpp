#include <algorithm>

#include "api/bench_modes.hpp"
#include "base/text.hpp"
#include "bench/peak_search.hpp"
#include "bench/sizes.hpp"
#include "bench/timing.hpp"

namespace gpuready::api {

namespace {

constexpr double try_s = 0.3, final_s = 2;

std::int64_t processors_of(const BenchRun& run, const std::string& device) {
  for (const Gpu& gpu : run.machine().gpus)
    if (gpu.cuda_index && device == "cuda:" + std::to_string(*gpu.cuda_index) && gpu.sm_count)
      return *gpu.sm_count;
  const auto& cpu = run.machine().cpu;
  return std::max<std::int64_t>(cpu.usable_physical_cores.value_or(1), 1);
}

bench::PeakSpace space_of(const BenchRun& run, const std::string& device, double budget_s) {
  bench::PeakSpace space;
  space.processors = processors_of(run, device);
  const auto second = plan_one(run, device, bench::square(8192), "fp32", try_s);
  // Where the usual squares would eat the time, the shapes are smaller.
  if (!second || run.predicted(*second) > budget_s / 4)
    space.largest = 4096, space.reference = 1024, space.depths = {512, 1024, 2048, 4096};
  if (device == "cpu") space.tile = 64;
  return space;
}

double rate_of(const std::vector<Case>& cases) { return cases.empty() ? 0 : cases.front().flops; }

/// The best shape, measured once more where there is time: the search picked it for its luck, too.
void keep_best(BenchRun& run, const std::string& dtype, const bench::PeakSearch& search,
               Case best) {
  if (best.shape.flop() == 0) return;
  const double seconds = std::min(final_s, run.request().max_time_s);
  const auto planned = plan_one(run, best.device, best.shape, dtype, seconds);
  if (planned && !run.stopped() && run.predicted(*planned) < run.left_s())
    if (const auto again = run.measure_now(*planned, {true, true}); !again.empty())
      best = again.front();
  const double flop = best.shape.flop();
  run.bench().peaks.push_back({best.device,
                               best.dtype,
                               best.shape,
                               best.flops,
                               {flop / best.ci95_s.high, flop / best.ci95_s.low},
                               search.tried()});
}

void search(BenchRun& run, const std::string& device, const std::string& dtype, double budget_s) {
  const double start = bench::steady_seconds();
  bench::PeakSearch search(space_of(run, device, budget_s));
  const auto elapsed = [&] { return bench::steady_seconds() - start; };
  const double search_s = budget_s * 0.85;
  Case best;
  while (!run.stopped()) {
    const auto shape = search.next();
    if (!shape) break;
    const auto planned = plan_one(run, device, *shape, dtype, try_s);
    if (!planned) return;
    const double seconds = run.predicted(*planned);
    const bool reference = search.tried() <= 2;
    if (elapsed() + seconds > search_s) {
      if (!reference && elapsed() > search_s / 2) break;
      continue;
    }
    run.show(elapsed() / budget_s, planned->what);
    const auto cases = run.measure_now(*planned, {search.tried() == 1, reference});
    if (cases.empty() && search.tried() == 1) return;
    search.report(*shape, rate_of(cases));
    if (!cases.empty() && search.best() == shape) best = cases.front();
  }
  keep_best(run, dtype, search, std::move(best));
}

}  // namespace

void search_peaks(BenchRun& run) {
  const auto devices = devices_of(run);
  const auto& dtypes = run.request().dtypes;
  const auto parts = static_cast<double>(devices.size() * dtypes.size());
  for (const std::string& device : devices)
    for (const std::string& dtype : dtypes)
      if (!run.stopped()) search(run, device, dtype, run.request().total_time_s / parts);
}

}  // namespace gpuready::api
