#include "api/fit_verify.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "bench/allocate.hpp"

namespace gpuready::api {

namespace {

/// A server with many GPUs is slow to start.
constexpr std::chrono::seconds deadline{90};

std::int64_t without_context(const std::vector<Term>& terms, const Range& total) {
  std::int64_t bytes = total.high_bytes;
  for (const Term& term : terms)
    if (term.name == TermName::context) bytes -= term.bytes.high_bytes;
  return std::max<std::int64_t>(bytes, 0);
}

Result<bench::AllocateAnswer> ask_child(host::Host& host, const bench::AllocateRequest& request) {
  base::JsonWriter writer(base::keep_message);
  host::Command command;
  command.argv = {host.self(), "__allocate"};
  command.input = base::dump_json(writer.write(request), false);
  command.deadline = deadline;
  const host::CommandResult result = host.run(command);
  bench::AllocateAnswer answer;
  const auto json = base::parse_json(result.output);
  base::JsonReader reader;
  if (result.end == host::End::exited && result.code == 0 && json && reader.read(*json, answer))
    return answer;
  return failure(describe(result, command));
}

/// Free memory without our context: NVML's, asked before the child starts.
Fact<std::int64_t> free_without_context(const Machine& machine, const std::string& device) {
  for (const Gpu& gpu : machine.gpus) {
    if (!gpu.cuda_index || "cuda:" + std::to_string(*gpu.cuda_index) != device) continue;
    for (const NvmlDevice& seen : machine.driver.nvml.devices)
      if (gpu.nvml_index.is(seen.index)) return seen.memory_free_bytes;
  }
  return Fact<std::int64_t>::absent(Absence::not_found, "NVML does not tell it");
}

FitCheck check_device(host::Host& host, const Machine& machine, const std::string& device,
                      std::int64_t bytes) {
  FitCheck check;
  check.device = device, check.asked_bytes = bytes;
  const auto absent = Fact<std::int64_t>::absent(Absence::not_tested, "nothing could be tried");
  check.allocated_bytes = check.taken_bytes = check.context_bytes = absent;
  const auto answer = ask_child(host, {device, bytes});
  if (!answer || (answer->allocated_bytes == 0 && bytes > 0)) {
    check.why = {"fit.check.failed", {device, answer ? answer->error : answer.error().text}};
    return check;
  }
  check.allocated_bytes = {answer->allocated_bytes, "cuMemAlloc_v2"};
  if (answer->free_before_bytes && answer->free_after_bytes)
    check.taken_bytes = {*answer->free_before_bytes - *answer->free_after_bytes, "cuMemGetInfo_v2"};
  const auto before = free_without_context(machine, device);
  if (before && answer->free_before_bytes && *before >= *answer->free_before_bytes)
    check.context_bytes = {*before - *answer->free_before_bytes, "nvml, cuMemGetInfo_v2"};
  check.held = answer->allocated_bytes >= bytes;
  check.why = {check.held ? "fit.check.held" : "fit.check.short",
               {device, base::show_bytes(bytes), base::show_bytes(answer->allocated_bytes),
                check.taken_bytes ? base::show_bytes(*check.taken_bytes) : "?"}};
  return check;
}

}  // namespace

std::vector<FitCheck> verify_fit(host::Host& host, const Machine& machine,
                                 const Estimate& estimate) {
  std::vector<FitCheck> checks;
  const auto add = [&](const std::string& device, std::int64_t bytes) {
    if (base::starts_with(device, "cuda:"))
      checks.push_back(check_device(host, machine, device, bytes));
  };
  for (const DeviceShare& share : estimate.devices)
    add(share.device, without_context(share.terms, share.total));
  if (estimate.devices.empty())
    add(estimate.device, without_context(estimate.terms, estimate.total));
  return checks;
}

}  // namespace gpuready::api
