#include <chrono>
#include <memory>
#include <ostream>

#include "base/json.hpp"
#include "bench/allocate.hpp"
#include "bench/bandwidth.hpp"
#include "bench/patient.hpp"
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

/// What is asked of NVML, and what it said.
struct Watched {
  std::unique_ptr<probe::LoadSampler> sampler;
  GpuLoad seen;
};

/// The same with NVML's figures of the GPU; without them where NVML hangs.
bench::MeasureAnswer measure_and_watch(const std::shared_ptr<host::Host>& host,
                                       const bench::MeasureRequest& request,
                                       const bench::Progress& report) {
  const auto watched = std::make_shared<Watched>();
  watched->seen.device = request.backend.device;
  bench::Patient patient;
  patient.run([watched, host, index = request.nvml_index] {
    watched->sampler = probe::open_load_sampler(*host, index);
  });
  const auto ask = [&](void (probe::LoadSampler::*question)(GpuLoad&)) {
    return [&patient, watched, host, question] {
      patient.run([watched, host, question] { ((*watched->sampler).*question)(watched->seen); });
    };
  };
  const bench::Monitor monitor{ask(&probe::LoadSampler::before), ask(&probe::LoadSampler::sample),
                               ask(&probe::LoadSampler::after)};
  bench::MeasureAnswer answer = bench::measure(*host, request, steady_seconds, report, monitor);
  for (Case& c : answer.cases) {
    if (patient.hung()) {
      c.telemetry = Fact<GpuLoad>::absent(Absence::timed_out, "NVML did not answer within 2 s");
      continue;
    }
    c.telemetry = Fact<GpuLoad>(watched->seen, "NVML");
    for (std::string& flag : bench::telemetry_flags(watched->seen))
      c.flags.push_back(std::move(flag));
  }
  return answer;
}

bench::MeasureAnswer measure_as_asked(std::string_view input, std::ostream& progress) {
  const auto json = base::parse_json(input);
  if (!json) return bad_request(json.error().text);
  bench::MeasureRequest request;
  base::JsonReader reader;
  if (!reader.read(*json, request)) return bad_request(reader.error());
  const std::shared_ptr<host::Host> host = host::make_real_host();
  const auto report = [&](double done) { progress << done << '\n' << std::flush; };
  if (!request.nvml_index) return bench::measure(*host, request, steady_seconds, report);
  return measure_and_watch(host, request, report);
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

std::string child_allocate(std::string_view input) {
  base::JsonWriter writer(base::keep_message);
  bench::AllocateRequest request;
  bench::AllocateAnswer answer;
  base::JsonReader reader;
  const auto json = base::parse_json(input);
  if (json && reader.read(*json, request))
    answer = bench::try_to_allocate(*host::make_real_host(), request);
  else
    answer.error = json ? reader.error() : json.error().text;
  return base::dump_json(writer.write(answer), false);
}

void stop_children() { host::kill_running_children(); }

bool forward_signal(int signal) { return host::forward_to_attached(signal); }

}  // namespace gpuready
