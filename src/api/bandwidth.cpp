#include "api/bandwidth.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "base/text.hpp"
#include "bench/bandwidth.hpp"
#include "bench/cpu_backend.hpp"

namespace gpuready::api {

namespace {

/// Start of a child on a server with many GPUs, and the transfers.
constexpr std::chrono::seconds deadline{90};

/// The CPU, and every GPU on which a kernel ran; or the one that was named.
std::vector<std::string> devices(const Machine& machine, const BenchRequest& request) {
  if (!request.device.empty() && request.device != "all")
    return {request.device == "cuda" ? "cuda:0" : request.device};
  std::vector<std::string> names{"cpu"};
  for (const Gpu& gpu : machine.gpus)
    if (gpu.kernel.is(true) && gpu.cuda_index)
      names.push_back("cuda:" + std::to_string(*gpu.cuda_index));
  return names;
}

bench::BandwidthAnswer ask_child(host::Host& host, const bench::BandwidthRequest& request,
                                 double left_s) {
  base::JsonWriter writer(base::keep_message);
  host::Command command;
  command.argv = {host.self(), "__bandwidth"};
  command.input = base::dump_json(writer.write(request), false);
  const double most_s = std::min(std::chrono::duration<double>(deadline).count(), left_s + grace_s);
  command.deadline = std::chrono::milliseconds(static_cast<std::int64_t>(most_s * 1000));
  const host::CommandResult result = host.run(command);
  bench::BandwidthAnswer answer;
  const auto json = base::parse_json(result.output);
  base::JsonReader reader;
  if (result.end == host::End::exited && result.code == 0 && json && reader.read(*json, answer))
    return answer;
  answer = {};
  answer.errors.push_back({request.device,
                           "",
                           {"bench.error.child", {describe(result, command), request.device}},
                           false});
  return answer;
}

}  // namespace

void add_bandwidth(BenchRun& run) {
  const BenchRequest& request = run.request();
  const Machine& machine = run.machine();
  const std::vector<std::string> names = devices(machine, request);
  for (std::size_t i = 0; i < names.size() && !run.stopped(); ++i) {
    if (!(run.left_s() > 0)) {
      run.bench().time.left_out.push_back({"bench.left-out-bandwidth", {names[i]}});
      continue;
    }
    if (base::starts_with(names[i], "opencl")) {
      run.bench().errors.push_back({names[i], "", {"bench.error.no-bandwidth", {names[i]}}, false});
      continue;
    }
    run.show(static_cast<double>(i) / static_cast<double>(names.size()),
             {"bench.progress.bandwidth", {names[i]}});
    bench::BandwidthRequest one;
    one.device = names[i];
    one.threads = request.threads > 0 ? request.threads : machine.cpu.usable_threads.value_or(1);
    one.cache_bytes = static_cast<std::int64_t>(bench::last_level_cache_bytes(run.host()));
    one.host_budget_bytes = machine.memory.usable_bytes.value_or(0) / 2;
    bench::BandwidthAnswer answer = ask_child(run.host(), one, run.left_s());
    Bench& bench = run.bench();
    bench.bandwidth.insert(bench.bandwidth.end(), answer.rows.begin(), answer.rows.end());
    bench.errors.insert(bench.errors.end(), answer.errors.begin(), answer.errors.end());
  }
}

}  // namespace gpuready::api
