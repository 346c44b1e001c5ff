#include "exit_codes.hpp"
#include "plan_options.hpp"
#include "work.hpp"

namespace gpuready::cli {

namespace {

int code_of_plan(PlanMeets verdict) {
  switch (verdict) {
    case PlanMeets::yes:
    case PlanMeets::likely:
      return exit_yes;
    case PlanMeets::no:
      return exit_no;
    case PlanMeets::unknown:
      break;
  }
  return exit_undecided;
}

/// What was measured on that machine, or is measured now: as long as `bench --quick` takes.
Result<Bench> look(const Work& work, const PlanOptions& options, const PlanRequest& request,
                   Machine& machine) {
  ProgressBar bar(work.common, work.style);
  bar.show(0, message_text(work.style, "progress.facts"));
  Run run = work.session.new_run("plan");
  run.machine = work.session.facts(true);
  judge(run);
  machine = run.machine;
  const bool wanted = plan_uses_rates(request) && !options.no_bench;
  if (!wanted && !work.session.recorded()) return Bench{};
  BenchRequest quick;
  quick.mode = BenchMode::quick;
  quick.total_time_s = 12, quick.max_time_s = 2;
  auto measured = work.session.bench(machine, run.doctor, quick, sink(bar, work.style));
  if (!measured) return tl::unexpected(measured.error());
  return std::move(measured->bench);
}

}  // namespace

int run_plan_command(const Work& work, const PlanOptions& options) {
  const auto request = plan_request(options);
  if (!request) return fail(exit_usage, request.error().text);
  const PlanSources sources{
      [&](Machine& machine) { return look(work, options, *request, machine); },
      work.common.data_dir};
  const auto plan = plan_work(*request, sources);
  if (!plan)
    return fail(plan.error().code == network_fault ? exit_outside_failed : exit_usage,
                plan.error().text);
  const Run run = work.session.new_run("plan");
  return print_answer(work.common.json ? show_json(run, *plan) : show_text(run, *plan, work.style),
                      code_of_plan(plan->verdict));
}

}  // namespace gpuready::cli
