#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "rules/areas.hpp"
#include "rules/evidence.hpp"
#include "rules/questions.hpp"
#include "rules/torch_rules.hpp"
#include "rules/wheel_choice.hpp"

namespace gpuready::rules {

namespace {

constexpr std::string_view kfd = "/dev/kfd";  ///< the compute node of AMD's kernel driver

/// Machines on which AMD's GPU is the one to use: beside NVIDIA's it is a processor's graphics.
bool is_about_amd(const Machine& machine) {
  return has_gpu_of(machine, "amd") && !has_gpu_of(machine, "nvidia");
}

Evidence node_evidence(const DeviceFile& node) {
  return evidence("machine.driver.files.open", node.open);
}

std::optional<Sighting> kfd_missing(const Machine& machine) {
  const DeviceFile* node = device_file(machine, kfd);
  if (!is_about_amd(machine) || machine.environment.wsl || !is_missing(node)) return {};
  const auto gpu =
      std::ranges::find_if(machine.gpus, [](const Gpu& g) { return g.vendor.is("amd"); });
  return Sighting{{gpu->pci_address.value_or("?")}, {node_evidence(*node)}};
}

bool is_denied(const Machine& machine) {
  const DeviceFile* node = device_file(machine, kfd);
  return node != nullptr && is_about_amd(machine) && node->open.absent_for(Absence::permission);
}

std::optional<Sighting> kfd_permission(const Machine& machine) {
  if (!is_denied(machine) || machine.environment.container) return {};
  return Sighting{{}, {node_evidence(*device_file(machine, kfd))}};
}

std::optional<Sighting> kfd_group_in_container(const Machine& machine) {
  if (!is_denied(machine) || !machine.environment.container) return {};
  return Sighting{{}, {node_evidence(*device_file(machine, kfd))}};
}

/// The gfx targets of the ROCm build in the default environment, or of all builds of the table;
/// none where the table does not know that build.
std::vector<std::string> supported_targets(const Machine& machine) {
  const DefaultTorch found = default_torch(machine);
  const bool has_rocm = found.torch != nullptr && found.torch->hip.known();
  std::vector<std::string> targets;
  for (const catalog::Wheel& wheel : catalog::wheel_tables().wheels) {
    if (wheel.vendor != "amd" || (has_rocm && !found.torch->tag.is(wheel.tag))) continue;
    targets.insert(targets.end(), wheel.targets.begin(), wheel.targets.end());
  }
  return targets;
}

struct AmdGpu {
  const Gpu* gpu;
  bool supported;
};

/// AMD's GPUs whose target is known, in the order of the bus; none where the table can't tell.
std::vector<AmdGpu> judged_gpus(const Machine& machine) {
  const std::vector<std::string> targets = supported_targets(machine);
  std::vector<AmdGpu> gpus;
  for (const Gpu& gpu : machine.gpus)
    if (gpu.gfx_target && !targets.empty())
      gpus.push_back({&gpu, std::ranges::find(targets, *gpu.gfx_target) != targets.end()});
  return gpus;
}

std::optional<Sighting> gfx_target_without_wheel(const Machine& machine) {
  const std::vector<AmdGpu> gpus = judged_gpus(machine);
  if (!is_about_amd(machine) || gpus.empty()) return {};
  if (std::ranges::any_of(gpus, &AmdGpu::supported)) return {};
  const Gpu& gpu = *gpus.front().gpu;
  return Sighting{{*gpu.gfx_target, catalog::wheel_tables().as_of},
                  {evidence("machine.gpus.gfx_target", gpu.gfx_target)}};
}

std::optional<Sighting> unsupported_gpu_comes_first(const Machine& machine) {
  const std::vector<AmdGpu> gpus = judged_gpus(machine);
  if (!is_about_amd(machine) || gpus.empty() || gpus.front().supported) return {};
  const auto good = std::ranges::find_if(gpus, &AmdGpu::supported);
  const bool chosen = variable(machine, "HIP_VISIBLE_DEVICES").has_value() ||
                      variable(machine, "ROCR_VISIBLE_DEVICES").has_value();
  if (good == gpus.end() || chosen) return {};
  const Fact<std::string>& first = gpus.front().gpu->gfx_target;
  return Sighting{{*first, *good->gpu->gfx_target, std::to_string(good - gpus.begin())},
                  {evidence("machine.gpus.gfx_target", first)}};
}

std::optional<Sighting> intel_display_is_no_xpu(const Machine& machine) {
  const bool only_intel =
      has_gpu_of(machine, "intel") && !has_gpu_of(machine, "nvidia") && !has_gpu_of(machine, "amd");
  if (!only_intel) return {};
  const auto is_intel = [](const PciFunction& f) { return f.vendor_id.is("0x8086"); };
  const auto function = std::ranges::find_if(machine.pci, is_intel);
  if (function == machine.pci.end()) return {};
  return Sighting{{function->address, function->device_id.value_or("?")},
                  {evidence("machine.pci.device_id", function->device_id)}};
}

}  // namespace

const std::vector<Rule>& vendor_rules() {
  static const std::vector<Rule> rules{
      {"kfd-missing", "vendor", kfd_missing},
      {"kfd-permission", "vendor", kfd_permission},
      {"kfd-group-in-container", "vendor", kfd_group_in_container},
      {"gfx-target-without-wheel", "vendor", gfx_target_without_wheel},
      {"unsupported-gpu-comes-first", "vendor", unsupported_gpu_comes_first},
      {"intel-display-is-no-xpu", "vendor", intel_display_is_no_xpu},
  };
  return rules;
}

}  // namespace gpuready::rules
