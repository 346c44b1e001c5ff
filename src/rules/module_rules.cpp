#include "rules/module_rules.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "base/text.hpp"
#include "rules/evidence.hpp"
#include "rules/gpu_age.hpp"
#include "rules/kernel_log_rules.hpp"
#include "rules/questions.hpp"
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

const PciFunction* gpu_of_nouveau(const Machine& machine) {
  const PciFunction* gpu = gpu_out_of_order(machine);
  if (gpu == nullptr || machine.environment.container || machine.driver.module.version)
    return nullptr;
  return gpu->driver.is("nouveau") ? gpu : nullptr;
}

bool has_libraries(const Machine& machine) {
  return machine.driver.nvml.library.known() || machine.driver.cuda.library.known();
}

bool library_is_missing(const Fact<std::string>& library) {
  return library.absent_for(Absence::library_missing);
}

bool has_any(const std::string& text, std::initializer_list<std::string_view> choices) {
  return std::ranges::any_of(choices, [&](auto words) { return base::contains(text, words); });
}

const KernelEvent* first_line_of(const Machine& machine,
                                 std::initializer_list<std::string_view> choices) {
  for (const KernelEvent* event : events_of_this_load(machine))
    if (has_any(event->text, choices)) return event;
  return nullptr;
}

/// Whether NVML or CUDA list the GPU by its address. One that they name without an address may be
/// any; one of which they know nothing is none that works.
bool is_listed(const Machine& machine, const PciFunction& gpu) {
  const auto is_it = [&](const auto& device) {
    return device.pci_address ? same_slot(*device.pci_address, gpu.address) : device.name.known();
  };
  return std::ranges::any_of(machine.driver.nvml.devices, is_it) ||
         std::ranges::any_of(machine.driver.cuda.devices, is_it);
}

/// The one GPU that no driver holds and that NVIDIA's libraries don't list beside others.
const PciFunction* only_gpu_left_out(const Machine& machine) {
  const PciFunction* found = nullptr;
  for (const PciFunction* gpu : nvidia_gpus_on_pci(machine)) {
    if (gpu->driver || is_listed(machine, *gpu)) continue;
    if (found != nullptr) return nullptr;
    found = gpu;
  }
  return found;
}

/// The GPU that a line is about, where it is out of order: any GPU where none works; beside GPUs
/// that work, the one that the line names and that NVIDIA's libraries don't list.
const PciFunction* gpu_of_line(const Machine& machine, const KernelEvent& line) {
  const PciFunction* first = gpu_out_of_order(machine);
  if (machine.environment.wsl) return nullptr;
  for (const PciFunction* gpu : nvidia_gpus_on_pci(machine)) {
    if (!line.pci_address || !same_slot(*line.pci_address, gpu->address)) continue;
    return first != nullptr || !is_listed(machine, *gpu) ? gpu : nullptr;
  }
  return first != nullptr || line.pci_address ? first : only_gpu_left_out(machine);
}

bool has_shut_node(const Machine& machine) {
  return std::ranges::any_of(machine.driver.files, [](const DeviceFile& file) {
    return base::starts_with(file.path, "/dev/nvidia") && !file.open;
  });
}

/// Version of the driver that is loaded, or else of the one whose libraries are installed.
std::string version_of_driver(const Machine& machine) {
  if (machine.driver.module.version) return *machine.driver.module.version;
  for (const Library& library : machine.libraries)
    if ((library.name == "nvml" || library.name == "cuda") && library.version)
      return *library.version;
  return "of unknown version";
}

Sighting about_refused(const Machine& machine, const PciFunction& gpu) {
  const Driver& driver = machine.driver;
  return {{gpu.address, version_of_driver(machine)},
          {evidence("machine.driver.module.version", driver.module.version),
           evidence("machine.driver.nvml.init", driver.nvml.init)}};
}

/// A sighting for a GPU that is out of order where the kernel's log has one of these words.
std::optional<Sighting> told_in_log(const Machine& machine,
                                    std::initializer_list<std::string_view> choices) {
  for (const KernelEvent* line : events_of_this_load(machine)) {
    if (!has_any(line->text, choices)) continue;
    const PciFunction* gpu = gpu_of_line(machine, *line);
    if (gpu == nullptr) continue;
    Sighting sighting = about_refused(machine, *gpu);
    sighting.evidence.insert(sighting.evidence.begin(), evidence_of(*line));
    return sighting;
  }
  return {};
}

/// The first GPU that is out of order, that no other driver holds, and that the test finds to be
/// of the wrong kind for the driver; with its number as evidence. Needs no log.
template <class Wrong>
std::optional<Sighting> wrong_by_number(const Machine& machine, const Wrong& is_wrong) {
  if (gpu_out_of_order(machine) == nullptr || machine.environment.container) return {};
  for (const PciFunction* gpu : nvidia_gpus_on_pci(machine)) {
    const auto age = age_of_gpu(*gpu);
    if (!age || (gpu->driver && !gpu->driver.is("nvidia")) || !is_wrong(*age)) continue;
    Sighting sighting = about_refused(machine, *gpu);
    sighting.evidence.insert(sighting.evidence.begin(),
                             evidence("machine.pci.device_id", gpu->device_id));
    sighting.evidence.push_back(
        evidence("machine.driver.module.flavour", machine.driver.module.flavour));
    return sighting;
  }
  return {};
}

/// The kernel's line on a module of NVIDIA's that was built for another kernel
/// (kernel/module/version.c, kernel/module/main.c).
const KernelEvent* misfit(const Machine& machine) {
  for (const KernelEvent* event : events_of_this_load(machine))
    if (base::starts_with(event->text, "nvidia") &&
        has_any(event->text,
                {"version magic", "disagrees about version of symbol", "Unknown symbol"}))
      return event;
  return nullptr;
}

/// The kernel's line on a module that is not signed, or not by a key it trusts.
const KernelEvent* rejection(const Machine& machine) {
  for (const KernelEvent* event : events_of_this_load(machine)) {
    const std::string& text = event->text;
    const bool rejected =
        has_any(text, {"ey was rejected by service", "is rejected",
                       "unsigned module loading is restricted", "not signed with a trusted key"});
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
  // Without NVIDIA's module the kernel gives the GPU to nouveau.
  if (gpu == nullptr) gpu = gpu_of_nouveau(machine);
  const KernelModule& module = machine.driver.module;
  if (gpu == nullptr) return {};
  const KernelEvent* line = misfit(machine);
  if (line == nullptr && (!module.installed_for_kernel.is(false) || !has_libraries(machine)))
    return {};
  Sighting sighting{
      {machine.os.kernel.value_or("?"), gpu->address},
      {evidence("machine.driver.module.installed_for_kernel", module.installed_for_kernel),
       evidence("machine.os.kernel", machine.os.kernel),
       evidence("machine.driver.nvml.init", machine.driver.nvml.init)}};
  if (line != nullptr) sighting.evidence.push_back(evidence_of(*line));
  return sighting;
}

std::optional<Sighting> secure_boot_rejects_module(const Machine& machine) {
  const PciFunction* gpu = gpu_without_module(machine);
  const KernelModule& module = machine.driver.module;
  if (gpu == nullptr || module.secure_boot.is(false) || module.installed_for_kernel.is(false))
    return {};
  const KernelEvent* line = rejection(machine);
  if (line == nullptr && (!module.secure_boot || !module.installed_for_kernel)) return {};
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

namespace {

/// The last branch for the GPUs here: 470 for Kepler, 580 for Maxwell, Pascal and Volta.
std::string last_branch_of(const Machine& machine) {
  const auto gpus = nvidia_gpus_on_pci(machine);
  const bool kepler = std::ranges::any_of(
      gpus, [](const PciFunction* gpu) { return age_of_gpu(*gpu) == Age::kepler; });
  return kepler ? "470" : "580";
}

std::optional<Sighting> seen_too_old(const Machine& machine) {
  // "The NVIDIA ... GPU installed in this system is supported through the NVIDIA 580.xx Legacy
  // drivers."
  if (auto told = told_in_log(machine, {"Legacy drivers", "driver will ignore"})) return told;
  // Branches that dropped a generation, by NVIDIA's release notes: 495 Kepler, 590 all up to Volta.
  const std::int64_t branch = major_of(version_of_driver(machine)).value_or(0);
  return wrong_by_number(machine, [&](Age age) {
    return (age == Age::kepler && branch >= 495) || (age == Age::maxwell_to_volta && branch >= 590);
  });
}

}  // namespace

std::optional<Sighting> gpu_too_old_for_driver(const Machine& machine) {
  auto seen = seen_too_old(machine);
  if (seen) seen->args.push_back(last_branch_of(machine));
  return seen;
}

std::optional<Sighting> open_module_on_old_gpu(const Machine& machine) {
  if (auto told = told_in_log(machine, {"not supported by open", "nvidia.ko because it does not"}))
    return told;
  if (!machine.driver.module.flavour.is("open")) return {};
  return wrong_by_number(machine, [](Age age) { return age < Age::turing_to_hopper; });
}

std::optional<Sighting> closed_module_on_new_gpu(const Machine& machine) {
  if (auto told = told_in_log(machine, {"requires use of the NVIDIA open kernel modules"}))
    return told;
  if (!machine.driver.module.flavour.is("proprietary")) return {};
  return wrong_by_number(machine, [](Age age) { return age == Age::blackwell; });
}

std::optional<Sighting> bar_too_small(const Machine& machine) {
  if (auto told = told_in_log(machine, {"BAR0 is 0M", "BAR1 is 0M", "BAR2 is 0M"})) return told;
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
                               "RmInitAdapter failed! (0x62:", "RmFetchGspRmImages",
                               "Direct firmware load for nvidia/", "failed to wait for GFW"});
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
  const KernelModule& module = machine.driver.module;
  if (auto told = told_in_log(machine, {"RmInitAdapter failed", "rm_init_adapter failed"})) {
    told->args.push_back(module.flavour.value_or("flavour unknown"));
    return told;
  }
  const PciFunction* gpu = gpu_out_of_order(machine);
  if (gpu == nullptr || !module.version || machine.environment.container) return {};
  if (gpu->driver && !gpu->driver.is("nvidia")) return {};
  // A node that cannot be opened hides a GPU that the driver holds; other rules tell that.
  if (gpu->driver && has_shut_node(machine)) return {};
  // A number of devices that isn't known says nothing: only "none" does.
  constexpr std::int64_t gpu_not_found = 6;  // nvmlReturn_t
  const NvmlDriver& nvml = machine.driver.nvml;
  const bool none =
      nvml.device_count.is(0) || (!nvml.init && nvml.init.missing().code == gpu_not_found);
  if (!none) return {};
  return Sighting{{gpu->address, *module.version, module.flavour.value_or("flavour unknown")},
                  {evidence("machine.pci.driver", gpu->driver),
                   evidence("machine.driver.module.version", module.version),
                   evidence("machine.driver.module.flavour", module.flavour)}};
}

}  // namespace gpuready::rules
