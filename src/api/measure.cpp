#include "api/measure.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "api/cpu_plan.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "bench/runner.hpp"
#include "bench/timing.hpp"

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
  const double waiting = std::max(0.0, request.start_at_s - bench::steady_seconds());
  const double seconds =
      start_s + waiting + products * request.shape.flop() / rate + 2 * request.max_time_s;
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
  // With it every launch waits, also behind a stream that is held back until the batch is queued.
  Environment changes{{"CUDA_LAUNCH_BLOCKING", std::nullopt}};
  if (!obey_tuning)
    for (const std::string& name : cpu_tuning_variables()) changes[name] = std::nullopt;
  for (const auto& [name, value] : planned.environment) changes[name] = value;
  return changes;
}

host::Command child_command(host::Host& host, const bench::MeasureRequest& request,
                            Environment environment, const Patience& patience,
                            const std::function<void(double)>& progress) {
  base::JsonWriter writer(base::keep_message);
  host::Command command;
  command.argv = {host.self(), "__measure"};
  command.input = base::dump_json(writer.write(request), false);
  command.deadline = deadline_of(request);
  if (patience.until_s) {
    const double left_s = std::max(*patience.until_s - bench::steady_seconds(), 0.0) + grace_s;
    command.deadline = std::min(
        command.deadline, std::chrono::milliseconds(static_cast<std::int64_t>(left_s * 1000)));
  }
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
ChildAnswer read_answer(const bench::MeasureRequest& request, const host::Command& command,
                        const host::CommandResult& result) {
  ChildAnswer answer;
  // A whole answer counts, however the child ended: a driver that hangs can keep it from ending.
  const auto json = base::parse_json(result.output);
  base::JsonReader reader;
  if (json && json->is_object() && json->contains("cases") && reader.read(*json, answer.measured))
    return answer;
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

/// By the user, or because the time is up.
bool is_stopped(const Patience& patience) {
  const bool late = patience.until_s && bench::steady_seconds() >= *patience.until_s;
  return late || (patience.stopped && patience.stopped());
}

ChildAnswer ask_child(host::Host& host, const bench::MeasureRequest& request,
                      Environment environment, const Patience& patience,
                      const std::function<void(double)>& progress) {
  const host::Command command =
      child_command(host, request, std::move(environment), patience, progress);
  const host::CommandResult result = host.run(command);
  const bool by_user = patience.stopped && patience.stopped();
  return by_user ? ChildAnswer{} : read_answer(request, command, result);
}

/// The attempts, the fastest of short products first; those that fail last. Their wrong products
/// are told, as such a library would be believed elsewhere.
std::vector<bench::MeasureRequest> fastest_first(host::Host& host, const PlannedCase& planned,
                                                 const Patience& patience,
                                                 std::vector<CaseError>& errors) {
  struct Tried {
    bench::MeasureRequest request;
    double flops = 0;
  };
  std::vector<Tried> tried;
  for (const bench::MeasureRequest& request : planned.attempts) {
    if (is_stopped(patience)) break;
    const ChildAnswer answer =
        ask_child(host, trial_of(request), environment_of(planned, false), patience, [](double) {});
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

}  // namespace

Answer judge_bench(const Bench& bench, bool strict) {
  const bool wrong =
      std::ranges::any_of(bench.errors, [](const CaseError& e) { return e.wrong_product; }) ||
      std::ranges::any_of(bench.cases, [](const Case& c) { return !c.verification.passed; });
  if (wrong) return Answer::wrong_product;
  const bool open = std::ranges::any_of(bench.cases, [](const Case& c) {
    return std::ranges::find(c.flags, "not-converged") != c.flags.end();
  });
  const bool nothing = bench.cases.empty() && bench.bandwidth.empty();
  return nothing || (strict && open) ? Answer::undecided : Answer::yes;
}

/// A library that fails is tried once more with the user's tuning variables, which may be there to
/// save it from a crash. A hang is not tried again: the next library would cost the same time.
CaseAnswer measure_case(host::Host& host, const PlannedCase& planned, const Patience& patience,
                        const std::function<void(double)>& progress) {
  CaseAnswer all;
  auto& [measured, used] = all;
  const std::vector<bench::MeasureRequest> attempts =
      planned.tries_first ? fastest_first(host, planned, patience, measured.errors)
                          : planned.attempts;
  for (const bench::MeasureRequest& request : attempts) {
    for (const bool obey_tuning : {planned.obeys_tuning, true}) {
      if (obey_tuning && !planned.obeys_tuning && !planned.tuning_is_set) continue;
      if (is_stopped(patience)) return all;
      ChildAnswer answer =
          ask_child(host, request, environment_of(planned, obey_tuning), patience, progress);
      const auto& errors = answer.measured.errors;
      std::ranges::copy_if(
          errors, std::back_inserter(measured.errors),
          [&](const CaseError& error) { return !planned.is_optional || error.wrong_product; });
      measured.cases = std::move(answer.measured.cases);
      if (!planned.flag.empty())
        for (Case& c : measured.cases) c.flags.push_back(planned.flag);
      if (!measured.cases.empty()) used = request;
      if (answer.hung || used || planned.obeys_tuning) return all;
    }
  }
  return all;
}

std::vector<bench::MeasureAnswer> measure_together(
    host::Host& host, const std::vector<bench::MeasureRequest>& requests,
    const Patience& patience) {
  std::vector<host::Command> commands;
  for (const bench::MeasureRequest& request : requests)
    commands.push_back(
        child_command(host, request, environment_of({}, false), patience, [](double) {}));
  const std::vector<host::CommandResult> results = host.run_all(commands);
  std::vector<bench::MeasureAnswer> answers;
  for (std::size_t i = 0; i < requests.size(); ++i)
    answers.push_back(read_answer(requests[i], commands[i], results[i]).measured);
  return answers;
}

}  // namespace gpuready::api
