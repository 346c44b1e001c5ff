#include "apply.hpp"

#include <algorithm>

#include "exit_codes.hpp"
#include "terminal.hpp"

namespace gpuready::cli {

namespace {

/// What is common to the parts of one run of a plan.
struct Applying {
  Session& session;
  const CommonOptions& common;
  const Style& style;
  Setup& setup;

  [[nodiscard]] std::string text(const char* key, std::vector<std::string> args = {}) const {
    return message_text(style, key, std::move(args));
  }
};

/// A line beside the output of the commands: with --json that is standard error.
void tell(const Applying& a, const std::string& line) {
  if (a.common.json)
    complain(line);
  else
    (void)print(line + "\n");
}

bool is_pending(const SetupStep& step) { return !step.done; }

/// Ours alone: doctor runs at the end of every plan, and nobody is thrown out of a session.
bool is_for_the_shell(const SetupStep& step, const std::string& command) {
  return step.id != "restart" && command != "gpuready doctor";
}

std::size_t commands_of(const Setup& setup) {
  std::size_t count = 0;
  for (const SetupStep& step : setup.steps) {
    if (!is_pending(step) || step.id == "check") continue;
    if (step.id == "restart") break;
    count += step.commands.size();
  }
  return count;
}

std::string name_of(const Applying& a, const SetupStep& step) {
  return a.text(step.what.key.c_str(), step.what.args);
}

/// Runs one command; an exit code where it failed or was stopped.
std::optional<int> run_one(const Applying& a, const SetupStep& step, const std::string& command) {
  tell(a, "\n$ " + command);
  const auto end = a.session.run_command(command, a.common.json);
  if (!end) {
    complain(end.error().text);
    return exit_usage;
  }
  a.setup.applied.push_back({step.id, command, end->how, end->succeeded});
  if (end->succeeded) return {};
  const bool stopped = end->signal == 2 || end->signal == 15 || end->signal == 1;
  if (stopped) {
    complain(a.text("cli.apply.stopped", {name_of(a, step)}));
    return exit_signal_base + end->signal;
  }
  complain(a.text("cli.apply.failed", {name_of(a, step), command, end->how}));
  return exit_outside_failed;
}

std::optional<int> run_step(const Applying& a, const SetupStep& step) {
  for (const std::string& command : step.commands)
    if (is_for_the_shell(step, command))
      if (const auto code = run_one(a, step, command)) return code;
  return {};
}

/// The check of the product needs what has to be done by hand first.
bool has_work_by_hand(const Setup& setup) {
  return std::ranges::any_of(
      setup.steps, [](const SetupStep& step) { return is_pending(step) && step.commands.empty(); });
}

}  // namespace

std::string apply_refused(const Session& session, const CommonOptions& common, const Style& style,
                          bool yes) {
  if (session.recorded()) return message_text(style, "cli.apply.recorded");
  if (yes) return {};
  if (common.json) return message_text(style, "cli.apply.json");
  return can_ask() ? std::string() : message_text(style, "cli.apply.no-terminal");
}

std::optional<int> apply_setup(Session& session, const CommonOptions& common, const Style& style,
                               bool yes, Setup& setup) {
  const Applying a{session, common, style, setup};
  const std::size_t count = commands_of(setup);
  if (count > 0 && !yes && !ask("\n" + a.text("cli.apply.ask", {std::to_string(count)}))) {
    complain(a.text("cli.apply.declined"));
    return exit_no;
  }
  if (count == 0) tell(a, "\n" + a.text("cli.apply.nothing"));
  const bool by_hand = has_work_by_hand(setup);
  for (const SetupStep& step : setup.steps) {
    if (!is_pending(step) || (step.id == "check" && (by_hand || count == 0))) continue;
    if (step.id == "restart") {
      tell(a, "\n" + a.text("cli.apply.restart", {step.commands.front()}));
      return exit_no;
    }
    if (step.commands.empty()) tell(a, "\n" + a.text("cli.apply.by-hand", {name_of(a, step)}));
    if (const auto code = run_step(a, step)) return code;
  }
  return {};
}

}  // namespace gpuready::cli
