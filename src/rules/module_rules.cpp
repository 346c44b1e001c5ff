#include "rules/module_rules.hpp"

#include <array>
#include <initializer_list>
#include <string_view>

#include "base/text.hpp"
#include "rules/evidence.hpp"
#include "rules/kernel_log_rules.hpp"
#include "rules/rungs.hpp"

namespace gpuready::rules {

namespace {

bool sees_a_gpu(const Machine& machine) {
  return cuda_sees_a_device(machine) || machine.driver.nvml.device_count.value_or(0) > 0;
}

/// The first NVIDIA GPU on the bus, where nothing that NVIDIA's libraries say shows that it works.
/// In WSL the driver is Windows'.
const PciFunction* gpu_out_of_order(const Machine& machine) {
  if (sees_a_gpu(machine) || machine.environment.wsl) return nullptr;
  const auto gpus = nvidia_gpus_on_pci(machine);
  return gpus.empty() ? nullptr : gpus.front();
}

/// That GPU, where no driver holds it, and NVIDIA's module is not loaded. In a container the
/// module's files say nothing: they are the host's.
const PciFunction* gpu_without_module(const Machine& machine) {
  const PciFunction* gpu = gpu_out_of_order(machine);
  if (gpu == nullptr || machine.environment.container) return nullptr;
  const bool loaded = machine.driver.module.version.known();
  return gpu->driver || loaded ? nullptr : gpu;
}

bool has_libraries(const Machine& machine) {
  return machine.driver.nvml.library.known() || machine.driver.cuda.library.known();
}

bool library_is_missing(const Fact<std::string>& library) {
  return library.absent_for(Absence::library_missing);
}

const KernelEvent* first_line_of(const Machine& machine,
                                 std::initializer_list<std::string_view> choices) {
  for (const KernelEvent* event : current_events(machine))
    for (const std::string_view words : choices)
      if (base::contains(event->text, words)) return event;
  return nullptr;
}

/// A sighting for a GPU that is out of order where the kernel's log has one of these words.
std::optional<Sighting> told_in_log(const Machine& machine,
                                    std::initializer_list<std::string_view> choices) {
  const PciFunction* gpu = gpu_out_of_order(machine);
  const KernelEvent* line = gpu != nullptr ? first_line_of(machine, choices) : nullptr;
  if (line == nullptr) return {};
  const KernelModule& module = machine.driver.module;
  Sighting sighting{
      {line->pci_address.value_or(gpu->address), module.version.value_or("not loaded")}, {}};
  sighting.evidence = {evidence_of(*line),
                       evidence("machine.driver.module.version", module.version),
                       evidence("machine.driver.nvml.init", machine.driver.nvml.init)};
  return sighting;
}

/// The kernel's line on a module that is not signed, or not by a key it trusts.
const KernelEvent* rejection(const Machine& machine) {
  for (const KernelEvent* event : current_events(machine)) {
    const std::string& text = event->text;
    const bool rejected = base::contains(text, "Key was rejected by service") ||
                          base::contains(text, "is rejected") ||
                          base::contains(text, "unsigned module loading is restricted");
    // The kernel's own lines name the module only in newer versions; other modules don't count.
    if (rejected && !base::contains(text, ": Loading of")) return event;
    if (rejected && base::contains(text, "nvidia")) return event;
  }
  return nullptr;
}

}  // namespace

std::optional<Sighting> driver_not_installed(const Machine& machine) {
  const PciFunction* gpu = gpu_without_module(machine);
  const Driver& driver = machine.driver;
  if (gpu == nullptr || driver.module.installed_for_kernel.is(true)) return {};
  if (!library_is_missing(driver.nvml.library) || !library_is_missing(driver.cuda.library))
    return {};
  return Sighting{{gpu->address},
                  {evidence("machine.pci.driver", gpu->driver),
                   evidence("machine.driver.module.version", driver.module.version),
                   evidence("machine.driver.cuda.library", driver.cuda.library)}};
}

std::optional<Sighting> module_not_built_for_kernel(const Machine& machine) {
  const PciFunction* gpu = gpu_without_module(machine);
  const KernelModule& module = machine.driver.module;
  if (gpu == nullptr || !module.installed_for_kernel.is(false) || !has_libraries(machine))
    return {};
  return Sighting{
      {machine.os.kernel.value_or("?"), gpu->address},
      {evidence("machine.driver.module.installed_for_kernel", module.installed_for_kernel),
       evidence("machine.os.kernel", machine.os.kernel),
       evidence("machine.driver.nvml.init", machine.driver.nvml.init)}};
}

std::optional<Sighting> secure_boot_rejects_module(const Machine& machine) {
  const PciFunction* gpu = gpu_without_module(machine);
  const KernelModule& module = machine.driver.module;
  if (gpu == nullptr || !module.secure_boot.is(true) || !module.installed_for_kernel.is(true))
    return {};
  const KernelEvent* line = rejection(machine);
  // Without the log the signature is only the likeliest cause; with it, it must be named there.
  if (line == nullptr && (machine.kernel_log.source || module.blacklisted_in)) return {};
  Sighting sighting{
      {line != nullptr ? "the kernel's log says that it was rejected"
                       : "its signature is the likeliest cause, but the kernel's log, which would "
                         "prove it, could not be read"},
      {evidence("machine.driver.module.secure_boot", module.secure_boot),
       evidence("machine.driver.module.version", module.version)}};
  sighting.evidence.push_back(
      line != nullptr ? evidence_of(*line)
                      : evidence("machine.kernel_log.source", machine.kernel_log.source));
  return sighting;
}

std::optional<Sighting> module_blacklisted(const Machine& machine) {
  const PciFunction* gpu = gpu_without_module(machine);
  const KernelModule& module = machine.driver.module;
  if (gpu == nullptr || !module.blacklisted_in || !module.installed_for_kernel.is(true)) return {};
  return Sighting{{*module.blacklisted_in, gpu->address},
                  {evidence("machine.driver.module.blacklisted_in", module.blacklisted_in),
                   evidence("machine.driver.module.version", module.version)}};
}

std::optional<Sighting> module_not_loaded(const Machine& machine) {
  const PciFunction* gpu = gpu_without_module(machine);
  const KernelModule& module = machine.driver.module;
  // Where the modules' folder can't be listed, the libraries show that the driver is installed.
  if (gpu == nullptr || module.installed_for_kernel.is(false)) return {};
  if (!module.installed_for_kernel && !has_libraries(machine)) return {};
  return Sighting{
      {gpu->address},
      {evidence("machine.driver.module.version", module.version),
       evidence("machine.driver.module.installed_for_kernel", module.installed_for_kernel)}};
}

std::optional<Sighting> gpu_too_old_for_driver(const Machine& machine) {
  // "The NVIDIA ... GPU installed in this system is supported through the NVIDIA 580.xx Legacy
  // drivers."
  return told_in_log(machine, {"Legacy drivers"});
}

std::optional<Sighting> open_module_on_old_gpu(const Machine& machine) {
  return told_in_log(machine, {"not supported by open nvidia.ko"});
}

std::optional<Sighting> closed_module_on_new_gpu(const Machine& machine) {
  return told_in_log(machine, {"requires use of the NVIDIA open kernel modules"});
}

std::optional<Sighting> bar_too_small(const Machine& machine) {
  if (sees_a_gpu(machine) || machine.environment.wsl) return {};
  for (const PciFunction* gpu : nvidia_gpus_on_pci(machine)) {
    // A GPU that sleeps or that another driver holds is not judged by its window.
    const bool nvidias = !gpu->driver || gpu->driver.is("nvidia");
    if (!gpu->bar1_bytes.is(0) || !nvidias || gpu->runtime_status.is("suspended")) continue;
    return Sighting{{gpu->address},
                    {evidence("machine.pci.bar1_bytes", gpu->bar1_bytes),
                     evidence("machine.driver.nvml.init", machine.driver.nvml.init)}};
  }
  return {};
}

std::optional<Sighting> gsp_firmware_fails(const Machine& machine) {
  return told_in_log(machine, {"Cannot initialize GSP firmware RM", "unexpected WPR2 already up",
                               "RmInitAdapter failed! (0x62:"});
}

std::optional<Sighting> uvm_without_address_space(const Machine& machine) {
  if (cuda_sees_a_device(machine)) return {};
  const KernelEvent* line = first_line_of(machine, {"request_free_mem_region() err -34"});
  if (line == nullptr) line = first_line_of(machine, {"devmem_alloc_pagemap"});
  if (line == nullptr) return {};
  return Sighting{
      {machine.os.kernel.value_or("?")},
      {evidence_of(*line), evidence("machine.driver.cuda.init", machine.driver.cuda.init)}};
}

std::optional<Sighting> driver_refuses_gpu(const Machine& machine) {
  const PciFunction* gpu = gpu_out_of_order(machine);
  const KernelModule& module = machine.driver.module;
  if (gpu == nullptr || gpu->driver || !module.version || machine.environment.container) return {};
  // A number of devices that isn't known says nothing: only "none" does.
  constexpr std::int64_t gpu_not_found = 6;  // nvmlReturn_t
  const NvmlDriver& nvml = machine.driver.nvml;
  const bool none =
      nvml.device_count.is(0) || (!nvml.init && nvml.init.missing().code == gpu_not_found);
  if (!none) return {};
  return Sighting{{gpu->address, *module.version, module.flavour.value_or("unknown")},
                  {evidence("machine.pci.driver", gpu->driver),
                   evidence("machine.driver.module.version", module.version),
                   evidence("machine.driver.module.flavour", module.flavour)}};
}

}  // namespace gpuready::rules
