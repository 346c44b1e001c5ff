#include <cmath>
#include <cstdio>
#include <memory>

#include "case_file.hpp"
#include "exit_codes.hpp"
#include "output_file.hpp"
#include "work.hpp"

namespace gpuready::cli {

namespace {

/// "M,N,K" as three sizes.
Result<Shape> parse_shape(const std::string& text) {
  Shape shape;
  char rest = 0;
  const int read = std::sscanf(text.c_str(), "%ld,%ld,%ld%c", &shape.m, &shape.n, &shape.k, &rest);
  const auto sensible = [](std::int64_t size) { return size >= 1 && size <= 65536; };
  if (read != 3 || !sensible(shape.m) || !sensible(shape.n) || !sensible(shape.k))
    return failure("--shape " + text + ": expected three sizes from 1 to 65536, as 4096,4096,1024");
  return shape;
}

/// How long a mode may take where --max-time does not say it, and how long each timed section.
struct ModeTime {
  BenchMode mode;
  double total_s, case_s;
};

ModeTime time_of(const BenchOptions& options) {
  if (options.lesson) return {BenchMode::lesson, 0, 6};
  if (options.quick) return {BenchMode::quick, 12, 2};
  if (options.standard) return {BenchMode::standard, 180, 2};
  if (options.peak) return {BenchMode::peak, 60, 2};
  if (options.claims) return {BenchMode::claims, 120, 2};
  return {BenchMode::products, 0, 6};
}

Result<BenchRequest> bench_request(const BenchOptions& options) {
  BenchRequest request;
  const ModeTime time = time_of(options);
  request.mode = time.mode;
  request.total_time_s = time.total_s, request.max_time_s = time.case_s;
  request.device = options.device, request.backend = options.backend;
  request.threads = options.threads;
  request.strict = options.strict, request.torch = options.torch;
  request.cold = options.cold;
  request.every_cpu_library = time.mode == BenchMode::products;
  request.bandwidth = options.bandwidth, request.products = !options.bandwidth;
  if (options.size > 0) request.shapes = {{options.size, options.size, options.size}};
  if (!options.shape.empty()) {
    const auto shape = parse_shape(options.shape);
    if (!shape) return tl::unexpected(shape.error());
    request.shapes = {*shape};
  }
  request.shapes_are_chosen = options.size > 0 || !options.shape.empty();
  request.dtypes_are_chosen = !options.dtypes.empty();
  if (!options.dtypes.empty()) request.dtypes = options.dtypes;
  if (!options.data.empty()) request.data = options.data;
  if (std::isnan(options.max_time_s)) return failure("--max-time nan: expected seconds");
  if (options.max_time_s > 0) request.total_time_s = options.max_time_s;
  return request;
}

/// Files that were asked for are written even where the answer is no; the first failure counts.
int save(const BenchOptions& options, const Run& run, CaseFile* lines, int code) {
  if (!options.csv.empty())
    if (const auto written = write_file(options.csv, show_csv(run)); !written)
      code = fail(exit_outside_failed, written.error().text);
  if (lines != nullptr) {
    if (lines->empty())  // of a file, where nothing was done now
      for (const Case& c : run.bench.cases) lines->add(show_json_line(run, c));
    if (const auto written = lines->finish(); !written)
      code = fail(exit_outside_failed, written.error().text);
  }
  return code;
}

}  // namespace

int run_bench_command(const Work& work, const BenchOptions& options) {
  auto request = bench_request(options);
  if (!request) return fail(exit_usage, request.error().text);
  Run run = work.session.new_run("bench");
  std::unique_ptr<CaseFile> lines;
  if (!options.jsonl.empty()) lines = std::make_unique<CaseFile>(options.jsonl);
  request->on_case = [&](const Case& c) {
    if (lines) lines->add(show_json_line(run, c));
  };
  const bool talks = !work.common.quiet && !work.common.json;
  Result<BenchAnswer> bench = failure("");
  {
    ProgressBar bar(work.common, work.style);
    if (talks && (request->mode != BenchMode::products || request->total_time_s > 0))
      request->tell = [&](const Message& message) { bar.say(work.text(message)); };
    request->stopped = [] { return stop_signal() != 0; };
    bar.show(0, message_text(work.style, "progress.facts"));
    run.machine = work.session.facts(true);
    judge(run);
    stop_gently(true);
    bench = work.session.bench(run.machine, run.doctor, *request, sink(bar, work.style));
    stop_gently(false);
  }
  if (!bench) return fail(exit_usage, bench.error().text);
  run.bench = bench->bench;
  int code = code_of(bench->answer);
  if (stop_signal() != 0) code = exit_signal_base + stop_signal();
  code = save(options, run, lines.get(), code);
  return show(work, run, options.lesson ? View::lesson : View::bench, code);
}

int run_compare_command(const Work& work, const CompareOptions& options) {
  const auto comparison = compare_files(options.first, options.second);
  if (!comparison) return fail(exit_usage, comparison.error().text);
  const Run run = work.session.new_run("compare");
  return print_answer(
      work.common.json ? show_json(run, *comparison) : show_text(run, *comparison, work.style),
      exit_yes);
}

}  // namespace gpuready::cli
