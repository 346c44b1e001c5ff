#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "rules/container_rules.hpp"
#include "rules/evidence.hpp"
#include "rules/questions.hpp"
#include "rules/rungs.hpp"

namespace gpuready::rules {

namespace {

constexpr std::int64_t nvml_mismatch = 18;  ///< nvmlReturn_t, nvml.h

/// WSL itself; a container in WSL sees WSL's kernel, and lacks what it was not given.
bool in_wsl_itself(const Machine& machine) {
  return machine.environment.wsl && !machine.environment.container;
}

Evidence wsl_evidence(const Machine& machine) {
  return evidence("machine.environment.wsl", machine.environment.wsl);
}

Evidence dxg_evidence(const DeviceFile& file) {
  return evidence("machine.driver.files.open", file.open);
}

const NvmlDevice* first_device(const Machine& machine, bool (*wanted)(const NvmlDevice&)) {
  const auto& devices = machine.driver.nvml.devices;
  const auto it = std::ranges::find_if(devices, wanted);
  return it == devices.end() ? nullptr : &*it;
}

/// "GRID T4-16Q", "NVIDIA A40-24C": GiB of the profile and its series (A, B, C or Q).
bool has_name_of_vgpu(const NvmlDevice& device) {
  const std::string name = device.name.value_or("");
  const std::size_t dash = name.rfind('-');
  if (dash == std::string::npos || dash + 2 >= name.size()) return false;
  const std::string profile = name.substr(dash + 1);
  return base::to_integer(profile.substr(0, profile.size() - 1)).has_value() &&
         base::contains("ABCQ", profile.substr(profile.size() - 1));
}

}  // namespace

std::optional<Sighting> wsl_without_gpu_library(const Machine& machine) {
  const DeviceFile* dxg = device_file(machine, "/dev/dxg");
  const Fact<std::string>& library = machine.driver.cuda.library;
  if (!in_wsl_itself(machine) || dxg == nullptr || !dxg->open.is(true)) return {};
  if (!library.absent_for(Absence::library_missing)) return {};
  return Sighting{{},
                  {wsl_evidence(machine), dxg_evidence(*dxg),
                   evidence("machine.driver.cuda.library", library)}};
}

std::optional<Sighting> linux_driver_in_wsl(const Machine& machine) {
  const CudaDriver& cuda = machine.driver.cuda;
  if (!in_wsl_itself(machine) || !cuda.library || cuda_sees_a_device(machine)) return {};
  if (base::starts_with(*cuda.library, "/usr/lib/wsl/") ||
      base::contains(*cuda.library, "/stubs/") || base::contains(*cuda.library, "/compat"))
    return {};
  return Sighting{{*cuda.library},
                  {wsl_evidence(machine), evidence("machine.driver.cuda.library", cuda.library),
                   evidence("machine.driver.cuda.init", cuda.init)}};
}

std::optional<Sighting> wsl_without_gpu_device(const Machine& machine) {
  const DeviceFile* dxg = device_file(machine, "/dev/dxg");
  if (!in_wsl_itself(machine) || cuda_sees_a_device(machine)) return {};
  if (!is_missing(dxg)) return {};
  return Sighting{{*machine.environment.wsl}, {wsl_evidence(machine), dxg_evidence(*dxg)}};
}

std::optional<Sighting> colab_without_gpu(const Machine& machine) {
  if (!machine.environment.colab || cuda_sees_a_device(machine)) return {};
  if (has_nvidia_gpu(machine)) return {};
  return Sighting{{},
                  {evidence("machine.environment.colab", machine.environment.colab),
                   evidence("machine.pci_count", machine.pci_count),
                   evidence("machine.driver.cuda.library", machine.driver.cuda.library)}};
}

/// Windows' library is the one that was loaded, and CUDA does not start. In a container the runtime
/// mounts it under other names.
std::optional<Sighting> wsl_driver_fails(const Machine& machine) {
  const CudaDriver& cuda = machine.driver.cuda;
  if (!machine.environment.wsl || !cuda.library || !cuda.init.absent_for(Absence::call_failed))
    return {};
  const bool of_windows = base::starts_with(*cuda.library, "/usr/lib/wsl/");
  if (!of_windows && !machine.environment.container) return {};
  if (is_missing(device_file(machine, "/dev/dxg"))) return {};
  return Sighting{{*cuda.library},
                  {wsl_evidence(machine), evidence("machine.driver.cuda.library", cuda.library),
                   evidence("machine.driver.cuda.init", cuda.init)}};
}

std::optional<Sighting> kaggle_without_gpu(const Machine& machine) {
  if (!machine.environment.kaggle || cuda_sees_a_device(machine)) return {};
  if (has_nvidia_gpu(machine)) return {};
  return Sighting{{},
                  {evidence("machine.environment.kaggle", machine.environment.kaggle),
                   evidence("machine.pci_count", machine.pci_count)}};
}

/// Colab's own driver library lies in /usr/lib64-nvidia, to which LD_LIBRARY_PATH leads. Packages
/// with a driver, or another LD_LIBRARY_PATH, put another one in its place or none.
std::optional<Sighting> colab_environment_altered(const Machine& machine) {
  const Driver& driver = machine.driver;
  const CudaDriver& cuda = driver.cuda;
  if (!machine.environment.colab || cuda_sees_a_device(machine) || !has_nvidia_gpu(machine))
    return {};
  const DeviceFile* node = device_file(machine, "/dev/nvidia0");
  if (node == nullptr || !node->open.is(true)) return {};
  const bool missing = cuda.library.absent_for(Absence::library_missing);
  const bool other = cuda.library && !base::starts_with(*cuda.library, "/usr/lib64-nvidia/") &&
                     cuda.init.absent_for(Absence::call_failed);
  if (!missing && !other && !failed_with(driver.nvml.init, {nvml_mismatch})) return {};
  return Sighting{{},
                  {evidence("machine.environment.colab", machine.environment.colab),
                   evidence("machine.driver.cuda.library", cuda.library),
                   evidence("machine.driver.nvml.init", driver.nvml.init)}};
}

std::optional<Sighting> mig_without_instances(const Machine& machine) {
  if (cuda_sees_a_device(machine)) return {};
  const NvmlDevice* device = first_device(
      machine, [](const NvmlDevice& d) { return d.mig_enabled.is(true) && d.mig_instances.is(0); });
  if (device == nullptr) return {};
  return Sighting{{std::to_string(device->index), device->name.value_or("?")},
                  {evidence("machine.driver.nvml.devices.mig_enabled", device->mig_enabled),
                   evidence("machine.driver.nvml.devices.mig_instances", device->mig_instances)}};
}

std::optional<Sighting> mig_one_instance_per_process(const Machine& machine) {
  const NvmlDevice* device = first_device(machine, [](const NvmlDevice& d) {
    return d.mig_enabled.is(true) && d.mig_instances.value_or(0) > 1;
  });
  const Fact<std::int64_t>& count = machine.driver.cuda.device_count;
  if (device == nullptr || !count.is(1)) return {};
  return Sighting{{std::to_string(*device->mig_instances)},
                  {evidence("machine.driver.nvml.devices.mig_instances", device->mig_instances),
                   evidence("machine.driver.cuda.device_count", count)}};
}

std::optional<Sighting> mig_change_pending(const Machine& machine) {
  const NvmlDevice* device = first_device(machine, [](const NvmlDevice& d) {
    return d.mig_enabled && d.mig_pending && *d.mig_enabled != *d.mig_pending;
  });
  if (device == nullptr) return {};
  return Sighting{{std::to_string(device->index), *device->mig_pending ? "on" : "off"},
                  {evidence("machine.driver.nvml.devices.mig_enabled", device->mig_enabled),
                   evidence("machine.driver.nvml.devices.mig_pending", device->mig_pending)}};
}

std::optional<Sighting> vgpu_unlicensed(const Machine& machine) {
  const NvmlDevice* device = first_device(machine, [](const NvmlDevice& d) {
    const bool is_vgpu = d.virtualization ? d.virtualization.is("vgpu") : has_name_of_vgpu(d);
    return is_vgpu && base::starts_with(d.vgpu_license.value_or(""), "unlic");
  });
  if (device == nullptr) return {};
  return Sighting{{device->name.value_or("?"), *device->vgpu_license},
                  {evidence("machine.driver.nvml.devices.virtualization", device->virtualization),
                   evidence("machine.driver.nvml.devices.vgpu_license", device->vgpu_license)}};
}

}  // namespace gpuready::rules
