#include "api/bench_run.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "api/cpu_plan.hpp"
#include "api/gpu_peak.hpp"
#include "base/format.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "bench/compare.hpp"
#include "bench/sizes.hpp"
#include "bench/timing.hpp"
#include "catalog/tables.hpp"

namespace gpuready::api {

namespace {

/// The type and size that a request asks for.
std::string product_of(const bench::MeasureRequest& request) {
  const Shape& s = request.shape;
  return base::format("{}, {} x {} x {}", request.backend.dtype, s.m, s.k, s.n);
}

/// Half of what a GPU's processors do in fp32 at 1.2 GHz (128 operations a clock is the least of
/// any generation since Maxwell); fp64 is a sixteenth of that where it is not built for it.
double guessed_gpu_rate(const Machine& machine, const bench::BackendRequest& request) {
  constexpr double part = 0.5, clock_hz = 1.2e9, per_clock = 128, usual_processors = 20;
  double processors = usual_processors;
  for (const Gpu& gpu : machine.gpus)
    if (gpu.cuda_index && request.device == "cuda:" + std::to_string(*gpu.cuda_index))
      processors = static_cast<double>(gpu.sm_count.value_or(20));
  return part * clock_hz * per_clock * processors * (request.dtype == "fp64" ? 1.0 / 16 : 1.0);
}

/// Half of what the CPU's instructions could do at 2.5 GHz.
double guessed_cpu_rate(const Machine& machine, const bench::BackendRequest& request) {
  constexpr double part = 0.5, clock_hz = 2.5e9;
  const auto sets = machine.cpu.instruction_sets.value_or({});
  const auto has = [&](const char* name) { return std::ranges::find(sets, name) != sets.end(); };
  const double per_clock = has("avx512f") ? 64 : has("avx2") ? 32 : 8;
  const auto threads = static_cast<double>(std::max<std::int64_t>(request.threads, 1));
  return part * clock_hz * per_clock * threads * (request.dtype == "fp64" ? 0.5 : 1.0);
}

bench::Pace first_guess(const Machine& machine, const bench::BackendRequest& request) {
  bench::Pace pace;
  if (base::starts_with(request.device, "cuda")) {
    pace.start_s = 1.5, pace.flops = guessed_gpu_rate(machine, request);
  } else if (base::starts_with(request.device, "opencl")) {
    pace.start_s = 2, pace.flops = 1e10;
  } else {
    pace.start_s = 0.4, pace.flops = guessed_cpu_rate(machine, request);
  }
  return pace;
}

/// The loop that shows the CPU's peak takes a second and more, and much more on a busy machine.
bool has_time_for_peak(const BenchRequest& run, const Shape& shape) {
  constexpr double enough_s = 20;
  if (!(run.total_time_s > 0)) return true;
  if (run.mode == BenchMode::standard) return shape == bench::square(4096);
  return run.mode == BenchMode::products && run.total_time_s >= enough_s;
}

std::string pace_key(const bench::BackendRequest& request) {
  return request.device + " " + request.dtype + (request.threads == 1 ? " 1" : "");
}

/// Parts of the time that is left: a little, or half of it, is kept for what takes longer than
/// foreseen, for a second round, and for cold starts.
constexpr double share_of_last_round = 0.9;
constexpr double share_before_another = 0.5;

/// Warm-up, timed section, transfers and the search for an algorithm come to about this much of the
/// limit that the timed section has.
constexpr double timed_factor = 1.5;

}  // namespace

BenchRun::BenchRun(host::Host& host, const Machine& machine, const Doctor& doctor,
                   const BenchRequest& request, const ProgressSink& progress)
    : host_(host),
      machine_(machine),
      doctor_(doctor),
      request_(request),
      progress_(progress),
      start_s_(bench::steady_seconds()) {
  if (request.total_time_s > 0)
    bench_.time.limit_s = Fact<double>(request.total_time_s, "--max-time");
}

Result<bool> BenchRun::add(const BenchRequest& part) {
  auto plan = plan_cases(machine_, doctor_, part);
  if (!plan) return tl::unexpected(plan.error());
  const auto add_new = [](auto& list, auto& items, auto same) {
    for (auto& item : items)
      if (std::ranges::none_of(list, [&](const auto& known) { return same(known, item); }))
        list.push_back(std::move(item));
  };
  has_cpu_ = has_cpu_ || (plan->has_cpu && part.products);
  add_new(bench_.errors, plan->impossible, [](const CaseError& x, const CaseError& y) {
    return x.device == y.device && x.why.key == y.why.key;
  });
  add_new(bench_.notes, plan->notes,
          [](const Message& x, const Message& y) { return x.key == y.key; });
  for (PlannedCase& planned : plan->cases) {
    if (planned.attempts.empty()) continue;
    for (bench::MeasureRequest& request : planned.attempts)
      request.with_peak = request.with_peak && has_time_for_peak(request_, request.shape);
    waiting_.push_back(std::move(planned));
  }
  return true;
}

/// Of a type that was not measured yet, what the device did in another one says more than a guess:
/// no type is more than some times as fast as fp32.
bench::Pace BenchRun::pace_of(const bench::MeasureRequest& request) const {
  const auto known = paces_.find(pace_key(request.backend));
  if (known != paces_.end()) return known->second;
  bench::Pace pace = first_guess(machine_, request.backend);
  constexpr double most_times = 8;
  double best = 0;
  for (const auto& [key, other] : paces_)
    if (base::starts_with(key, request.backend.device + " "))
      best = std::max(best, other.flops), pace.start_s = other.start_s;
  if (best > 0) pace.flops = std::min(pace.flops, most_times * best), pace.guessed = false;
  return pace;
}

bench::CaseTime BenchRun::time_of(const PlannedCase& planned) const {
  constexpr double trial_s = 0.5;  // its products and its timed section
  const bench::MeasureRequest& request = planned.attempts.front();
  const bench::Pace pace = pace_of(request);
  const double trials_s =
      planned.tries_first ? static_cast<double>(planned.attempts.size()) * (pace.start_s + trial_s)
                          : 0;
  return {request.shape, pace, timed_factor * request.max_time_s, trials_s};
}

double BenchRun::predicted(const PlannedCase& planned) const {
  return bench::predicted_s(time_of(planned));
}

double BenchRun::left_s() const {
  if (!(request_.total_time_s > 0)) return std::numeric_limits<double>::infinity();
  return request_.total_time_s - (bench::steady_seconds() - start_s_);
}

Patience BenchRun::patience() const {
  Patience patience{{}, request_.stopped};
  if (request_.total_time_s > 0) patience.until_s = start_s_ + request_.total_time_s;
  return patience;
}

void BenchRun::show(double done, const Message& what) const {
  if (progress_) progress_(done, what);
}

/// With a limit, the first case gets its share of what the products leave, or is left out.
bool BenchRun::has_time(std::deque<PlannedCase>& waiting, double part) {
  if (!(request_.total_time_s > 0)) return true;
  std::vector<bench::CaseTime> times;
  for (const PlannedCase& planned : waiting) times.push_back(time_of(planned));
  const bench::NextCase next = bench::decide_next(times, left_s(), part);
  if (next.leave_out) return false;
  for (bench::MeasureRequest& request : waiting.front().attempts)
    request.max_time_s = std::min(request.max_time_s, next.timed_s / timed_factor);
  return true;
}

void BenchRun::leave_out(const PlannedCase& planned) {
  const bench::MeasureRequest& request = planned.attempts.front();
  const double seconds = predicted(planned);
  bench_.time.left_out.push_back(
      {"bench.left-out",
       {request.backend.device, product_of(request), base::show_seconds(seconds)}});
  if (request_.tell) request_.tell(bench_.time.left_out.back());
}

void BenchRun::announce() {
  std::ranges::stable_sort(waiting_, {}, [](const PlannedCase& planned) {
    return planned.attempts.front().shape.flop();
  });
  for (const PlannedCase& planned : waiting_) bench_.time.predicted_s += predicted(planned);
  bench_.time.predicted_s = std::min(bench_.time.predicted_s, left_s());
  if (!request_.tell || waiting_.empty()) return;
  request_.tell({"bench.plan",
                 {std::to_string(waiting_.size()),
                  base::show_seconds(std::max(1.0, std::ceil(bench_.time.predicted_s)))}});
}

/// Of the libraries for a product the fastest is found once, and taken for other sizes too; but a
/// small product says little of one that is four times as large on each side.
void BenchRun::reuse_choice(PlannedCase& planned) const {
  if (!planned.tries_first) return;
  constexpr double much_larger = 64;
  for (const Done& done : done_) {
    const bench::BackendRequest& known = done.planned.attempts.front().backend;
    if (!done.chosen || known.dtype != planned.attempts.front().backend.dtype) continue;
    if (planned.attempts.front().shape.flop() >= much_larger * done.measured.shape.flop()) continue;
    const auto same = std::ranges::find_if(planned.attempts, [&](const auto& attempt) {
      return attempt.backend.backend == known.backend &&
             attempt.backend.library_file == known.library_file;
    });
    if (same == planned.attempts.end()) continue;
    std::rotate(planned.attempts.begin(), same, std::next(same));
    planned.tries_first = false;
    return;
  }
}

/// Errors of libraries that another library made good for the same case are only notes.
BenchRun::Timed BenchRun::measure_timed(const PlannedCase& planned,
                                        const std::function<void(double)>& progress) {
  const double start = bench::steady_seconds();
  CaseAnswer answer = measure_case(host_, planned, patience(), progress);
  return {std::move(answer), bench::steady_seconds() - start};
}

std::vector<Case> BenchRun::keep(const PlannedCase& planned, Timed timed, Keep what) {
  const CaseAnswer& answer = timed.answer;
  const bool made_good = !answer.measured.cases.empty();
  for (const CaseError& error : answer.measured.errors) {
    const bool told_before = std::ranges::any_of(bench_.errors, [&](const CaseError& other) {
      return other.device == error.device && other.backend == error.backend &&
             other.why == error.why;
    });
    if (!told_before && (error.wrong_product || (!made_good && what.error)))
      bench_.errors.push_back(error);
    if (!made_good) continue;
    const Message note{"bench.note.library-failed", {error.device, error.backend}};
    const bool known = std::ranges::any_of(
        bench_.notes, [&](const Message& m) { return m.key == note.key && m.args == note.args; });
    if (!known) bench_.notes.push_back(note);
  }
  for (const Case& c : answer.measured.cases) {
    bench::Pace& pace =
        paces_.try_emplace(pace_key(answer.used->backend), pace_of(*answer.used)).first->second;
    const bench::CaseTime foreseen{c.shape, pace, timed_factor * answer.used->max_time_s, 0};
    pace = bench::learn(pace, c, foreseen, planned.tries_first ? 0 : timed.wall_s);
    if (!what.result) continue;
    if (request_.on_case) request_.on_case(c);
    PlannedCase used = planned;
    used.attempts = {*answer.used};
    used.tries_first = false;
    done_.push_back({std::move(used), c, planned.tries_first});
    bench_.cases.push_back(c);
  }
  return answer.measured.cases;
}

std::vector<Case> BenchRun::measure_now(const PlannedCase& planned, Keep what) {
  return keep(planned, measure_timed(planned, [](double) {}), what);
}

void BenchRun::measure(double part) {
  std::deque<PlannedCase> waiting{std::make_move_iterator(waiting_.begin()),
                                  std::make_move_iterator(waiting_.end())};
  waiting_.clear();
  double done_s = 0;
  for (; !waiting.empty() && !stopped(); waiting.pop_front()) {
    reuse_choice(waiting.front());
    if (!has_time(waiting, part)) {
      leave_out(waiting.front());
      continue;
    }
    const PlannedCase& planned = waiting.front();
    const double seconds = predicted(planned);
    double rest_s = 0;
    for (const PlannedCase& one : waiting) rest_s += predicted(one);
    rest_s = std::max(std::min(rest_s, left_s()), seconds);
    const auto report = [&](double done) {
      show((done_s + done * seconds) / (done_s + rest_s), planned.what);
    };
    report(0);
    Timed timed = measure_timed(planned, report);
    const bool nothing =
        timed.answer.measured.cases.empty() && timed.answer.measured.errors.empty();
    if (nothing && !stopped()) leave_out(planned);  // the time was over among the trials
    keep(planned, std::move(timed), {!stopped(), true});
    done_s += seconds;
  }
}

std::vector<double> BenchRun::cold_starts(const Done& done, double budget_s) {
  constexpr std::size_t most = 6;
  std::vector<double> seconds;
  if (const auto first = bench::cold_start_s(done.measured)) seconds.push_back(*first);
  PlannedCase again = done.planned;
  again.attempts.front().max_time_s = 0.02;
  const double start = bench::steady_seconds();
  const double each_s = predicted(again);
  while (!seconds.empty() && seconds.size() < most && !stopped() && each_s < left_s() &&
         bench::steady_seconds() - start + each_s < budget_s) {
    const CaseAnswer answer = measure_case(host_, again, patience(), [](double) {});
    if (answer.measured.cases.empty()) break;
    const auto once = bench::cold_start_s(answer.measured.cases.front());
    if (!once) break;
    seconds.push_back(*once);
  }
  return seconds;
}

void BenchRun::repeat_first_use() {
  const Speedups speedups = bench::compare_cpu_gpu(bench_.cases);
  if (!speedups.first_use) return;
  const auto main = std::ranges::find_if(speedups.sizes, [&](const SizeSpeedup& s) {
    return s.first_use && s.first_use->ratio == speedups.first_use->ratio;
  });
  if (main == speedups.sizes.end()) return;
  constexpr double budget_s = 15;
  show(1, {"bench.progress.first-use", {}});
  for (const std::string& device : {std::string("cpu"), main->device})
    for (const Done& done : done_) {
      const Case& c = done.measured;
      if (c.device != device || !(c.shape == main->shape) ||
          !bench::same_types(c.dtype, main->dtype))
        continue;
      const auto seconds = cold_starts(done, budget_s);
      if (seconds.size() > 1)
        if (auto use = bench::first_use_of(c, seconds)) bench_.first_use.push_back(*use);
      break;
    }
}

void BenchRun::measure() {
  const bool goes_on = request_.every_cpu_library || request_.mode == BenchMode::lesson;
  measure(goes_on ? share_before_another : share_of_last_round);
}

void BenchRun::measure_second_round() {
  if (!has_cpu_ || stopped()) return;
  waiting_ = plan_second_round(machine_, request_, bench_.cases);
  measure(share_of_last_round);
  std::ranges::stable_partition(bench_.cases, [](const Case& c) { return c.device == "cpu"; });
}

void BenchRun::add_notes() {
  if (has_cpu_)
    std::ranges::copy(cpu_notes(machine_, bench_.cases), std::back_inserter(bench_.notes));
  for (const auto& [before, after] : bench::sudden_falls(bench_.cases))
    bench_.notes.push_back({"bench.note.rate-falls",
                            {after.device, after.dtype.name, base::show_flops(before.flops),
                             std::to_string(before.shape.n), base::show_flops(after.flops),
                             std::to_string(after.shape.n)}});
  if (request_.cold && !bench_.cases.empty()) bench_.notes.push_back({"bench.note.cold", {}});
  if (stopped()) bench_.notes.push_back({"bench.note.stopped", {}});
}

BenchAnswer BenchRun::finish() {
  bench_.time.took_s = bench::steady_seconds() - start_s_;
  for (Case& c : bench_.cases) add_gpu_peak(machine_, catalog::tables().peaks, c);
  bench_.speedup = bench::compare_cpu_gpu(bench_.cases, bench_.first_use);
  add_notes();
  BenchAnswer answer{std::move(bench_), Answer::yes};
  answer.answer = judge_bench(answer.bench, request_.strict);
  return answer;
}

}  // namespace gpuready::api
