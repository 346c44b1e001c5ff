#include <algorithm>

#include "probe/pci_class.hpp"
#include "probe/probe.hpp"

namespace gpuready::probe {

namespace {

bool any_gpu_asleep(const std::vector<PciFunction>& pci) {
  return std::ranges::any_of(pci, [](const PciFunction& function) {
    return is_gpu(function) && function.runtime_status.is("suspended");
  });
}

bool any_of_nvidia(const std::vector<PciFunction>& pci) {
  return std::ranges::any_of(pci, [](const PciFunction& function) {
    return function.vendor_id.is(std::string(pci_nvidia));
  });
}

}  // namespace

Machine probe_machine(host::Host& host, const ProbeOptions& options) {
  Machine machine;
  machine.os = probe_os(host);
  machine.cpu = probe_cpu(host);
  machine.memory = probe_memory(host);
  probe_pci(host, machine);
  probe_gfx_targets(host, machine.pci);
  machine.driver.module = probe_kernel_module(host);
  machine.driver.fabric_manager = probe_fabric_manager(host);
  machine.kernel_log = probe_kernel_log(host, any_of_nvidia(machine.pci));
  machine.driver.files = probe_device_files(host, options.wake || !any_gpu_asleep(machine.pci));
  machine.environment = probe_environment(host);
  std::vector<PythonEnvironment> python;
  if (options.python || options.libraries) python = probe_python(host);
  if (options.libraries) machine.libraries = probe_libraries(host, python);
  if (options.python) machine.jupyter_kernels = probe_jupyter(host, python);
  if (options.python && options.python_deadline.count() > 0)
    machine.torch_answer = probe_torch_answer(host, python, options.python_deadline);
  if (options.python) machine.python = std::move(python);
  probe_vendors(host, options, machine);
  machine.gpus = merge_gpus(machine);
  return machine;
}

}  // namespace gpuready::probe
