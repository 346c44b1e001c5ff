#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "base/text.hpp"
#include "rules/areas.hpp"
#include "rules/evidence.hpp"
#include "rules/kernel_log_rules.hpp"
#include "rules/module_rules.hpp"
#include "rules/rungs.hpp"

namespace gpuready::rules {

namespace {

/// The first NVIDIA GPU that one of these drivers holds (or one with such a start of its name).
std::optional<Sighting> gpu_held_by(const Machine& machine,
                                    std::initializer_list<std::string_view> drivers) {
  for (const PciFunction* gpu : nvidia_gpus_on_pci(machine))
    for (const std::string_view driver : drivers)
      if (base::starts_with(gpu->driver.value_or(""), driver))
        return Sighting{{gpu->address, *gpu->driver},
                        {evidence("machine.pci.driver", gpu->driver)}};
  return {};
}

std::optional<Sighting> nouveau_bound(const Machine& machine) {
  if (cuda_sees_a_device(machine)) return {};
  return gpu_held_by(machine, {"nouveau"});
}

std::optional<Sighting> nova_bound(const Machine& machine) {
  if (cuda_sees_a_device(machine)) return {};
  return gpu_held_by(machine, {"nova"});
}

/// Reserved for a guest of KVM (vfio-pci, pci-stub) or Xen; other GPUs may work beside it.
std::optional<Sighting> vfio_bound(const Machine& machine) {
  return gpu_held_by(machine, {"vfio", "pci-stub", "pciback", "xen-pciback"});
}

/// prime-select of openSUSE knows intel2, too.
bool is_switched_off(const Fact<std::string>& prime) {
  return prime.is("off") || prime.is("integrated") ||
         base::starts_with(prime.value_or(""), "intel");
}

/// Intel's integrated graphics sit on the root bus; they are not what a CUDA program looks for.
bool is_integrated_of_intel(const Gpu& gpu) {
  return gpu.vendor.is("intel") && base::starts_with(gpu.pci_address.value_or(""), "0000:00:");
}

/// The audio function of one of NVIDIA's GPUs, which is listed only where its GPU is not.
const PciFunction* audio_left_alone(const Machine& machine) {
  const auto is_audio = [](const PciFunction& function) {
    return function.vendor_id.is("0x10de") &&
           base::starts_with(function.class_code.value_or(""), "0x0403");
  };
  const auto it = std::ranges::find_if(machine.pci, is_audio);
  return it == machine.pci.end() ? nullptr : &*it;
}

/// Only where the bus could be listed: WSL, Colab and the like show no GPU there, or say it in
/// their own rules, and a container's bus may be hidden.
std::optional<Sighting> no_nvidia_gpu(const Machine& machine) {
  const Environment& where = machine.environment;
  const bool elsewhere = where.wsl || where.colab || where.kaggle || where.slurm || where.container;
  if (elsewhere || !machine.pci_count || !nvidia_gpus_on_pci(machine).empty()) return {};
  if (is_switched_off(where.prime) || audio_left_alone(machine) != nullptr) return {};
  if (!std::ranges::all_of(machine.gpus, is_integrated_of_intel)) return {};
  return Sighting{{std::to_string(*machine.pci_count)},
                  {evidence("machine.pci_count", machine.pci_count)}};
}

std::optional<Sighting> gpu_asleep(const Machine& machine) {
  for (const PciFunction* gpu : nvidia_gpus_on_pci(machine))
    // What another driver holds (nouveau, vfio) lets it sleep on its own terms.
    if (gpu->runtime_status.is("suspended") && (!gpu->driver || gpu->driver.is("nvidia")))
      return Sighting{{gpu->address},
                      {evidence("machine.pci.runtime_status", gpu->runtime_status)}};
  return {};
}

std::optional<Sighting> gpu_switched_off(const Machine& machine) {
  if (cuda_sees_a_device(machine) || machine.driver.nvml.device_count.value_or(0) > 0) return {};
  const Fact<std::string>& prime = machine.environment.prime;
  if (is_switched_off(prime))
    return Sighting{{*prime, prime.source()}, {evidence("machine.environment.prime", prime)}};
  const PciFunction* audio = audio_left_alone(machine);
  if (audio == nullptr || !nvidia_gpus_on_pci(machine).empty()) return {};
  return Sighting{{"only its audio function is left", "PCI function " + audio->address},
                  {evidence("machine.pci.class_code", audio->class_code)}};
}

std::vector<Rule> rules_of_the_bus() {
  return {
      {"no-nvidia-gpu", "hardware", no_nvidia_gpu},
      {"gpu-switched-off", "hardware", gpu_switched_off},
      {"gpu-fell-off-the-bus", "hardware", gpu_fell_off_the_bus},
      {"gpu-power-cable-missing", "hardware", gpu_power_cable_missing, {"gpu-fell-off-the-bus"}},
      {"gpu-asleep", "hardware", gpu_asleep},
      {"nouveau-bound", "hardware", nouveau_bound},
      {"nova-bound", "hardware", nova_bound},
      {"vfio-bound", "hardware", vfio_bound},
  };
}

std::vector<Rule> rules_of_the_module() {
  return {
      {"driver-not-installed", "hardware", driver_not_installed, {"gpu-switched-off"}},
      {"module-not-built-for-kernel",
       "hardware",
       module_not_built_for_kernel,
       {"gpu-switched-off"}},
      {"module-blacklisted", "hardware", module_blacklisted, {"gpu-switched-off"}},
      {"secure-boot-rejects-module",
       "hardware",
       secure_boot_rejects_module,
       {"gpu-too-old-for-driver", "gpu-switched-off"}},
      {"module-not-loaded",
       "hardware",
       module_not_loaded,
       {"module-blacklisted", "secure-boot-rejects-module", "gpu-switched-off",
        "module-not-built-for-kernel", "gpu-too-old-for-driver", "open-module-on-old-gpu",
        "closed-module-on-new-gpu", "bar-too-small", "gpu-fell-off-the-bus"}},
      {"gpu-too-old-for-driver", "hardware", gpu_too_old_for_driver},
      {"open-module-on-old-gpu", "hardware", open_module_on_old_gpu, {"gpu-too-old-for-driver"}},
      {"closed-module-on-new-gpu", "hardware", closed_module_on_new_gpu},
      {"bar-too-small",
       "hardware",
       bar_too_small,
       {"closed-module-on-new-gpu", "gpu-fell-off-the-bus"}},
      {"gsp-firmware-fails",
       "hardware",
       gsp_firmware_fails,
       {"bar-too-small", "closed-module-on-new-gpu", "gpu-fell-off-the-bus",
        "driver-library-mismatch"}},
      {"uvm-without-address-space", "hardware", uvm_without_address_space},
      {"driver-refuses-gpu",
       "hardware",
       driver_refuses_gpu,
       {"gpu-too-old-for-driver", "open-module-on-old-gpu", "closed-module-on-new-gpu",
        "bar-too-small", "gsp-firmware-fails", "gpu-fell-off-the-bus", "gpu-power-cable-missing",
        "gpu-switched-off"}},
  };
}

std::vector<Rule> rules_of_the_kernel_log() {
  return {
      {"xid-reset-needed",
       "hardware",
       xid_reset_needed,
       {"gpu-fell-off-the-bus", "gsp-firmware-fails"}},
      {"xid-ecc", "hardware", xid_ecc, {"row-remap-failed", "ecc-uncorrectable"}},
      {"xid-nvlink", "hardware", xid_nvlink, {"gpu-fell-off-the-bus"}},
      {"xid-recovery-action", "hardware", xid_recovery_action, {"gpu-fell-off-the-bus"}},
      {"xid-application-fault", "hardware", xid_application_fault},
      {"xid-informational",
       "hardware",
       xid_informational,
       {"gpu-fell-off-the-bus", "xid-reset-needed", "xid-ecc", "xid-nvlink",
        "xid-application-fault", "row-remap-pending"}},
      {"xid-unknown", "hardware", xid_unknown},
      {"xid-in-the-past", "hardware", xid_in_the_past},
      {"kernel-log-closed", "hardware", kernel_log_closed},
  };
}

}  // namespace

const std::vector<Rule>& hardware_rules() {
  static const std::vector<Rule> rules = [] {
    std::vector<Rule> all;
    for (const auto& part : {rules_of_the_bus(), rules_of_the_module(), rules_of_the_kernel_log()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return rules;
}

}  // namespace gpuready::rules
