#include <algorithm>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "rules/driver_rules.hpp"
#include "rules/evidence.hpp"
#include "rules/questions.hpp"
#include "rules/rungs.hpp"

namespace gpuready::rules {

namespace {

/// Codes of CUresult (cuda.h).
constexpr std::int64_t cuda_invalid_value = 1, cuda_out_of_memory = 2, cuda_unavailable = 46,
                       cuda_invalid_device = 101, cuda_not_ready = 802, cuda_unknown = 999;

Evidence init_of_cuda(const Machine& machine) {
  return evidence("machine.driver.cuda.init", machine.driver.cuda.init);
}

bool is_restricted(const NvmlDevice& device) {
  return device.compute_mode && *device.compute_mode != "default";
}

/// No GPU gave a context, and one of them was unavailable.
const CudaDevice* unavailable_gpu(const Machine& machine) {
  const auto& devices = machine.driver.cuda.devices;
  if (std::ranges::any_of(devices, [](const CudaDevice& d) { return d.context.is(true); }))
    return {};
  return device_that_failed_with(machine, {cuda_unavailable});
}

const NvmlDevice* restricted_gpu(const Machine& machine) {
  const auto& devices = machine.driver.nvml.devices;
  const auto it = std::ranges::find_if(devices, is_restricted);
  return it == devices.end() ? nullptr : &*it;
}

/// cuInit fails with 999 while NVML works and /dev/nvidia-uvm opens.
bool fails_though_uvm_is_there(const Machine& machine) {
  const Driver& driver = machine.driver;
  if (machine.environment.wsl || !driver.nvml.init.is(true)) return false;
  const DeviceFile* node = device_file(machine, "/dev/nvidia-uvm");
  return failed_with(driver.cuda.init, {cuda_unknown}) && node != nullptr && node->open.is(true);
}

const KernelEvent* last_resume(const Machine& machine) {
  const KernelEvent* found = nullptr;
  for (const KernelEvent& event : machine.kernel_log.events)
    if (event.kind == KernelEventKind::resume) found = &event;
  return found;
}

/// Eight GPUs of boards that NVSwitches join, which a virtual machine may hide from the bus.
bool has_boards_with_switches(const Machine& machine) {
  constexpr std::size_t of_one_baseboard = 8;
  const auto& devices = machine.driver.nvml.devices;
  const auto is_one = [](const NvmlDevice& device) {
    const std::string name = device.name.value_or("");
    if (base::contains(name, "PCIe") || base::contains(name, "NVL")) return false;
    for (const char* const board : {"SXM", "HBM3", "H200", "B200", "B300"})
      if (base::contains(name, board)) return true;
    return false;
  };
  return devices.size() >= of_one_baseboard && std::ranges::all_of(devices, is_one);
}

/// A GPU that belongs to a fabric and has not joined it.
const NvmlDevice* gpu_outside_of_fabric(const Machine& machine) {
  const auto& devices = machine.driver.nvml.devices;
  const auto it = std::ranges::find_if(devices, [](const NvmlDevice& d) {
    return d.fabric_state.is("not-started") || d.fabric_state.is("in-progress");
  });
  return it == devices.end() ? nullptr : &*it;
}

}  // namespace

std::optional<Sighting> uvm_broken_after_suspend(const Machine& machine) {
  const KernelEvent* resume = last_resume(machine);
  if (resume == nullptr || !fails_though_uvm_is_there(machine)) return {};
  return Sighting{{},
                  {init_of_cuda(machine),
                   {"machine.kernel_log.events.text", resume->text,
                    machine.kernel_log.source.value_or("kernel log")}}};
}

std::optional<Sighting> cuda_start_unknown_error(const Machine& machine) {
  if (!fails_though_uvm_is_there(machine)) return {};
  return Sighting{
      {},
      {init_of_cuda(machine), evidence("machine.driver.module.uvm", machine.driver.module.uvm),
       evidence("machine.kernel_log.source", machine.kernel_log.source)}};
}

std::optional<Sighting> compute_mode_forbids(const Machine& machine) {
  const CudaDevice* device = unavailable_gpu(machine);
  const NvmlDevice* restricted = restricted_gpu(machine);
  if (device == nullptr || restricted == nullptr) return {};
  return Sighting{{std::to_string(restricted->index), *restricted->compute_mode},
                  {evidence("machine.driver.nvml.devices.compute_mode", restricted->compute_mode),
                   evidence("machine.driver.cuda.devices.context", failure_of(*device))}};
}

std::optional<Sighting> gpu_unavailable(const Machine& machine) {
  const CudaDevice* device = unavailable_gpu(machine);
  if (device == nullptr || restricted_gpu(machine) != nullptr) return {};
  return Sighting{{device->name.value_or("GPU " + std::to_string(device->index))},
                  {evidence("machine.driver.cuda.devices.context", failure_of(*device))}};
}

std::optional<Sighting> fabric_manager_differs(const Machine& machine) {
  const Driver& driver = machine.driver;
  if (cuda_sees_a_device(machine) || !driver.fabric_manager || !driver.module.version) return {};
  if (*driver.fabric_manager == *driver.module.version) return {};
  if (!failed_with(driver.cuda.init, {cuda_not_ready})) return {};
  const std::string version = *driver.module.version;
  return Sighting{
      {*driver.fabric_manager, version, version.substr(0, version.find('.'))},
      {evidence("machine.driver.fabric_manager", driver.fabric_manager),
       evidence("machine.driver.module.version", driver.module.version), init_of_cuda(machine)}};
}

std::optional<Sighting> fabric_not_ready(const Machine& machine) {
  if (!failed_with(machine.driver.cuda.init, {cuda_not_ready})) return {};
  const NvmlDevice* device = gpu_outside_of_fabric(machine);
  if (device == nullptr && !has_nvswitch(machine) && !has_boards_with_switches(machine)) return {};
  const std::string version = machine.driver.nvml.driver_version.value_or("?");
  Sighting sighting{{version, version.substr(0, version.find('.'))}, {init_of_cuda(machine)}};
  if (device != nullptr)
    sighting.evidence.push_back(
        evidence("machine.driver.nvml.devices.fabric_state", device->fabric_state));
  sighting.evidence.push_back(evidence("machine.pci_count", machine.pci_count));
  return sighting;
}

std::optional<Sighting> system_not_ready(const Machine& machine) {
  if (!failed_with(machine.driver.cuda.init, {cuda_not_ready})) return {};
  if (has_nvswitch(machine) || has_boards_with_switches(machine)) return {};
  if (gpu_outside_of_fabric(machine) != nullptr) return {};
  return Sighting{{}, {init_of_cuda(machine), evidence("machine.pci_count", machine.pci_count)}};
}

std::optional<Sighting> mps_broken(const Machine& machine) {
  const auto codes = {std::int64_t{805}, std::int64_t{806}, std::int64_t{807},
                      std::int64_t{808}, std::int64_t{809}, std::int64_t{810}};
  const std::string pipe = variable(machine, "CUDA_MPS_PIPE_DIRECTORY").value_or("/tmp/nvidia-mps");
  if (failed_with(machine.driver.cuda.init, codes))
    return Sighting{{pipe}, {init_of_cuda(machine)}};
  const CudaDevice* device = device_that_failed_with(machine, codes);
  if (device == nullptr || kernel_ran(machine)) return {};
  return Sighting{{pipe}, {evidence("machine.driver.cuda.devices.context", failure_of(*device))}};
}

std::optional<Sighting> persistence_mode_off(const Machine& machine) {
  constexpr std::size_t many = 4;  // below that, waking the driver takes little time
  const auto& devices = machine.driver.nvml.devices;
  const auto is_off = [](const NvmlDevice& d) { return d.persistence.is(false); };
  if (machine.environment.wsl || devices.size() < many || !std::ranges::all_of(devices, is_off))
    return {};
  return Sighting{{std::to_string(devices.size())},
                  {evidence("machine.driver.nvml.devices.persistence", devices.front().persistence),
                   evidence("machine.driver.nvml.device_count", machine.driver.nvml.device_count)}};
}

std::optional<Sighting> wsl_many_gpus(const Machine& machine) {
  constexpr std::int64_t many = 3;
  const NvmlDriver& nvml = machine.driver.nvml;
  if (!machine.environment.wsl || nvml.device_count.value_or(0) < many) return {};
  if (!failed_with(machine.driver.cuda.init,
                   {cuda_invalid_value, cuda_out_of_memory, cuda_invalid_device}))
    return {};
  return Sighting{
      {std::to_string(*nvml.device_count)},
      {init_of_cuda(machine), evidence("machine.driver.nvml.device_count", nvml.device_count)}};
}

namespace {

bool hung_or_crashed(const Fact<bool>& fact) {
  return fact.absent_for(Absence::timed_out) || fact.absent_for(Absence::crashed);
}

/// The first question at which the child that asked CUDA hung or died.
std::optional<Evidence> end_of_cuda(const CudaDriver& cuda) {
  if (hung_or_crashed(cuda.init)) return evidence("machine.driver.cuda.init", cuda.init);
  for (const CudaDevice& device : cuda.devices)
    for (const auto& [field, fact] :
         {std::pair{"context", &device.context}, {"kernel", &device.kernel}})
      if (hung_or_crashed(*fact))
        return evidence(std::string("machine.driver.cuda.devices.") + field, *fact);
  return {};
}

}  // namespace

std::optional<Sighting> cuda_gives_no_answer(const Machine& machine) {
  const auto end = end_of_cuda(machine.driver.cuda);
  if (!end || kernel_ran(machine)) return {};
  return Sighting{{end->source}, {*end}};
}

std::optional<Sighting> nvml_gives_no_answer(const Machine& machine) {
  const Fact<bool>& init = machine.driver.nvml.init;
  if (!cuda_sees_a_device(machine) || !hung_or_crashed(init)) return {};
  return Sighting{{reason(init.missing())}, {evidence("machine.driver.nvml.init", init)}};
}

}  // namespace gpuready::rules
