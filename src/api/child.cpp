#include <chrono>
#include <ostream>

#include "base/json.hpp"
#include "bench/bandwidth.hpp"
#include "bench/runner.hpp"
#include "bench/telemetry.hpp"
#include "gpuready/gpuready.hpp"
#include "host/attached_command.hpp"
#include "host/child_process.hpp"
#include "host/real_host.hpp"
#include "probe/load_sampler.hpp"
#include "probe/vendor_child.hpp"

namespace gpuready {

namespace {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bench::MeasureAnswer bad_request(const std::string& why) {
  bench::MeasureAnswer answer;
  answer.errors.push_back({"", "", {"", {why}}, false});
  return answer;
}

/// The same with NVML's figures of the GPU.
bench::MeasureAnswer measure_and_watch(host::Host& host, const bench::MeasureRequest& request,
                                       const bench::Progress& report) {
  const auto sampler = probe::open_load_sampler(host, request.nvml_index);
  GpuLoad seen;
  seen.device = request.backend.device;
  const bench::Monitor monitor{[&] { sampler->before(seen); }, [&] { sampler->sample(seen); },
                               [&] { sampler->after(seen); }};
  bench::MeasureAnswer answer = bench::measure(host, request, steady_seconds, report, monitor);
  for (Case& c : answer.cases) {
    c.telemetry = Fact<GpuLoad>(seen, "NVML");
    for (std::string& flag : bench::telemetry_flags(seen)) c.flags.push_back(std::move(flag));
  }
  return answer;
}

bench::MeasureAnswer measure_as_asked(std::string_view input, std::ostream& progress) {
  const auto json = base::parse_json(input);
  if (!json) return bad_request(json.error().text);
  bench::MeasureRequest request;
  base::JsonReader reader;
  if (!reader.read(*json, request)) return bad_request(reader.error());
  const auto host = host::make_real_host();
  const auto report = [&](double done) { progress << done << '\n' << std::flush; };
  if (!request.nvml_index) return bench::measure(*host, request, steady_seconds, report);
  return measure_and_watch(*host, request, report);
}

}  // namespace

std::string child_probe(std::string_view what,
                        const std::function<void(const std::string&)>& emit) {
  const auto host = host::make_real_host();
  return probe::answer_as_json(*host, what, emit);
}

std::string child_measure(std::string_view input, std::ostream& progress) {
  base::JsonWriter writer(base::keep_message);
  return base::dump_json(writer.write(measure_as_asked(input, progress)), false);
}

std::string child_bandwidth(std::string_view input) {
  base::JsonWriter writer(base::keep_message);
  bench::BandwidthRequest request;
  base::JsonReader reader;
  const auto json = base::parse_json(input);
  bench::BandwidthAnswer answer;
  if (json && reader.read(*json, request)) {
    const auto host = host::make_real_host();
    answer = request.device == "cpu"
                 ? bench::measure_host_bandwidth(request, steady_seconds)
                 : bench::measure_cuda_bandwidth(*host, request, steady_seconds);
  } else {
    answer.errors.push_back({"", "", {"", {json ? reader.error() : json.error().text}}, false});
  }
  return base::dump_json(writer.write(answer), false);
}

void stop_children() { host::kill_running_children(); }

bool forward_signal(int signal) { return host::forward_to_attached(signal); }

}  // namespace gpuready
