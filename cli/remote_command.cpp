#include <algorithm>

#include "exit_codes.hpp"
#include "gpuready/remote.hpp"
#include "work.hpp"

namespace gpuready::cli {

namespace {

/// The worst of the machines' answers; one that gave none is the outside's fault.
int code_of(const std::vector<RemoteAnswer>& answers) {
  int code = exit_yes;
  for (const RemoteAnswer& answer : answers) {
    if (answer.outcome != "done") return exit_outside_failed;
    const bool known = answer.exit_code >= exit_yes && answer.exit_code <= exit_bug;
    code = std::max(code, known ? static_cast<int>(answer.exit_code) : +exit_outside_failed);
  }
  return code;
}

}  // namespace

int run_remote_command(const Work& work, const RemoteOptions& options) {
  if (!options.wrong.empty())
    return fail(exit_usage, message_text(work.style, "remote.wrong-word", {options.wrong}));
  if (options.hosts.empty()) return fail(exit_usage, message_text(work.style, "remote.no-host"));
  RemoteRequest request;
  request.hosts = options.hosts, request.command = options.command, request.keep = options.keep;
  if (work.common.json && !request.command.empty() &&
      std::ranges::find(request.command, "--json") == request.command.end())
    request.command.emplace_back("--json");
  request.stopped = [] { return stop_signal() != 0; };
  stop_gently(true);
  Result<std::vector<RemoteAnswer>> answers = failure("");
  {
    ProgressBar bar(work.common, work.style);
    const double steps = 2.0 * static_cast<double>(options.hosts.size());
    double step = 0;
    request.progress = [&](const std::string& host, const std::string& stage) {
      bar.show(step++ / steps, message_text(work.style, "remote." + stage, {host}));
    };
    answers = ask_remote(request);
  }
  if (!answers) return fail(exit_usage, answers.error().text);
  for (const RemoteAnswer& answer : *answers)
    if (!answer.why.empty()) complain(answer.why);
  const Run head = work.session.new_run("remote");
  const int code = stop_signal() != 0 ? exit_signal_base + stop_signal() : code_of(*answers);
  return print_answer(
      work.common.json ? show_json(head, *answers) : show_text(*answers, work.style), code);
}

}  // namespace gpuready::cli
