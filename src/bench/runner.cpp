#include "bench/runner.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "bench/dtypes.hpp"
#include "bench/memory_plan.hpp"
#include "bench/operands.hpp"
#include "bench/stats.hpp"
#include "bench/stopping.hpp"
#include "bench/timing.hpp"
#include "bench/tuning.hpp"
#include "bench/verify.hpp"
#include "bench/wrong_product.hpp"
#include "gpuready/result.hpp"

namespace gpuready::bench {

namespace {

struct Failure {
  Message why;
  bool wrong_product = false;
};
using Step = tl::expected<void, Failure>;

tl::unexpected<Failure> fail(std::string key, std::vector<std::string> args,
                             bool wrong_product = false) {
  return tl::unexpected<Failure>(Failure{{std::move(key), std::move(args)}, wrong_product});
}

/// The sizes that every library's interface takes.
constexpr std::int64_t longest_side = std::numeric_limits<std::int32_t>::max();
constexpr int transfer_repetitions = 5;
/// More allocations than this would take longer than the products that they are for; what the cache
/// still holds then is told by a flag.
constexpr std::int64_t most_sets = 64;
/// Parts of the whole for the progress bar.
constexpr double progress_first = 0.1;
constexpr double progress_timed = 0.2;
constexpr double progress_check = 0.8;

/// One measurement, from the plan to the check; each step is called once, in order.
class CaseRun {
 public:
  CaseRun(Backend& backend, const MeasureRequest& request, const Clock& clock,
          const Progress& progress, const Monitor& monitor)
      : backend_(backend),
        request_(request),
        clock_(clock),
        progress_(progress),
        monitor_(monitor),
        device_(backend.describe().device) {}

  tl::expected<Case, Failure> measure() {
    for (const auto step :
         {&CaseRun::read_request, &CaseRun::prepare, &CaseRun::first_products,
          &CaseRun::choose_candidate, &CaseRun::warm_up, &CaseRun::wait_for_the_others,
          &CaseRun::take_samples, &CaseRun::time_transfers, &CaseRun::check_product})
      if (const Step done = (this->*step)(); !done) return tl::unexpected<Failure>(done.error());
    progress_(1);
    return result();
  }

 private:
  Step read_request() {
    const Shape& wanted = request_.shape;
    if (std::min({wanted.m, wanted.n, wanted.k}) < 1 ||
        std::max({wanted.m, wanted.n, wanted.k}) > longest_side)
      return fail("bench.error.shape",
                  {std::to_string(wanted.m), std::to_string(wanted.n), std::to_string(wanted.k)});
    const DtypeRow* const row = find_dtype(request_.backend.dtype);
    if (row == nullptr) return fail("bench.error.type", {request_.backend.dtype});
    const auto fill = fill_named(request_.data);
    if (!fill) return fail("bench.error.data", {request_.data});
    row_ = row;
    storage_ = {row->input, row->output};
    fill_ = *fill;
    return {};
  }

  Step prepare() {
    if (monitor_.before) monitor_.before();
    auto limits = ask_limits();
    if (!limits) return tl::unexpected<Failure>(limits.error());
    for (;;) {
      const auto shape = largest_that_fits(request_.shape, [&](const Shape& candidate) {
        return fits(candidate, *limits, host_need(candidate, 1), storage_);
      });
      if (!shape) return fail("bench.error.no-memory", {device_});
      const auto done = try_shape(*shape, *limits);
      if (done) break;
      if (done.error().code != out_of_memory_code)
        return fail("bench.error.prepare", {device_, done.error().text});
      limits->device_bytes = bytes_of_all(*shape, storage_) / 2;
    }
    progress_(progress_first);
    return {};
  }

  [[nodiscard]] tl::expected<MemoryLimits, Failure> ask_limits() {
    const auto budget = backend_.budget_bytes();
    if (!budget) return fail("bench.error.budget", {device_, budget.error().text});
    const auto largest = backend_.largest_matrix_bytes();
    if (!largest) return fail("bench.error.budget", {device_, largest.error().text});
    const std::int64_t host = request_.backend.host_budget_bytes;
    return MemoryLimits{
        *budget, *largest,
        host > 0 ? static_cast<double>(host) : std::numeric_limits<double>::infinity()};
  }

  /// A, B, the product that is read back, and what the backend keeps.
  [[nodiscard]] double host_need(const Shape& shape, std::int64_t sets) const {
    return bytes_of_all(shape, storage_) + backend_.host_bytes(shape, sets);
  }

  [[nodiscard]] std::int64_t sets_wanted(const Shape& shape) const {
    if (request_.cold) return 1;
    return wanted_sets(shape, storage_, backend_.cache_bytes(), backend_.runs_on_cpu() ? 1 : 2);
  }

  /// As many sets of buffers as are wanted and fit.
  [[nodiscard]] std::int64_t sets_that_fit(const Shape& shape, const MemoryLimits& limits) const {
    std::int64_t sets = std::min(sets_wanted(shape), most_sets);
    const auto too_many = [&] {
      return static_cast<double>(sets) * bytes_of_all(shape, storage_) > limits.device_bytes ||
             host_need(shape, sets) > limits.host_bytes;
    };
    while (sets > 1 && too_many()) sets = sets / 2;
    return sets;
  }

  Result<bool> try_shape(const Shape& shape, const MemoryLimits& limits) {
    try {
      operands_ = {};
      operands_ = make_operands(shape, storage_.input, fill_, request_.seed);
      sets_ = sets_that_fit(shape, limits);
      const auto done = backend_.prepare(operands_, sets_);
      if (done || sets_ == 1 || done.error().code != out_of_memory_code) return done;
      sets_ = 1;
      return backend_.prepare(operands_, sets_);
    } catch (const std::bad_alloc&) {
      return failure("main memory ran out", out_of_memory_code);
    }
  }

  /// One batch by the backend. Adds it to `batches`.
  Step run(std::int64_t repeats, std::vector<Batch>& batches) {
    const auto elapsed = backend_.run(repeats);
    if (!elapsed) return fail("bench.error.run", {device_, elapsed.error().text});
    if (!(elapsed->wall_s > 0)) return fail("bench.error.clock", {device_});
    batches.push_back({repeats, *elapsed});
    return {};
  }

  Step first_products() {
    std::vector<Batch> batches;
    for (Fact<double>* slice : {&first_call_.first_product_s, &first_call_.second_product_s}) {
      const double start = clock_();
      if (const Step done = run(1, batches); !done) {
        if (backend_.candidate_count() <= 1) return done;
        // Another way of the library may work: choose_candidate() tries them all.
        *slice = Fact<double>::absent(Absence::call_failed, "the library's first choice failed");
        break;
      }
      *slice = Fact<double>(clock_() - start, "clock");
    }
    progress_(progress_timed);
    if (!batches.empty()) second_ = batches.back();
    return {};
  }

  /// The fastest of the ways that the library offers; the first where there is only one.
  Step choose_candidate() {
    const auto chosen = choose_fastest(backend_, clock_, request_.max_time_s);
    if (!chosen) return fail("bench.error.run", {device_, chosen.error().text});
    algorithm_ = *chosen;
    if (algorithm_.candidates <= 1) return {};
    std::vector<Batch> batches;
    if (const Step done = run(1, batches); !done) return done;
    second_ = batches.back();
    return {};
  }

  Step warm_up() {
    const WarmUpRule rule = warm_up_rule(backend_.runs_on_cpu(), request_.max_time_s);
    // A product that is longer than the whole warm-up has warmed the device by itself, and is the
    // first sample.
    if (second_.elapsed.wall_s >= rule.max_time_s) {
      if (!request_.cold) batches_.push_back(second_);
      product_s_ = second_.elapsed.wall_s;
      return {};
    }
    std::vector<Batch> batches{second_};
    const double start = clock_() - second_.elapsed.wall_s;
    for (;;) {
      const std::vector<double> seconds = samples_of(batches).seconds;
      product_s_ = wall_per_product(batches.back());
      const std::int64_t repeats = repeats_for(product_s_, rule.batch_s);
      const WarmUp verdict =
          decide(rule, seconds, clock_() - start, product_s_ * static_cast<double>(repeats));
      steady_ = verdict != WarmUp::out_of_time || !seen_unsteady(rule, seconds);
      if (verdict != WarmUp::go_on) return {};
      if (const Step done = run(repeats, batches); !done) return done;
    }
  }

  /// Works on untimed: a GPU that rests meanwhile would start cool and with low clocks.
  Step wait_for_the_others() {
    std::vector<Batch> unused;
    while (clock_() < request_.start_at_s)
      if (const Step done = run(repeats_for(product_s_, shortest_batch_s), unused); !done)
        return done;
    return {};
  }

  static double wall_per_product(const Batch& batch) {
    return batch.elapsed.wall_s / static_cast<double>(batch.repeats);
  }

  Step take_samples() {
    const Watch watch(monitor_.sample);
    StoppingRule rule = stopping_rule(backend_.runs_on_cpu(), request_.max_time_s);
    rule.min_time_s = std::max(rule.min_time_s, request_.min_time_s);
    if (!batches_.empty()) product_s_ = wall_per_product(batches_.front());
    const double start = clock_() - (batches_.empty() ? 0 : batches_.front().elapsed.wall_s);
    const std::int64_t repeats = request_.cold ? 1 : repeats_for(product_s_, shortest_batch_s);
    for (;;) {
      const double elapsed = clock_() - start;
      const double next = batches_.empty() ? 0 : batches_.back().elapsed.wall_s;
      const Stop verdict = decide(rule, samples_of(batches_).seconds, elapsed, next);
      converged_ = verdict == Stop::converged;
      if (verdict != Stop::go_on) return {};
      if (const Step done = empty_cache(); !done) return done;
      if (const Step done = run(repeats, batches_); !done) return done;
      progress_(progress_timed +
                (progress_check - progress_timed) * std::min(1.0, elapsed / request_.max_time_s));
    }
  }

  Step empty_cache() {
    if (!request_.cold) return {};
    const auto done = backend_.flush_cache();
    return done ? Step{} : fail("bench.error.cold", {device_, done.error().text});
  }

  Step time_transfers() {
    progress_(progress_check);
    if (monitor_.after) monitor_.after();
    if (backend_.runs_on_cpu()) {
      transfers_s_ = Fact<double>::absent(Absence::not_applicable,
                                          "the CPU works in main memory: nothing travels");
      return {};
    }
    if (!request_.with_transfers) return {};
    std::vector<double> seconds;
    const double start = clock_();
    while (seconds.size() < transfer_repetitions &&
           (seconds.empty() || clock_() - start + seconds.back() < request_.max_time_s / 4)) {
      const auto once = backend_.run_with_transfers();
      if (!once) return fail("bench.error.transfers", {device_, once.error().text});
      seconds.push_back(*once);
    }
    transfers_s_ = Fact<double>(median(seconds), "clock");
    return {};
  }

  Step check_product() {
    if (const auto done = backend_.poison(); !done)
      return fail("bench.error.run", {device_, done.error().text});
    std::vector<Batch> batches;
    if (const Step done = run(1, batches); !done) return done;
    const auto product = backend_.read_back();
    if (!product) return fail("bench.error.read-back", {device_, product.error().text});
    const Check check = verify(operands_, *product, row_->tolerance, request_.seed);
    verification_ = check.verification;
    if (!verification_.passed)
      return tl::unexpected<Failure>(Failure{
          wrong_product_message(backend_.describe(), row_->name, operands_.shape, check), true});
    return {};
  }

  [[nodiscard]] Case result() const {
    Case c = backend_.describe();
    const Samples samples = samples_of(batches_);
    c.shape = operands_.shape;
    c.dtype = row_->dtype();
    c.data = request_.data;
    c.buffer_sets = sets_;
    c.algorithm.candidates = algorithm_.candidates;
    c.algorithm.rank = algorithm_.rank;
    c.algorithm.gain = algorithm_.gain;
    c.median_s = median(samples.seconds);
    c.ci95_s = median_interval(samples.seconds).interval;
    c.samples = static_cast<std::int64_t>(samples.seconds.size());
    c.flops = c.shape.flop() / c.median_s;
    if (request_.with_peak) c.percent_of_peak = backend_.percent_of_peak(c.flops);
    c.with_transfers_s = transfers_s_;
    c.first_call = first_call_;
    c.verification = verification_;
    add_flags(samples, c);
    return c;
  }

  /// A thousand times what the clock can tell apart: CUDA's events tell 0.5 us (cuEventElapsedTime
  /// in the driver's reference), this machine's clock some 30 ns.
  [[nodiscard]] double shortest_alone_s(const Samples& samples) const {
    const bool by_events = !batches_.empty() && batches_.front().elapsed.device_s.has_value();
    return by_events && !samples.event_clock_doubtful ? 500e-6 : 30e-6;
  }

  void add_flags(const Samples& samples, Case& c) const {
    const auto add = [&](bool due, const char* flag) {
      if (due) c.flags.emplace_back(flag);
    };
    add(!(operands_.shape == request_.shape), "shrunk");
    add(request_.cold, "cold");
    add(request_.cold && c.median_s < shortest_alone_s(samples), "coarse-clock");
    add(sets_ < sets_wanted(operands_.shape), "cache-warm");
    add(row_->name == "tf32" && verification_.fingerprint == "fp32", "finer-than-asked");
    // Nothing is faster than the peak: then the peak was measured wrong.
    add(c.percent_of_peak.measured_clock.value_or(0) > 100, "above-peak");
    add(!steady_, "not-steady");
    add(!converged_, "not-converged");
    add(median_interval(samples.seconds).coverage < 0.95, "few-samples");
    add(drifts(samples.seconds), "drifting");
    add(has_two_modes(samples.seconds), "two-modes");
    add(samples.event_clock_doubtful, "event-clock-doubtful");
  }

  Backend& backend_;
  const MeasureRequest& request_;
  const Clock& clock_;
  const Progress& progress_;
  const Monitor& monitor_;
  const std::string device_;
  const DtypeRow* row_ = nullptr;
  Storage storage_;
  Fill fill_ = Fill::uniform;
  std::int64_t sets_ = 1;
  Choice algorithm_;
  Operands operands_;
  FirstCall first_call_;
  Batch second_;
  double product_s_ = 0;
  bool steady_ = true, converged_ = false;
  std::vector<Batch> batches_;
  Fact<double> transfers_s_ = Fact<double>::absent(Absence::not_tested, "not asked for");
  Verification verification_;
};

MeasureAnswer error_answer(const MeasureRequest& request, Failure failure) {
  MeasureAnswer answer;
  answer.errors.push_back({request.backend.device, request.backend.backend, std::move(failure.why),
                           failure.wrong_product, request.backend.dtype});
  return answer;
}

}  // namespace

MeasureAnswer measure(host::Host& host, const MeasureRequest& request, const Clock& clock,
                      const Progress& progress, const Monitor& monitor) {
  progress(0);
  const double start = clock();
  const auto backend = open_backend(host, request.backend);
  const double load_s = clock() - start;
  if (!backend)
    return error_answer(
        request, {{"bench.error.open", {request.backend.backend, backend.error().text}}, false});
  MeasureAnswer answer = measure_on(**backend, request, clock, progress, monitor);
  for (Case& c : answer.cases) c.first_call.load_s = Fact<double>(load_s, "clock");
  return answer;
}

MeasureAnswer measure_on(Backend& backend, const MeasureRequest& request, const Clock& clock,
                         const Progress& progress, const Monitor& monitor) {
  try {
    auto measured = CaseRun(backend, request, clock, progress, monitor).measure();
    if (!measured) return error_answer(request, std::move(measured.error()));
    MeasureAnswer answer;
    answer.cases.push_back(std::move(*measured));
    return answer;
  } catch (const std::bad_alloc&) {
    return error_answer(request, {{"bench.error.host-memory", {request.backend.device}}, false});
  }
}

}  // namespace gpuready::bench
