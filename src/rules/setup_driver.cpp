#include "rules/setup_driver.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "rules/rungs.hpp"
#include "rules/situation.hpp"

namespace gpuready::rules {

namespace {

using catalog::Chip;
using catalog::SetupTables;
using catalog::VersionNumber;

/// The open kernel module has no code for GPUs before Turing (NVIDIA/open-gpu-kernel-modules,
/// README), and Blackwell works with no other.
const VersionNumber first_open{7, 5}, first_blackwell{10, 0}, first_after_470{8, 9};

void add_capability(DriverNeed& need, const VersionNumber& capability) {
  auto& list = need.capabilities;
  if (std::ranges::find(list, capability) == list.end()) list.push_back(capability);
}

void add_generation(DriverNeed& need, const std::string& generation) {
  if (base::contains(need.generations, generation)) return;
  need.generations += (need.generations.empty() ? "" : ", ") + generation;
}

/// Chips that are built into servers and no desktop or laptop.
bool is_data_center(const Chip& chip) {
  constexpr std::array<const char*, 4> names{"GA100", "GH100", "GB100", "GB110"};
  return std::ranges::find(names, chip.name) != names.end();
}

/// What the bus says; false where a device is not in the table.
bool add_from_bus(DriverNeed& need, const Machine& machine, const SetupTables& tables) {
  need.data_center = true;
  for (const PciFunction* gpu : nvidia_gpus_on_pci(machine)) {
    const std::string id = gpu->device_id.value_or("");
    const auto device = base::starts_with(id, "0x")
                            ? base::to_integer(std::string_view(id).substr(2), 16)
                            : std::nullopt;
    const Chip* chip = device ? catalog::find_chip(tables, *device) : nullptr;
    if (chip == nullptr) {
      need.unknown_device = id.empty() ? "?" : id;
      return false;
    }
    add_capability(need, chip->sm);
    add_generation(need, chip->generation);
    need.data_center = need.data_center && is_data_center(*chip);
  }
  return true;
}

void add_from_cuda(DriverNeed& need, const Machine& machine) {
  need.data_center = false;
  for (const CudaDevice& device : machine.driver.cuda.devices)
    if (const auto capability = VersionNumber::parse(device.compute_capability.value_or(""))) {
      add_capability(need, *capability);
      add_generation(need, "compute capability " + capability->text());
    }
}

/// 470 for Kepler, 580 for Maxwell to Volta, ...; 0 where current ones serve it.
int last_branch_for(const VersionNumber& capability, const SetupTables& tables) {
  const auto& rows = tables.wheels.generations;
  const auto it = std::ranges::find(rows, capability, &catalog::SmSupport::sm);
  if (it == rows.end() || !it->driver_branch) return 0;
  return static_cast<int>(it->driver_branch->first());
}

}  // namespace

DriverNeed driver_need(const Machine& machine, const SetupTables& tables) {
  DriverNeed need;
  const bool all_known = add_from_bus(need, machine, tables);
  if (all_known && need.capabilities.empty()) add_from_cuda(need, machine);
  if (!all_known || need.capabilities.empty()) return need;
  std::ranges::sort(need.capabilities);
  const VersionNumber& oldest = need.capabilities.front();
  const VersionNumber& newest = need.capabilities.back();
  need.known = true;
  need.open = oldest >= first_open;
  need.blackwell = newest >= first_blackwell;
  need.last_branch = last_branch_for(oldest, tables);
  // Branch 470 ends before Ada and Hopper; a GPU of the proprietary module alone excludes
  // Blackwell.
  const bool kepler = need.last_branch != 0 && need.last_branch <= 470;
  need.possible = !(need.blackwell && !need.open) && !(kepler && newest >= first_after_470);
  return need;
}

std::string distribution_family(const Machine& machine) {
  const std::vector<std::string> where = situations(machine);
  static const std::vector<std::string> families{"ubuntu", "debian", "fedora", "rhel",
                                                 "suse",   "arch",   "nixos"};
  for (const std::string& situation : where)
    if (std::ranges::find(families, situation) != families.end()) return situation;
  return "any";
}

}  // namespace gpuready::rules
