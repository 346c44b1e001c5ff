#include "commands.hpp"

#include <exception>
#include <iostream>
#include <iterator>
#include <string_view>

#include "apply.hpp"
#include "exit_codes.hpp"
#include "output_file.hpp"
#include "work.hpp"

namespace gpuready::cli {

namespace {

constexpr std::int64_t quick_size = 1024;
constexpr double quick_seconds = 1.0;

int run(const Work& work, const PageOptions& options) {
  Run run = work.session.new_run("run");
  BenchRequest request;
  if (options.quick) {
    request.shapes = {{quick_size, quick_size, quick_size}};
    request.max_time_s = quick_seconds;
  }
  Result<BenchAnswer> bench = failure("");
  {
    ProgressBar bar(work.common, work.style);
    bar.show(0, message_text(work.style, "progress.facts"));
    run.machine = work.session.facts(true);
    judge(run);
    bench = work.session.bench(run.machine, run.doctor, request, sink(bar, work.style));
  }
  if (!bench) return fail(exit_usage, bench.error().text);
  run.bench = bench->bench;
  const auto fit = work.session.fit(run.machine);
  const auto next = work.session.next(run.machine, run.doctor, run.torch_device, run.bench);
  if (!fit) return fail(exit_usage, fit.error().text);
  if (!next) return fail(exit_usage, next.error().text);
  run.fit = *fit, run.next = *next;
  const int code = bench->answer == Answer::wrong_product ? exit_wrong_product : exit_yes;
  if (work.common.verbose && !work.common.json)
    if (const int printed = show(work, run, View::doctor, exit_yes); printed != exit_yes)
      return printed;
  return show(work, run, View::page, code);
}

/// What takes seconds shows so.
Machine deep_facts(const Work& work, bool wake, const DeepOptions& deep) {
  const FactsRequest request{wake, deep.run_python_s, deep.load_s};
  if (deep.run_python_s == 0 && deep.load_s == 0) return work.session.facts(request);
  ProgressBar bar(work.common, work.style);
  bar.show(0, message_text(work.style, "progress.deep"));
  return work.session.facts(request);
}

/// A recorded machine can be asked nothing more.
bool is_too_late(const Work& work, const DeepOptions& deep) {
  return work.session.recorded() && (deep.run_python_s != 0 || deep.load_s != 0);
}

int run(const Work& work, const FactsOptions& options) {
  if (is_too_late(work, options.deep))
    return fail(exit_usage, message_text(work.style, "cli.deep.recorded"));
  Run run = work.session.new_run("facts");
  run.machine = deep_facts(work, false, options.deep);
  return show(work, run, View::facts, exit_yes);
}

int run(const Work& work, const DeviceOptions& options) {
  const bool for_torch = options.for_what == "torch";
  Run run = work.session.new_run("device");
  run.machine = work.session.cuda_facts(for_torch);
  judge(run);
  if (for_torch) run.device = run.torch_device;
  const bool met = options.require.empty() || options.require == run.device.device;
  if (!met)
    complain(
        message_text(work.style, "cli.require-not-met",
                     {options.require, run.device.device,
                      message_text(work.style, run.device.reason.key, run.device.reason.args)}));
  return show(work, run, View::device, met ? exit_yes : exit_no);
}

int doctor_code(Verdict verdict, bool strict) {
  switch (verdict) {
    case Verdict::usable:
      return exit_yes;
    case Verdict::degraded:
      return strict ? exit_no : exit_yes;
    case Verdict::not_usable:
    case Verdict::no_gpu:
      return exit_no;
    case Verdict::not_tested:
      return exit_undecided;
  }
  return exit_bug;
}

/// `doctor --explain ID` and `doctor --list-rules`: of the rules, not of this machine.
int show_rules(const Work& work, const DoctorOptions& options) {
  Result<std::string> text = failure("");
  if (options.explain && options.explain->empty())
    text = explain_rule("", work.style);
  else if (work.common.json)
    text = rules_as_json(options.explain.value_or(""), work.session.new_run("rules").at);
  else
    text = options.explain ? explain_rule(*options.explain, work.style) : list_rules(work.style);
  return text ? print_answer(*text, exit_yes) : fail(exit_usage, text.error().text);
}

int run(const Work& work, const DoctorOptions& options) {
  if (options.list_rules || options.explain) return show_rules(work, options);
  if (is_too_late(work, options.deep))
    return fail(exit_usage, message_text(work.style, "cli.deep.recorded"));
  Run run = work.session.new_run("doctor");
  run.machine = deep_facts(work, true, options.deep);
  judge(run);
  return show(work, run, View::doctor, doctor_code(run.doctor.verdict, options.strict));
}

int run(const Work& work, const SetupOptions& options) {
  if (options.apply)
    if (const std::string why = apply_refused(work.session, work.common, work.style, options.yes);
        !why.empty())
      return fail(exit_usage, why);
  Run run = work.session.new_run("setup");
  run.machine = work.session.facts(true);
  judge(run);
  run.setup = work.session.setup(run.machine, run.doctor);
  if (!options.apply) return show(work, run, View::setup, exit_yes);
  if (!work.common.json)
    if (const int printed = show(work, run, View::setup, exit_yes); printed != exit_yes)
      return printed;
  const auto ended = apply_setup(work.session, work.common, work.style, options.yes, run.setup);
  if (ended) return work.common.json ? show(work, run, View::setup, *ended) : *ended;
  run.machine = work.session.facts(true);
  judge(run);
  run.setup.verdict = Fact<std::string>(
      std::string(EnumNames<Verdict>::list[static_cast<std::size_t>(run.doctor.verdict)]),
      "doctor");
  if (!work.common.json) complain(message_text(work.style, "cli.apply.doctor"));
  return show(work, run, work.common.json ? View::setup : View::doctor,
              doctor_code(run.doctor.verdict, false));
}

int run(const Work& work, const BenchOptions& options) { return run_bench_command(work, options); }

int run(const Work& work, const CompareOptions& options) {
  return run_compare_command(work, options);
}

int run(const Work& work, const FitOptions& options) { return run_fit_command(work, options); }

int run(const Work& work, const PlanOptions& options) { return run_plan_command(work, options); }

int run(const Work& work, const CloudOffersOptions& options) {
  return run_cloud_offers_command(work, options);
}

int run(const Work& work, const CloudListOptions& options) {
  return run_cloud_list_command(work, options);
}

int run(const Work& work, const CloudKeysOptions& options) {
  return run_cloud_keys_command(work, options);
}

int run(const Work& work, const CloudRunOptions& options) {
  return run_cloud_run_command(work, options);
}

int run(const Work& work, const CloudEndOptions& options) {
  return run_cloud_end_command(work, options);
}

int run(const Work& work, const RemoteOptions& options) {
  return run_remote_command(work, options);
}

int run(const Work& work, const OomOptions& options) { return run_oom_command(work, options); }

int run(const Work& work, const RecordOptions& options) {
  const auto text = work.session.record({true, options.deep.run_python_s, options.deep.load_s});
  if (!text) return fail(exit_usage, text.error().text);
  if (options.output.empty() || options.output == "-") return print_answer(*text, exit_yes);
  const auto written = write_file(options.output, *text);
  if (!written) return fail(exit_outside_failed, written.error().text);
  if (!work.common.quiet) complain(message_text(work.style, "cli.recorded", {options.output}));
  return exit_yes;
}

/// `gpuready __probe WHAT`, `__measure`, `__bandwidth` and `__load`: this program as its own child.
int run_child(std::string_view name, const std::string& what) {
  end_with_parent();
  if (name == "__probe") {
    const auto emit = [](const std::string& line) { (void)print(line + "\n"); };
    return print_answer(child_probe(what, emit) + "\n", exit_yes);
  }
  const std::string input(std::istreambuf_iterator<char>(std::cin), {});
  if (name == "__load") {
    const auto emit = [](const std::string& line) { (void)print(line + "\n"); };
    return print_answer(child_load(input, emit) + "\n", exit_yes);
  }
  if (name == "__allocate") return print_answer(child_allocate(input), exit_yes);
  return print_answer(
      name == "__bandwidth" ? child_bandwidth(input) : child_measure(input, std::cerr), exit_yes);
}

int run_user_command(int argc, char** argv) {
  const Parsed parsed = parse_options(argc, argv);
  if (parsed.done && parsed.exit_code != exit_yes) return fail(parsed.exit_code, parsed.text);
  if (parsed.done) return print_answer(parsed.text, exit_yes);
  const CommonOptions& common = parsed.options.common;
  auto session = open_session({common.from, common.data_dir});
  if (!session) return fail(exit_usage, session.error().text);
  const Work work{**session, common, choose_style(common)};
  return std::visit([&](const auto& options) { return run(work, options); },
                    parsed.options.command);
}

}  // namespace

int run_command_line(int argc, char** argv) {
  open_standard_streams();
  catch_signals();
  try {
    const std::string_view first = argc > 1 ? argv[1] : "";
    if (first == "__probe" || first == "__measure" || first == "__bandwidth" || first == "__load" ||
        first == "__allocate")
      return run_child(first, argc > 2 ? argv[2] : "");
    if (first == "__reap" && argc > 2) return run_guard(argv[2]);
    return run_user_command(argc, argv);
  } catch (const std::exception& e) {
    return fail(exit_bug, std::string("a bug of ours: ") + e.what());
  }
}

}  // namespace gpuready::cli
