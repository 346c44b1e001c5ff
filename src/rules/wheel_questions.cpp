#include "rules/wheel_questions.hpp"

#include <algorithm>

#include "rules/ladder.hpp"
#include "rules/wheel_choice.hpp"

namespace gpuready::rules {

using catalog::SmSupport;
using catalog::VersionNumber;
using catalog::Wheel;
using catalog::WheelTables;

namespace {

const SmSupport* generation_of(const WheelTables& tables, const VersionNumber& capability) {
  const auto it = std::ranges::find(tables.generations, capability, &SmSupport::sm);
  return it == tables.generations.end() ? nullptr : &*it;
}

/// The driver's version from NVML, or the loaded module's.
std::optional<VersionNumber> driver_of(const Machine& machine) {
  const Driver& driver = machine.driver;
  if (driver.nvml.driver_version) return VersionNumber::parse(*driver.nvml.driver_version);
  if (driver.module.version) return VersionNumber::parse(*driver.module.version);
  return {};
}

template <class Device>
std::vector<VersionNumber> capabilities_of(const std::vector<Device>& devices) {
  std::vector<VersionNumber> found;
  for (const Device& device : devices) {
    if (!device.compute_capability) continue;
    const auto capability = VersionNumber::parse(*device.compute_capability);
    if (capability && std::ranges::find(found, *capability) == found.end())
      found.push_back(*capability);
  }
  std::ranges::sort(found);
  return found;
}

std::string vendor_of(const Machine& machine) {
  for (const char* const vendor : {"nvidia", "amd", "intel"})
    if (std::ranges::any_of(machine.gpus, [&](const Gpu& g) { return g.vendor.is(vendor); }))
      return vendor;
  return "nvidia";
}

}  // namespace

std::optional<bool> has_kernels_for(const Wheel& wheel, const VersionNumber& capability) {
  if (wheel.targets.empty()) return {};
  if (wheel.ptx && capability >= *wheel.ptx) return true;
  return std::ranges::any_of(wheel.targets, [&](const std::string& target) {
    const auto sass = VersionNumber::parse(target);
    return sass && sass->first() == capability.first() && *sass <= capability;
  });
}

bool may_run_on(const Wheel& wheel, const VersionNumber& capability, const WheelTables& tables) {
  if (const auto measured = has_kernels_for(wheel, capability)) return *measured;
  if (wheel.experimental) return false;
  const SmSupport* generation = generation_of(tables, capability);
  if (generation == nullptr || !wheel.cuda || *wheel.cuda < generation->first_toolkit) return false;
  return !generation->last_toolkit || *wheel.cuda <= *generation->last_toolkit;
}

bool precedes_gpu(const VersionNumber& cuda, const VersionNumber& capability,
                  const WheelTables& tables) {
  bool known = false;
  for (const SmSupport& generation : tables.generations) {
    if (generation.sm.first() != capability.first() || generation.sm > capability) continue;
    if (generation.first_toolkit <= cuda) return false;
    known = true;
  }
  return known;
}

bool has_dropped_gpu(const VersionNumber& cuda, const VersionNumber& capability,
                     const WheelTables& tables) {
  const SmSupport* generation = generation_of(tables, capability);
  return generation != nullptr && generation->last_toolkit &&
         cuda.release() > *generation->last_toolkit;
}

bool knows_generation(const WheelTables& tables, const VersionNumber& capability) {
  return generation_of(tables, capability) != nullptr;
}

std::optional<VersionNumber> first_driver_for(const WheelTables& tables,
                                              const VersionNumber& capability) {
  const SmSupport* generation = generation_of(tables, capability);
  if (generation == nullptr) return {};
  const auto it = std::ranges::find(tables.toolkits, generation->first_toolkit,
                                    &catalog::CudaDriverFloor::cuda);
  if (it == tables.toolkits.end()) return {};
  return it->driver;
}

bool supports_python(const Wheel& wheel, const std::optional<VersionNumber>& python) {
  if (!python) return true;
  const VersionNumber release = python->release();
  return (!wheel.python_min || release >= *wheel.python_min) &&
         (!wheel.python_max || release <= *wheel.python_max);
}

const Wheel* find_wheel(const WheelTables& tables, const std::string& tag,
                        const VersionNumber& torch, const std::string& arch) {
  const VersionNumber release = torch.release();
  const auto it = std::ranges::find_if(tables.wheels, [&](const Wheel& w) {
    return w.tag == tag && w.arch == arch && w.torch_min && w.torch_max &&
           *w.torch_min <= release && release <= *w.torch_max;
  });
  return it == tables.wheels.end() ? nullptr : &*it;
}

WheelRequest wheel_request(const Machine& machine, const PythonEnvironment* python) {
  WheelRequest request;
  request.vendor = vendor_of(machine);
  request.capabilities = capabilities_of(machine.driver.cuda.devices);
  if (request.capabilities.empty())
    request.capabilities = capabilities_of(machine.driver.nvml.devices);
  for (const Gpu& gpu : machine.gpus)
    if (gpu.gfx_target) request.gfx_targets.push_back(*gpu.gfx_target);
  request.driver = driver_of(machine);
  if (python != nullptr && python->version) request.python = VersionNumber::parse(*python->version);
  request.arch = machine.os.architecture.value_or("x86_64");
  return request;
}

}  // namespace gpuready::rules
