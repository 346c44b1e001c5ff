#include "base/text.hpp"
#include "rules/areas.hpp"
#include "rules/evidence.hpp"
#include "rules/rungs.hpp"

namespace gpuready::rules {

namespace {

/// The first NVIDIA GPU that a driver of this name (or with this start of a name) holds.
std::optional<Sighting> gpu_held_by(const Machine& machine, std::string_view driver) {
  if (cuda_sees_a_device(machine)) return {};
  for (const PciFunction* gpu : nvidia_gpus_on_pci(machine))
    if (base::starts_with(gpu->driver.value_or(""), driver))
      return Sighting{{gpu->address}, {evidence("machine.pci.driver", gpu->driver)}};
  return {};
}

std::optional<Sighting> nouveau_bound(const Machine& machine) {
  return gpu_held_by(machine, "nouveau");
}

std::optional<Sighting> nova_bound(const Machine& machine) { return gpu_held_by(machine, "nova"); }

std::optional<Sighting> vfio_bound(const Machine& machine) { return gpu_held_by(machine, "vfio"); }

}  // namespace

const std::vector<Rule>& hardware_rules() {
  static const std::vector<Rule> rules{
      {"nouveau-bound", "hardware", nouveau_bound},
      {"nova-bound", "hardware", nova_bound},
      {"vfio-bound", "hardware", vfio_bound},
  };
  return rules;
}

}  // namespace gpuready::rules
