#include "api/measure.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "api/bandwidth.hpp"
#include "api/gpu_peak.hpp"
#include "api/cpu_plan.hpp"
#include "api/measure_plan.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "bench/runner.hpp"
#include "catalog/tables.hpp"

namespace gpuready::api {

namespace {

/// When a child must be done: its start (a server with many GPUs takes long over it), some products
/// at a rate that any working device reaches (an old CPU core does 4 GFLOP/s in fp32, the slowest
/// GPU that CUDA still knows over 100), the timed section, the transfers and the check.
std::chrono::milliseconds deadline_of(const bench::MeasureRequest& request) {
  constexpr double start_s = 60, products = 4, gpu_rate = 100e9, core_rate = 4e9;
  const bool cpu = request.backend.device == "cpu" || request.backend.backend == "clblast";
  const double rate =
      cpu ? core_rate * static_cast<double>(std::max<std::int64_t>(request.backend.threads, 1))
          : gpu_rate;
  const double seconds = start_s + products * request.shape.flop() / rate + 2 * request.max_time_s;
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::min(seconds, 86400.0) * 1000));
}

/// The last whole line of a progress stream as a number from 0 to 1.
class ProgressLines {
 public:
  void add(std::string_view piece) { text_ += piece; }
  std::optional<double> latest() {
    const std::size_t end = text_.rfind('\n');
    if (end == std::string::npos) return {};
    const std::size_t start = end == 0 ? std::string::npos : text_.rfind('\n', end - 1);
    const std::size_t from = start == std::string::npos ? 0 : start + 1;
    const auto value = base::to_number(text_.substr(from, end - from));
    text_.erase(0, end + 1);
    return value;
  }

 private:
  std::string text_;
};

/// What is changed in the environment of a child.
using Environment = std::map<std::string, std::optional<std::string>>;

/// The user's tuning variables removed, unless they are to be obeyed, and what the case asks for.
Environment environment_of(const PlannedCase& planned, bool obey_tuning) {
  Environment changes;
  if (!obey_tuning)
    for (const std::string& name : cpu_tuning_variables()) changes[name] = std::nullopt;
  for (const auto& [name, value] : planned.environment) changes[name] = value;
  return changes;
}

host::Command child_command(host::Host& host, const bench::MeasureRequest& request,
                            Environment environment, const std::function<void(double)>& progress) {
  base::JsonWriter writer(base::keep_message);
  host::Command command;
  command.argv = {host.self(), "__measure"};
  command.input = base::dump_json(writer.write(request), false);
  command.deadline = deadline_of(request);
  command.environment = std::move(environment);
  command.on_errors = [lines = ProgressLines{}, progress](std::string_view piece) mutable {
    lines.add(piece);
    if (const auto done = lines.latest()) progress(*done);
  };
  return command;
}

/// The library that a child was to use, for its error.
std::string library_name(const bench::BackendRequest& request) {
  return request.library_file.empty() ? request.backend : request.library_file;
}

struct ChildAnswer {
  bench::MeasureAnswer measured;
  bool hung = false;
};

/// The child's answer, or an error made from how it ended.
ChildAnswer ask_child(host::Host& host, const bench::MeasureRequest& request,
                      Environment environment, const std::function<void(double)>& progress) {
  const host::Command command = child_command(host, request, std::move(environment), progress);
  const host::CommandResult result = host.run(command);
  ChildAnswer answer;
  if (result.end == host::End::exited && result.code == 0) {
    const auto json = base::parse_json(result.output);
    base::JsonReader reader;
    if (json && reader.read(*json, answer.measured)) return answer;
  }
  answer.measured = {};
  answer.hung = result.end == host::End::timed_out;
  answer.measured.errors.push_back(
      {request.backend.device,
       request.backend.backend,
       {"bench.error.child", {describe(result, command), library_name(request.backend)}},
       false,
       request.backend.dtype});
  return answer;
}

/// The attempts, the fastest of short products first; those that fail last. Their wrong products
/// are told, as such a library would be believed elsewhere.
std::vector<bench::MeasureRequest> fastest_first(host::Host& host, const PlannedCase& planned,
                                                 std::vector<CaseError>& errors) {
  struct Tried {
    bench::MeasureRequest request;
    double flops = 0;
  };
  std::vector<Tried> tried;
  for (const bench::MeasureRequest& request : planned.attempts) {
    const ChildAnswer answer =
        ask_child(host, trial_of(request), environment_of(planned, false), [](double) {});
    const auto& cases = answer.measured.cases;
    tried.push_back({request, cases.empty() ? 0 : cases.front().flops});
    std::ranges::copy_if(answer.measured.errors, std::back_inserter(errors),
                         [](const CaseError& error) { return error.wrong_product; });
  }
  std::ranges::stable_sort(tried, std::greater(), &Tried::flops);
  std::vector<bench::MeasureRequest> ordered;
  for (Tried& one : tried) ordered.push_back(std::move(one.request));
  return ordered;
}

/// One case with each library in turn until one gives a right product. A library that fails is
/// tried once more with the user's tuning variables, which may be there to save it from a crash. A
/// hang is not tried again: the next library would cost the same time.
bench::MeasureAnswer measure_case(host::Host& host, const PlannedCase& planned,
                                  const std::function<void(double)>& progress) {
  bench::MeasureAnswer all;
  const std::vector<bench::MeasureRequest> attempts =
      planned.tries_first ? fastest_first(host, planned, all.errors) : planned.attempts;
  for (const bench::MeasureRequest& request : attempts) {
    for (const bool obey_tuning : {planned.obeys_tuning, true}) {
      if (obey_tuning && !planned.obeys_tuning && !planned.tuning_is_set) continue;
      ChildAnswer answer = ask_child(host, request, environment_of(planned, obey_tuning), progress);
      const auto& errors = answer.measured.errors;
      if (!planned.is_optional) all.errors.insert(all.errors.end(), errors.begin(), errors.end());
      all.cases = std::move(answer.measured.cases);
      if (!planned.flag.empty())
        for (Case& c : all.cases) c.flags.push_back(planned.flag);
      if (answer.hung || !all.cases.empty() || planned.obeys_tuning) return all;
    }
  }
  return all;
}

/// A part of the progress bar.
struct Part {
  double from = 0, to = 1;
  const ProgressSink& sink;
};

void measure_all(host::Host& host, const std::vector<PlannedCase>& planned, const Part& part,
                 Bench& bench) {
  const double share = (part.to - part.from) / static_cast<double>(planned.size());
  for (std::size_t i = 0; i < planned.size(); ++i) {
    const auto report = [&](double done) {
      if (part.sink)
        part.sink(part.from + share * (static_cast<double>(i) + done), planned[i].what);
    };
    report(0);
    const bench::MeasureAnswer measured = measure_case(host, planned[i], report);
    bench.cases.insert(bench.cases.end(), measured.cases.begin(), measured.cases.end());
    bench.errors.insert(bench.errors.end(), measured.errors.begin(), measured.errors.end());
    report(1);
  }
}

bool is_made_good(const Bench& bench, const CaseError& error) {
  return std::ranges::any_of(bench.cases, [&](const Case& c) {
    return c.device == error.device && (error.dtype.empty() || c.dtype.name == error.dtype);
  });
}

/// Errors of libraries that another library of the same device made good are only notes, unless
/// every library was to be measured.
void keep_what_matters(Bench& bench, bool every_cpu_library) {
  std::vector<CaseError> kept;
  for (CaseError& error : bench.errors) {
    const bool told_before = std::ranges::any_of(kept, [&](const CaseError& other) {
      return other.device == error.device && other.backend == error.backend &&
             other.why == error.why;
    });
    if (told_before) continue;
    const bool wanted = every_cpu_library && error.device == "cpu";
    const bool made_good = !wanted && is_made_good(bench, error);
    if (made_good)
      bench.notes.push_back({"bench.note.library-failed", {error.device, error.backend}});
    if (!made_good || error.wrong_product) kept.push_back(std::move(error));
  }
  bench.errors = std::move(kept);
}

}  // namespace

Answer judge_bench(const Bench& bench) {
  const bool wrong =
      std::ranges::any_of(bench.errors, [](const CaseError& e) { return e.wrong_product; }) ||
      std::ranges::any_of(bench.cases, [](const Case& c) { return !c.verification.passed; });
  if (wrong) return Answer::wrong_product;
  return bench.cases.empty() && bench.bandwidth.empty() ? Answer::undecided : Answer::yes;
}

Result<BenchAnswer> run_bench(host::Host& host, const Machine& machine, const Doctor& doctor,
                              const BenchRequest& request, const ProgressSink& progress) {
  auto plan = plan_cases(machine, doctor, request);
  if (!plan) return tl::unexpected(plan.error());
  BenchAnswer answer;
  answer.bench.errors = plan->impossible;
  answer.bench.notes = plan->notes;
  if (!request.products) plan->cases.clear();
  // The second round is about as long as the first one's part for the CPU.
  const bool goes_on = request.every_cpu_library && request.products && plan->has_cpu;
  const double first_part = goes_on ? 0.6 : 1;
  measure_all(host, plan->cases, {0, first_part, progress}, answer.bench);
  if (goes_on) {
    const auto more = plan_second_round(machine, request, answer.bench.cases);
    measure_all(host, more, {first_part, 1, progress}, answer.bench);
    std::ranges::stable_partition(answer.bench.cases,
                                  [](const Case& c) { return c.device == "cpu"; });
  }
  if (request.bandwidth) add_bandwidth(host, machine, request, progress, answer.bench);
  answer.answer = judge_bench(answer.bench);
  keep_what_matters(answer.bench, goes_on);
  if (plan->has_cpu && request.products)
    std::ranges::copy(cpu_notes(machine, answer.bench.cases),
                      std::back_inserter(answer.bench.notes));
  for (Case& c : answer.bench.cases) add_gpu_peak(machine, catalog::tables().peaks, c);
  answer.bench.speedup = bench::compare_cpu_gpu(answer.bench.cases);
  return answer;
}

}  // namespace gpuready::api
