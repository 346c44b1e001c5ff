#include "rules/load_rules.hpp"

#include "base/format.hpp"
#include "rules/evidence.hpp"
#include "rules/rungs.hpp"

namespace gpuready::rules {

const GpuLoad* load_where(const Machine& machine, bool (*wanted)(const GpuLoad&)) {
  if (!machine.load) return nullptr;
  for (const GpuLoad& load : machine.load->gpus)
    if (wanted(load)) return &load;
  return nullptr;
}

std::string load_name(const GpuLoad& load) { return load.name.value_or(load.device); }

namespace {

std::string field(const char* name) { return "machine.load.gpus." + std::string(name); }

/// In a virtual machine the slot, which may be slower than the card, is not to be seen.
bool slot_is_seen(const Machine& machine, const GpuLoad& load) {
  for (const NvmlDevice& device : machine.driver.nvml.devices)
    if (load.nvml_index.is(device.index))
      return !device.virtualization || device.virtualization.is("none");
  return true;
}

}  // namespace

std::optional<Sighting> pcie_generation_reduced(const Machine& machine) {
  const GpuLoad* load = load_where(machine, [](const GpuLoad& l) {
    return l.pcie_generation.value_or(0) > 0 && l.pcie_generation_max &&
           *l.pcie_generation < *l.pcie_generation_max;
  });
  if (load == nullptr || !slot_is_seen(machine, *load)) return {};
  return Sighting{{load_name(*load), std::to_string(*load->pcie_generation),
                   std::to_string(*load->pcie_generation_max)},
                  {evidence(field("pcie_generation"), load->pcie_generation),
                   evidence(field("pcie_generation_max"), load->pcie_generation_max)}};
}

std::optional<Sighting> pcie_width_under_load(const Machine& machine) {
  const GpuLoad* load = load_where(machine, [](const GpuLoad& l) {
    return l.pcie_width.value_or(0) > 0 && l.pcie_width_max && *l.pcie_width < *l.pcie_width_max;
  });
  if (load == nullptr || !slot_is_seen(machine, *load)) return {};
  return Sighting{
      {load_name(*load), std::to_string(*load->pcie_width), std::to_string(*load->pcie_width_max)},
      {evidence(field("pcie_width"), load->pcie_width),
       evidence(field("pcie_width_max"), load->pcie_width_max)}};
}

std::optional<Sighting> ecc_errors_under_load(const Machine& machine) {
  const GpuLoad* load = load_where(machine, [](const GpuLoad& l) {
    return l.ecc_errors_before && l.ecc_errors_after && *l.ecc_errors_after > *l.ecc_errors_before;
  });
  if (load == nullptr) return {};
  return Sighting{
      {load_name(*load), std::to_string(*load->ecc_errors_before),
       std::to_string(*load->ecc_errors_after), std::to_string(load->nvml_index.value_or(0))},
      {evidence(field("ecc_errors_before"), load->ecc_errors_before),
       evidence(field("ecc_errors_after"), load->ecc_errors_after)}};
}

std::optional<Sighting> wrong_product_under_load(const Machine& machine) {
  const GpuLoad* load = load_where(machine, [](const GpuLoad& l) { return l.product.is(false); });
  if (load == nullptr) return {};
  return Sighting{{load_name(*load), base::format("{:.0f}", load->seconds.value_or(0))},
                  {evidence(field("product"), load->product)}};
}

std::optional<Sighting> gpu_fails_under_load(const Machine& machine) {
  const GpuLoad* load = load_where(machine, [](const GpuLoad& l) {
    return l.seconds.absent_for(Absence::call_failed) || l.seconds.absent_for(Absence::timed_out) ||
           l.seconds.absent_for(Absence::crashed);
  });
  if (load == nullptr) return {};
  return Sighting{{load_name(*load), reason(load->seconds.missing())},
                  {evidence(field("seconds"), load->seconds)}};
}

/// Bit of nvmlClocksEventReason* (nvml.h): the driver lowers the clocks to keep the temperature.
constexpr std::int64_t sw_thermal = 0x20;

std::optional<Sighting> clocks_lowered_by_heat(const Machine& machine) {
  const GpuLoad* load = load_where(machine, [](const GpuLoad& l) {
    return (l.clock_event_reasons.value_or(0) & sw_thermal) != 0;
  });
  if (load == nullptr) return {};
  return Sighting{{load_name(*load), base::format("{:.0f}", load->temperature_c.value_or(0))},
                  {evidence(field("clock_event_reasons"), load->clock_event_reasons),
                   evidence(field("temperature_c"), load->temperature_c)}};
}

}  // namespace gpuready::rules
