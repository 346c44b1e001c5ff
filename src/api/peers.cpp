#include "bench/peers.hpp"

#include <algorithm>

#include "api/bench_modes.hpp"
#include "bench/sizes.hpp"
#include "bench/timing.hpp"
#include "catalog/gemm_rates.hpp"

namespace gpuready::api {

namespace {

/// All are timed for so long at least, so that none works alone for long.
constexpr double at_once_s = 2;

struct Solo {
  bench::MeasureRequest request;
  Peer peer;
  double took_s = 0;  ///< from the start of its child to its end
};

/// What every GPU multiplies: the user's product, else one that fills any of them.
Shape joint_shape(const BenchRun& run) {
  return run.request().shapes_are_chosen ? run.request().shapes.front() : bench::square(4096);
}

std::vector<Solo> measure_alone(BenchRun& run, const std::vector<std::string>& gpus,
                                const std::string& dtype) {
  std::vector<Solo> solos;
  for (const std::string& device : gpus) {
    const auto planned = plan_one(run, device, joint_shape(run), dtype, run.request().max_time_s);
    if (!planned || run.stopped() || run.predicted(*planned) > run.left_s()) continue;
    run.show(1, planned->what);
    const double start = bench::steady_seconds();
    const CaseAnswer answer = measure_case(run.host(), *planned, run.patience(), [](double) {});
    auto& errors = run.bench().errors;
    errors.insert(errors.end(), answer.measured.errors.begin(), answer.measured.errors.end());
    if (!answer.used) continue;
    const Case& c = answer.measured.cases.front();
    Solo solo{*answer.used, {}, bench::steady_seconds() - start};
    solo.peer.device = device, solo.peer.device_name = c.device_name;
    solo.peer.alone_flops = Fact<double>(c.flops, "bench");
    solo.peer.together_flops = Fact<double>::absent(Absence::not_tested, "not measured together");
    solos.push_back(std::move(solo));
  }
  return solos;
}

void measure_at_once(BenchRun& run, std::vector<Solo>& solos) {
  if (run.stopped() || !(run.left_s() > 0)) return;
  // Nobody is slower to be ready than when it was measured whole, alone.
  double ready_s = 0;
  for (const Solo& solo : solos) ready_s = std::max(ready_s, solo.took_s);
  if (ready_s + at_once_s > run.left_s()) return;
  std::vector<bench::MeasureRequest> requests;
  for (const Solo& solo : solos) {
    requests.push_back(solo.request);
    requests.back().start_at_s = bench::steady_seconds() + ready_s;
    requests.back().min_time_s = std::min(at_once_s, solo.request.max_time_s);
  }
  run.show(1, {"bench.progress.all-gpus", {}});
  const auto answers = measure_together(run.host(), requests, run.patience());
  if (run.stopped()) return;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    auto& errors = run.bench().errors;
    errors.insert(errors.end(), answers[i].errors.begin(), answers[i].errors.end());
    if (!answers[i].cases.empty())
      solos[i].peer.together_flops = Fact<double>(answers[i].cases.front().flops, "bench");
  }
}

}  // namespace

void measure_peers(BenchRun& run) {
  const auto gpus = usable_gpus(run.machine());
  if (gpus.size() < 2) return;
  const std::string dtype = run.request().dtypes.front();
  std::vector<Solo> solos = measure_alone(run, gpus, dtype);
  measure_at_once(run, solos);
  // The published rates are of large squares of random numbers.
  const Shape shape = joint_shape(run);
  const bool comparable = shape == bench::square(shape.m) && shape.m >= 4096 &&
                          run.request().data == "uniform" && !run.request().cold;
  std::vector<std::optional<double>> floors;
  for (const Solo& solo : solos) {
    floors.push_back(comparable ? catalog::gemm_floor(solo.peer.device_name, dtype)
                                : std::optional<double>());
    run.bench().peers.push_back(solo.peer);
  }
  bench::judge_peers(floors, run.bench().peers);
}

}  // namespace gpuready::api
