#include <string>

#include "base/text.hpp"
#include "rules/driver_rules.hpp"
#include "rules/evidence.hpp"
#include "rules/questions.hpp"
#include "rules/rungs.hpp"

namespace gpuready::rules {

namespace {

constexpr const char* uvm_path = "/dev/nvidia-uvm";

/// Whether nodes can be a fault at all: WSL has none, and where CUDA works none is lacking.
bool nodes_matter(const Machine& machine) {
  return !machine.environment.wsl && !cuda_sees_a_device(machine);
}

Evidence node_evidence(const DeviceFile& file) {
  Evidence open = evidence("machine.driver.files.open", file.open);
  if (open.source.empty()) open.source = file.path;
  return open;
}

/// Whether the lack of nvidia-uvm can be why CUDA did not start (codes of CUresult: not
/// initialized, device unavailable, operating system, unknown).
bool uvm_can_explain(const Fact<bool>& cuda_init) {
  return failed_with(cuda_init, {3, 46, 304, 999});
}

}  // namespace

std::optional<Sighting> uvm_missing(const Machine& machine) {
  const Driver& driver = machine.driver;
  if (!nodes_matter(machine) || !driver.nvml.init.is(true)) return {};
  if (!uvm_can_explain(driver.cuda.init)) return {};
  const DeviceFile* node = device_file(machine, uvm_path);
  if (!is_missing(node) && !driver.module.uvm.is(false)) return {};
  Sighting sighting{{},
                    {evidence("machine.driver.module.uvm", driver.module.uvm),
                     evidence("machine.driver.cuda.init", driver.cuda.init)}};
  if (node != nullptr) sighting.evidence.push_back(node_evidence(*node));
  return sighting;
}

std::optional<Sighting> device_nodes_missing(const Machine& machine) {
  if (!nodes_matter(machine) || !machine.driver.module.version) return {};
  if (machine.environment.container || nvml_sees_a_device(machine)) return {};
  const auto gpus = nvidia_gpus_on_pci(machine);
  if (gpus.empty() || !gpus.front()->driver.is("nvidia")) return {};
  for (const char* const path : {"/dev/nvidiactl", "/dev/nvidia0"}) {
    const DeviceFile* file = device_file(machine, path);
    if (is_missing(file))
      return Sighting{{path},
                      {node_evidence(*file),
                       evidence("machine.driver.module.version", machine.driver.module.version)}};
  }
  return {};
}

std::optional<Sighting> device_node_permission(const Machine& machine) {
  if (!nodes_matter(machine)) return {};
  const DeviceFile* file = nvidia_node_failing_with(machine, errno_eacces);
  if (file == nullptr) return {};
  return Sighting{{file->path}, {node_evidence(*file)}};
}

std::optional<Sighting> control_group_denies_gpu(const Machine& machine) {
  if (!nodes_matter(machine)) return {};
  if (machine.environment.container && !in_system_container(machine)) return {};
  const DeviceFile* file = nvidia_node_failing_with(machine, errno_eperm);
  if (file == nullptr) return {};
  return Sighting{
      {file->path},
      {node_evidence(*file), evidence("machine.driver.nvml.init", machine.driver.nvml.init)}};
}

}  // namespace gpuready::rules
