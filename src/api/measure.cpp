#include "api/measure.hpp"

#include <algorithm>

#include "api/bandwidth.hpp"
#include "api/measure_plan.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "bench/runner.hpp"

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

host::Command child_command(host::Host& host, const bench::MeasureRequest& request,
                            bool obey_tuning, const std::function<void(double)>& progress) {
  base::JsonWriter writer(base::keep_message);
  host::Command command;
  command.argv = {host.self(), "__measure"};
  command.input = base::dump_json(writer.write(request), false);
  command.deadline = deadline_of(request);
  if (!obey_tuning)
    for (const std::string& name : blas_tuning_variables())
      command.environment[name] = std::nullopt;
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
ChildAnswer ask_child(host::Host& host, const bench::MeasureRequest& request, bool obey_tuning,
                      const std::function<void(double)>& progress) {
  const host::Command command = child_command(host, request, obey_tuning, progress);
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
       false});
  return answer;
}

/// One case with each library in turn until one gives a right product. A library that fails is
/// tried once more with the user's tuning variables, which may be there to save it from a crash. A
/// hang is not tried again: the next library would cost the same time.
bench::MeasureAnswer measure_case(host::Host& host, const PlannedCase& planned,
                                  const std::function<void(double)>& progress) {
  bench::MeasureAnswer all;
  for (const bench::MeasureRequest& request : planned.attempts) {
    for (const bool obey_tuning : {false, true}) {
      if (obey_tuning && !planned.tuning_is_set) continue;
      ChildAnswer answer = ask_child(host, request, obey_tuning, progress);
      const auto& errors = answer.measured.errors;
      all.errors.insert(all.errors.end(), errors.begin(), errors.end());
      all.cases = std::move(answer.measured.cases);
      if (answer.hung || !all.cases.empty()) return all;
    }
  }
  return all;
}

/// Errors of libraries that another library of the same device made good are only notes.
void keep_what_matters(Bench& bench) {
  std::erase_if(bench.errors, [&](const CaseError& error) {
    const bool made_good =
        std::ranges::any_of(bench.cases, [&](const Case& c) { return c.device == error.device; });
    if (made_good)
      bench.notes.push_back({"bench.note.library-failed", {error.device, error.backend}});
    return made_good && !error.wrong_product;
  });
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
  const auto count = static_cast<double>(plan->cases.size());
  for (std::size_t i = 0; i < plan->cases.size(); ++i) {
    const PlannedCase& planned = plan->cases[i];
    const auto report = [&](double done) {
      if (progress) progress((static_cast<double>(i) + done) / count, planned.what);
    };
    report(0);
    bench::MeasureAnswer measured = measure_case(host, planned, report);
    auto& cases = answer.bench.cases;
    auto& errors = answer.bench.errors;
    cases.insert(cases.end(), measured.cases.begin(), measured.cases.end());
    errors.insert(errors.end(), measured.errors.begin(), measured.errors.end());
    report(1);
  }
  if (request.bandwidth) add_bandwidth(host, machine, request, progress, answer.bench);
  answer.answer = judge_bench(answer.bench);
  keep_what_matters(answer.bench);
  answer.bench.speedup = bench::compare_cpu_gpu(answer.bench.cases);
  return answer;
}

}  // namespace gpuready::api
