#include "api/find_facts.hpp"

#include <algorithm>
#include <cmath>

#include "api/load.hpp"
#include "base/text.hpp"

namespace gpuready::api {

namespace {

std::chrono::milliseconds milliseconds_of(double seconds) {
  return std::chrono::milliseconds(std::llround(seconds * 1000));
}

}  // namespace

/// A server with many GPUs and no persistence mode can take longer than the default to start its
/// driver; GPUREADY_PROBE_TIMEOUT_S gives it more.
probe::ProbeOptions probe_options(host::Host& host) {
  constexpr double shortest_s = 0.1, longest_s = 600;
  probe::ProbeOptions options;
  const auto seconds = base::to_number(host.env("GPUREADY_PROBE_TIMEOUT_S").value_or(""));
  if (seconds && *seconds >= shortest_s && *seconds <= longest_s)
    options.deadline = std::chrono::milliseconds(static_cast<std::int64_t>(*seconds * 1000));
  return options;
}

Machine find_facts(host::Host& host, const FactsRequest& request) {
  probe::ProbeOptions options = probe_options(host);
  options.wake = request.wake;
  options.python_deadline = milliseconds_of(request.run_python_s);
  Machine machine = probe::probe_machine(host, options);
  if (request.load_s > 0)
    machine.load = run_load(host, machine, {request.load_s, 2 * options.deadline});
  return machine;
}

FactsRequest what_was_asked(const host::Recording& recording) {
  constexpr double usual_wait_s = 60;
  FactsRequest request;
  request.wake = true;
  for (const host::RecordedCommand& command : recording.commands) {
    const auto& argv = command.argv;
    if (argv.size() == 2 && argv[1] == "-") request.run_python_s = usual_wait_s;
    if (argv.size() == 4 && argv[1] == "__load")
      request.load_s = base::to_number(argv[3]).value_or(0);
  }
  return request;
}

}  // namespace gpuready::api
