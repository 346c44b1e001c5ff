#include <algorithm>

#include "api/bench_modes.hpp"
#include "api/torch_bench_script.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "bench/stats.hpp"
#include "bench/timing.hpp"
#include "bench/torch_reasons.hpp"

namespace gpuready::api {

namespace {

/// What the script tells.
struct TorchAnswer {
  std::string version, config, cuda, error;
  std::int64_t threads = 0;
  bool tf32 = false;
  std::vector<double> seconds;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("version", s.version, Unit::none, "torch.__version__");
    f("config", s.config, Unit::none, "torch.__config__.show()");
    f("cuda", s.cuda, Unit::none, "torch.version.cuda");
    f("error", s.error, Unit::none, "what Python raised");
    f("threads", s.threads, Unit::count, "torch.get_num_threads()");
    f("tf32", s.tf32, Unit::none, "torch.backends.cuda.matmul.allow_tf32");
    f("seconds", s.seconds, Unit::seconds, "of each product");
  }
};

/// The Python that "python3" means, with PyTorch in it; else the first that has it.
const PythonEnvironment* find_python(const Machine& machine) {
  const PythonEnvironment* first = nullptr;
  for (const PythonEnvironment& python : machine.python) {
    if (!python.torch) continue;
    if (python.is_default) return &python;
    if (first == nullptr) first = &python;
  }
  return first;
}

bool has_torch_type(const Case& c) {
  static constexpr const char* names[] = {"fp64", "fp32", "tf32", "bf16", "fp16"};
  return std::ranges::find(names, c.dtype.name) != std::end(names) &&
         !base::starts_with(c.device, "opencl");
}

host::Command command_for(const std::string& python, const Case& c, double seconds,
                          const Patience& patience) {
  const base::Json ask{{"device", c.device}, {"m", c.shape.m},        {"n", c.shape.n},
                       {"k", c.shape.k},     {"dtype", c.dtype.name}, {"seconds", seconds}};
  host::Command command;
  command.argv = {python, "-c", std::string(torch_bench_script()), base::dump_json(ask, false)};
  const double rate_s = 20 * c.median_s;
  double most_s = 60 + rate_s + 2 * seconds;
  if (patience.until_s) most_s = std::min(most_s, *patience.until_s - bench::steady_seconds());
  command.deadline = std::chrono::milliseconds(static_cast<std::int64_t>(most_s * 1000));
  return command;
}

Result<TorchAnswer> read_answer(const host::Command& command, const host::CommandResult& result) {
  for (const std::string& line : base::split_lines(result.output)) {
    if (!base::starts_with(line, torch_bench_mark)) continue;
    const auto json = base::parse_json(std::string_view(line).substr(torch_bench_mark.size()));
    if (!json) break;
    TorchAnswer answer;
    base::JsonReader reader;
    if (reader.read(*json, answer)) return answer;
  }
  return failure(describe(result, command));
}

TorchCase opening(const std::string& python, const Case& c) {
  TorchCase out;
  out.device = c.device, out.python = python, out.shape = c.shape, out.dtype = c.dtype;
  out.ours_flops = Fact<double>(c.flops, "bench");
  const auto absent = Fact<double>::absent(Absence::not_tested, "PyTorch gave no figure");
  out.flops = out.ratio = absent;
  out.version = absent.pass_absence<std::string>();
  return out;
}

void fill(const TorchAnswer& answer, const Case& c, TorchCase& out) {
  if (!answer.version.empty()) out.version = Fact<std::string>(answer.version, "torch");
  if (c.device != "cpu" && answer.cuda.empty() && !answer.version.empty())
    out.why.push_back({"bench.torch.why.cpu-build", {}});
  else if (!answer.error.empty())
    out.why.push_back({"bench.torch.why.error", {answer.error}});
  if (answer.seconds.empty()) return;
  const double seconds = bench::median(answer.seconds);
  if (!(seconds > 0)) return;
  const double flops = c.shape.flop() / seconds;
  out.flops = Fact<double>(flops, "torch");
  out.ratio = Fact<double>(flops / c.flops, "bench");
  out.why =
      bench::torch_reasons({answer.config, answer.cuda, answer.threads, answer.tf32},
                           {c.device, c.dtype.name, c.library.name, c.threads, flops / c.flops});
}

}  // namespace

void measure_torch(BenchRun& run) {
  const PythonEnvironment* const python = find_python(run.machine());
  if (python == nullptr) {
    run.bench().notes.push_back({"bench.note.no-torch", {}});
    return;
  }
  const double seconds = std::min(2.0, run.request().max_time_s);
  for (const Case& c : run.bench().cases) {
    if (run.stopped() || !(run.left_s() > 1)) return;
    if (!has_torch_type(c) || (c.device == "cpu" && c.threads == 1 && run.request().threads != 1 &&
                               run.machine().cpu.usable_physical_cores.value_or(1) > 1))
      continue;
    run.show(1, {"bench.progress.torch", {}});
    const host::Command command = command_for(python->executable, c, seconds, run.patience());
    const auto answer = read_answer(command, run.host().run(command));
    TorchCase out = opening(python->executable, c);
    if (answer)
      fill(*answer, c, out);
    else
      out.why.push_back({"bench.torch.why.error", {answer.error().text}});
    run.bench().torch.push_back(std::move(out));
  }
}

}  // namespace gpuready::api
