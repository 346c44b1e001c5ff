#include "api/load.hpp"

#include <utility>
#include <vector>

#include "api/measure_plan.hpp"
#include "base/format.hpp"
#include "base/json.hpp"
#include "bench/load.hpp"
#include "bench/timing.hpp"
#include "gpuready/gpuready.hpp"
#include "host/real_host.hpp"
#include "probe/child_answer.hpp"
#include "probe/load_sampler.hpp"

namespace gpuready {

namespace {

/// What a child is asked: the product, how long, and which GPU NVML shall watch.
struct LoadRequest {
  bench::MeasureRequest measure;
  std::vector<std::string> library_files;
  Fact<std::int64_t> nvml_index;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("measure", s.measure, Unit::none, "product, device and seconds");
    f("library_files", s.library_files, Unit::none, "files to try, best first");
    f("nvml_index", s.nvml_index, Unit::none, "NVML's index of the GPU");
  }
};

/// A product of this size keeps the largest GPU busy; smaller ones stop growing earlier.
constexpr std::int64_t largest_side = 8192;
constexpr std::size_t most_answer_bytes = std::size_t{8} << 20U;

/// The first of the libraries that opens.
Result<std::unique_ptr<bench::Backend>> open_first(host::Host& host, const LoadRequest& request) {
  std::string why;
  for (const std::string& file : request.library_files) {
    bench::BackendRequest backend = request.measure.backend;
    backend.library_file = file;
    auto opened = bench::open_backend(host, backend);
    if (opened) return opened;
    why += (why.empty() ? "" : "; ") + opened.error().text;
  }
  return failure(why);
}

void keep_busy_and_watch(host::Host& host, const LoadRequest& request, GpuLoad& load,
                         const std::function<void(const std::string&)>& emit) {
  const auto backend = open_first(host, request);
  if (!backend) {
    const Missing why{Absence::not_tested, "no load: " + backend.error().text, {}};
    probe::set_all_absent(load, why);
    return;
  }
  load.name = Fact<std::string>((*backend)->describe().device_name, "cuDeviceGetName");
  const auto sampler = probe::open_load_sampler(host, request.nvml_index);
  sampler->before(load);
  emit(probe::load_as_json(load));
  const auto busy = bench::keep_busy(**backend, request.measure, bench::steady_seconds, [&] {
    sampler->sample(load);
    emit(probe::load_as_json(load));
  });
  sampler->after(load);
  if (!busy) {
    const Missing why{Absence::call_failed, busy.error().text, busy.error().code};
    load.seconds = Fact<double>(why);
    load.products = Fact<std::int64_t>(why), load.product = Fact<bool>(why);
    return;
  }
  load.seconds = Fact<double>(busy->seconds, "clock");
  load.products = Fact<std::int64_t>(busy->products, "cublas");
  load.product = Fact<bool>(busy->right, "cublas");
}

}  // namespace

std::string child_load(std::string_view input,
                       const std::function<void(const std::string&)>& emit) {
  const auto json = base::parse_json(input);
  LoadRequest request;
  base::JsonReader reader;
  GpuLoad load;
  if (!json || !reader.read(*json, request)) return {};
  load.device = request.measure.backend.device, load.nvml_index = request.nvml_index;
  const auto host = host::make_real_host();
  keep_busy_and_watch(*host, request, load, emit);
  return probe::load_as_json(load);
}

namespace api {

namespace {

host::Command command_for(host::Host& host, const LoadRequest& request,
                          const LoadOptions& options) {
  base::JsonWriter writer(base::keep_message);
  host::Command command;
  command.argv = {host.self(), "__load", request.measure.backend.device,
                  base::format("{:g}", options.seconds)};
  command.input = base::dump_json(writer.write(request), false);
  const auto load_ms = static_cast<std::int64_t>(options.seconds * 1000);
  command.deadline = options.allowance + std::chrono::milliseconds(load_ms);
  command.max_output_bytes = most_answer_bytes;
  return command;
}

LoadRequest request_for(const Machine& machine, const Gpu& gpu, double seconds) {
  LoadRequest request;
  BenchRequest wanted;
  wanted.device = "cuda:" + std::to_string(*gpu.cuda_index);
  const auto plan = plan_cases(machine, {}, wanted);
  request.measure.backend.device = wanted.device;
  request.measure.backend.backend = "cublas";
  if (plan)
    for (const PlannedCase& planned : plan->cases)
      for (const bench::MeasureRequest& attempt : planned.attempts)
        request.library_files.push_back(attempt.backend.library_file);
  request.measure.backend.host_budget_bytes = machine.memory.usable_bytes.value_or(0) / 4;
  request.measure.shape = {largest_side, largest_side, largest_side};
  request.measure.max_time_s = seconds;
  request.nvml_index = gpu.nvml_index;
  return request;
}

}  // namespace

Fact<LoadTest> run_load(host::Host& host, const Machine& machine, const LoadOptions& options) {
  std::vector<LoadRequest> requests;
  for (const Gpu& gpu : machine.gpus)
    if (gpu.kernel.is(true) && gpu.cuda_index)
      requests.push_back(request_for(machine, gpu, options.seconds));
  if (requests.empty())
    return Missing{Absence::not_applicable, "no usable GPU to put under load", {}};
  std::vector<host::Command> commands;
  for (const LoadRequest& request : requests)
    commands.push_back(command_for(host, request, options));
  const auto results = host.run_all(commands);
  LoadTest test;
  test.asked_s = options.seconds;
  for (std::size_t i = 0; i < results.size(); ++i) {
    GpuLoad load;
    probe::read_answer(results[i], commands[i], load);
    load.device = requests[i].measure.backend.device;
    if (!load.nvml_index) load.nvml_index = requests[i].nvml_index;
    test.gpus.push_back(std::move(load));
  }
  return {std::move(test), "gpuready __load"};
}

}  // namespace api

}  // namespace gpuready
