#include "exit_codes.hpp"
#include "fit_options.hpp"
#include "work.hpp"

namespace gpuready::cli {

namespace {

int code_of_verdict(FitVerdict verdict) {
  switch (verdict) {
    case FitVerdict::fits:
    case FitVerdict::tight:
      return exit_yes;
    case FitVerdict::does_not_fit:
      return exit_no;
    case FitVerdict::unknown:
      break;
  }
  return exit_undecided;
}

/// The network is the one outside system that fit asks.
int code_of_error(const Error& error) {
  return error.code == network_fault ? exit_outside_failed : exit_usage;
}

int answer_list(const Work& work, const Machine& machine, const FitRequest& request) {
  const auto list = work.session.list_fits(machine, request);
  if (!list) return fail(code_of_error(list.error()), list.error().text);
  const Run run = work.session.new_run("fit");
  const int code = !list->usable_bytes ? exit_undecided : list->models.empty() ? exit_no : exit_yes;
  return print_answer(work.common.json ? show_json(run, *list) : show_text(run, *list, work.style),
                      code);
}

}  // namespace

int run_fit_command(const Work& work, const FitOptions& options) {
  const auto request = fit_request(options);
  if (!request) return fail(exit_usage, request.error().text);
  if (request->verify && work.session.recorded())
    return fail(exit_usage, message_text(work.style, "cli.fit.recorded"));
  // A GPU of the table, or a size, needs no look at this machine.
  const bool named = !request->gpu.empty() || request->vram_bytes > 0;
  const Machine machine = named && !request->verify ? Machine{} : work.session.facts(true);
  if (request->model.empty()) return answer_list(work, machine, *request);
  const auto estimate = work.session.estimate(machine, *request);
  if (!estimate) return fail(code_of_error(estimate.error()), estimate.error().text);
  const Run run = work.session.new_run("fit");
  return print_answer(
      work.common.json ? show_json(run, *estimate) : show_text(run, *estimate, work.style),
      code_of_verdict(estimate->verdict));
}

}  // namespace gpuready::cli
