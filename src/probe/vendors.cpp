#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probe/child_answer.hpp"
#include "probe/probe.hpp"
#include "probe/vendor_child.hpp"

namespace gpuready::probe {

namespace {

/// More than the facts of a hundred GPUs; a child that says more is not ours.
constexpr std::size_t most_answer_bytes = std::size_t{4} << 20U;

host::Command child(host::Host& host, const ProbeOptions& options, const std::string& what) {
  host::Command command;
  command.argv = {host.self(), "__probe", what};
  command.deadline = options.deadline;
  command.max_output_bytes = most_answer_bytes;
  return command;
}

}  // namespace

void probe_vendors(host::Host& host, const ProbeOptions& options, Machine& machine) {
  const bool asleep = !options.wake && all_nvidia_gpus_asleep(machine.pci);
  const Missing why{Absence::not_tested,
                    asleep ? "the GPU is asleep and was not woken" : "it was not asked for",
                    {}};
  OpenClAnswer opencl;
  set_all_absent(machine.driver.nvml, why);
  set_all_absent(machine.driver.cuda, why);
  set_all_absent(opencl, why);

  std::vector<host::Command> commands;
  std::vector<std::string> asked;
  for (const auto& [wanted, what] :
       {std::pair{options.nvml, "nvml"}, {options.cuda, "cuda"}, {options.opencl, "opencl"}})
    if (wanted && !asleep) commands.push_back(child(host, options, what)), asked.push_back(what);

  const std::vector<host::CommandResult> results = host.run_all(commands);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (asked[i] == "nvml") read_answer(results[i], commands[i], machine.driver.nvml);
    if (asked[i] == "cuda") read_answer(results[i], commands[i], machine.driver.cuda);
    if (asked[i] == "opencl") read_answer(results[i], commands[i], opencl);
  }
  machine.opencl_loader = std::move(opencl.loader);
  machine.opencl = std::move(opencl.devices);
}

}  // namespace gpuready::probe
