#include <algorithm>
#include <string>

#include "base/format.hpp"
#include "base/text.hpp"
#include "rules/areas.hpp"
#include "rules/evidence.hpp"
#include "rules/load_rules.hpp"
#include "rules/questions.hpp"

namespace gpuready::rules {

namespace {

const NvmlDevice* first_device(const Machine& machine, bool (*wanted)(const NvmlDevice&)) {
  const auto& devices = machine.driver.nvml.devices;
  const auto it = std::ranges::find_if(devices, wanted);
  return it == devices.end() ? nullptr : &*it;
}

std::string name_of(const NvmlDevice& device) {
  return device.name.value_or("GPU " + std::to_string(device.index));
}

std::optional<Sighting> ecc_uncorrectable(const Machine& machine) {
  constexpr std::int64_t cuda_ecc_uncorrectable = 214;  // CUresult
  if (failed_with(machine.driver.cuda.init, {cuda_ecc_uncorrectable}))
    return Sighting{{"a GPU"}, {evidence("machine.driver.cuda.init", machine.driver.cuda.init)}};
  const CudaDevice* device = device_that_failed_with(machine, {cuda_ecc_uncorrectable});
  if (device == nullptr) return {};
  return Sighting{{device->name.value_or("GPU " + std::to_string(device->index))},
                  {evidence("machine.driver.cuda.devices.context", failure_of(*device))}};
}

std::optional<Sighting> row_remap_pending(const Machine& machine) {
  const NvmlDevice* device =
      first_device(machine, [](const NvmlDevice& d) { return d.remap_pending.is(true); });
  const GpuLoad* load =
      load_where(machine, [](const GpuLoad& l) { return l.remap_pending_after.is(true); });
  if (device == nullptr && load != nullptr)
    return Sighting{{load_name(*load), std::to_string(load->nvml_index.value_or(0))},
                    {evidence("machine.load.gpus.remap_pending_after", load->remap_pending_after)}};
  if (device == nullptr) return {};
  return Sighting{{name_of(*device), std::to_string(device->index)},
                  {evidence("machine.driver.nvml.devices.remap_pending", device->remap_pending)}};
}

std::optional<Sighting> row_remap_failed(const Machine& machine) {
  const NvmlDevice* device =
      first_device(machine, [](const NvmlDevice& d) { return d.remap_failed.is(true); });
  if (device == nullptr) return {};
  return Sighting{{name_of(*device)},
                  {evidence("machine.driver.nvml.devices.remap_failed", device->remap_failed)}};
}

/// Only where the GPUs are joined by switches: a board alone need not have its links in use.
std::optional<Sighting> nvlink_inactive(const Machine& machine) {
  if (!has_nvswitch(machine)) return {};
  const NvmlDevice* device = first_device(machine, [](const NvmlDevice& d) {
    return d.nvlinks && d.nvlinks_active && *d.nvlinks_active < *d.nvlinks;
  });
  if (device == nullptr) return {};
  return Sighting{{name_of(*device), std::to_string(*device->nvlinks_active),
                   std::to_string(*device->nvlinks), std::to_string(device->index)},
                  {evidence("machine.driver.nvml.devices.nvlinks_active", device->nvlinks_active),
                   evidence("machine.driver.nvml.devices.nvlinks", device->nvlinks)}};
}

std::optional<Sighting> pcie_width_reduced(const Machine& machine) {
  const NvmlDevice* device = first_device(machine, [](const NvmlDevice& d) {
    // In a virtual machine the slot, which may have fewer lanes than the card, is not to be seen.
    if (d.virtualization && !d.virtualization.is("none")) return false;
    return d.pcie_width.value_or(0) > 0 && d.pcie_width_max && *d.pcie_width < *d.pcie_width_max;
  });
  if (device == nullptr) return pcie_width_under_load(machine);
  return Sighting{{name_of(*device), std::to_string(*device->pcie_width),
                   std::to_string(*device->pcie_width_max)},
                  {evidence("machine.driver.nvml.devices.pcie_width", device->pcie_width),
                   evidence("machine.driver.nvml.devices.pcie_width_max", device->pcie_width_max)}};
}

/// Bits of nvmlClocksEventReason* (nvml.h).
constexpr std::int64_t gpu_idle = 0x1, hw_slowdown = 0x8, hw_thermal = 0x40, hw_power_brake = 0x80;

std::string slowdown_in_words(std::int64_t reasons) {
  if ((reasons & hw_thermal) != 0) return "heat";
  if ((reasons & hw_power_brake) != 0) return "the power brake signal of the power supply";
  return "heat or power, as the hardware tells";
}

constexpr std::int64_t forced_down = hw_slowdown | hw_thermal | hw_power_brake;

std::optional<Sighting> clocks_forced_down(const Machine& machine) {
  const GpuLoad* load = load_where(machine, [](const GpuLoad& l) {
    return (l.clock_event_reasons.value_or(0) & forced_down) != 0;
  });
  if (load != nullptr)
    return Sighting{{load_name(*load), slowdown_in_words(*load->clock_event_reasons)},
                    {evidence("machine.load.gpus.clock_event_reasons", load->clock_event_reasons),
                     evidence("machine.load.gpus.temperature_c", load->temperature_c)}};
  const NvmlDevice* device = first_device(machine, [](const NvmlDevice& d) {
    const std::int64_t reasons = d.clock_event_reasons.value_or(0);
    return (reasons & gpu_idle) == 0 && (reasons & forced_down) != 0;
  });
  if (device == nullptr) return {};
  return Sighting{
      {name_of(*device), slowdown_in_words(*device->clock_event_reasons)},
      {evidence("machine.driver.nvml.devices.clock_event_reasons", device->clock_event_reasons),
       evidence("machine.driver.nvml.devices.temperature_c", device->temperature_c)}};
}

bool is_laptop(const NvmlDevice& device) {
  const std::string name = device.name.value_or("");
  return base::contains(name, "Laptop") || base::contains(name, "Mobile") ||
         base::contains(name, "Max-Q");
}

std::optional<Sighting> power_limit_lowered(const Machine& machine) {
  const NvmlDevice* device = first_device(machine, [](const NvmlDevice& d) {
    constexpr double rounding_w = 1;
    return d.power_limit_w && d.power_default_limit_w && !is_laptop(d) &&
           *d.power_limit_w + rounding_w < *d.power_default_limit_w;
  });
  if (device == nullptr) return {};
  return Sighting{
      {name_of(*device), base::format("{:.0f}", *device->power_limit_w),
       base::format("{:.0f}", *device->power_default_limit_w), std::to_string(device->index)},
      {evidence("machine.driver.nvml.devices.power_limit_w", device->power_limit_w),
       evidence("machine.driver.nvml.devices.power_default_limit_w",
                device->power_default_limit_w)}};
}

std::optional<Sighting> memory_is_unified(const Machine& machine) {
  for (const CudaDevice& cuda : machine.driver.cuda.devices) {
    if (!cuda.integrated.is(true)) continue;
    return Sighting{{cuda.name.value_or("?")},
                    {evidence("machine.driver.cuda.devices.integrated", cuda.integrated),
                     evidence("machine.memory.available_bytes", machine.memory.available_bytes)}};
  }
  return {};
}

std::optional<Sighting> memory_held_by_others(const Machine& machine) {
  const NvmlDevice* device = first_device(machine, [](const NvmlDevice& d) {
    constexpr double most = 0.8;
    return d.memory_used_bytes && d.memory_total_bytes.value_or(0) > 0 &&
           static_cast<double>(*d.memory_used_bytes) >
               most * static_cast<double>(*d.memory_total_bytes);
  });
  if (device == nullptr) return {};
  const double share = static_cast<double>(*device->memory_used_bytes) /
                       static_cast<double>(*device->memory_total_bytes);
  return Sighting{
      {name_of(*device), base::format("{:.0f}", share * 100)},
      {evidence("machine.driver.nvml.devices.memory_used_bytes", device->memory_used_bytes),
       evidence("machine.driver.nvml.devices.memory_total_bytes", device->memory_total_bytes)}};
}

/// Much memory is used and NVML names no process. In a container, processes outside are hidden;
/// with MIG they belong to instances.
std::optional<Sighting> memory_held_by_nobody(const Machine& machine) {
  if (machine.environment.container || machine.environment.wsl) return {};
  const NvmlDevice* device = first_device(machine, [](const NvmlDevice& d) {
    constexpr std::int64_t much = std::int64_t{1} << 30;
    // Without memory_reserved_bytes, what the driver keeps is counted as used.
    return d.processes.is(0) && d.memory_reserved_bytes && !d.mig_enabled.is(true) &&
           !d.virtualization.is("vgpu") && d.memory_used_bytes.value_or(0) > much;
  });
  if (device == nullptr) return {};
  return Sighting{
      {name_of(*device), base::format("{:.1f}", static_cast<double>(*device->memory_used_bytes) /
                                                    static_cast<double>(std::int64_t{1} << 30))},
      {evidence("machine.driver.nvml.devices.memory_used_bytes", device->memory_used_bytes),
       evidence("machine.driver.nvml.devices.processes", device->processes)}};
}

}  // namespace

const std::vector<Rule>& health_rules() {
  static const std::vector<Rule> rules{
      {"ecc-uncorrectable", "health", ecc_uncorrectable},
      {"gpu-fails-under-load", "health", gpu_fails_under_load},
      {"wrong-product-under-load", "health", wrong_product_under_load},
      {"ecc-errors-under-load", "health", ecc_errors_under_load},
      {"pcie-generation-reduced", "health", pcie_generation_reduced},
      {"clocks-lowered-by-heat", "health", clocks_lowered_by_heat, {"clocks-forced-down"}},
      {"pcie-width-reduced", "health", pcie_width_reduced},
      {"clocks-forced-down", "health", clocks_forced_down},
      {"power-limit-lowered", "health", power_limit_lowered},
      {"memory-is-unified", "health", memory_is_unified},
      {"memory-held-by-others", "health", memory_held_by_others, {"memory-held-by-nobody"}},
      {"memory-held-by-nobody", "health", memory_held_by_nobody},
      {"row-remap-pending", "health", row_remap_pending, {"row-remap-failed"}},
      {"row-remap-failed", "health", row_remap_failed},
      {"nvlink-inactive",
       "health",
       nvlink_inactive,
       {"fabric-not-ready", "fabric-manager-version-differs"}},
  };
  return rules;
}

}  // namespace gpuready::rules
