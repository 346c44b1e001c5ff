#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "rules/areas.hpp"
#include "rules/evidence.hpp"
#include "rules/questions.hpp"
#include "rules/rungs.hpp"
#include "rules/torch_rules.hpp"
#include "rules/wheel_choice.hpp"

namespace gpuready::rules {

namespace {

using catalog::VersionNumber;

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

/// The node that ROCm needs and may not open: /dev/kfd, or one of /dev/dri/renderD*, which has a
/// group of its own.
const DeviceFile* denied_node(const Machine& machine) {
  if (!is_about_amd(machine)) return nullptr;
  const auto denied = [](const DeviceFile& file) {
    const bool wanted = file.path == kfd || base::starts_with(file.path, "/dev/dri/renderD");
    return wanted && file.open.absent_for(Absence::permission);
  };
  const auto it = std::ranges::find_if(machine.driver.files, denied);
  return it == machine.driver.files.end() ? nullptr : &*it;
}

std::optional<Sighting> kfd_permission(const Machine& machine) {
  const DeviceFile* node = denied_node(machine);
  if (node == nullptr || machine.environment.container) return {};
  return Sighting{{node->path}, {node_evidence(*node)}};
}

std::optional<Sighting> kfd_group_in_container(const Machine& machine) {
  const DeviceFile* node = denied_node(machine);
  if (node == nullptr || !machine.environment.container) return {};
  return Sighting{{node->path}, {node_evidence(*node)}};
}

bool has_rocm_build(const Machine& machine) {
  const DefaultTorch found = default_torch(machine);
  return found.torch != nullptr && found.torch->hip.known();
}

/// The gfx targets of the builds with this tag, or of all builds of the table.
std::vector<std::string> targets_of(const std::string& tag) {
  std::vector<std::string> targets;
  for (const catalog::Wheel& wheel : catalog::wheel_tables().wheels)
    if (wheel.vendor == "amd" && (tag.empty() || wheel.tag == tag))
      targets.insert(targets.end(), wheel.targets.begin(), wheel.targets.end());
  return targets;
}

/// "6.4" of "rocm6.4".
std::optional<VersionNumber> rocm_of(const std::string& tag) {
  return base::starts_with(tag, "rocm") ? VersionNumber::parse(tag.substr(4)) : std::nullopt;
}

/// The targets of the next newer build of which the table lists any: what that one lacks, an older
/// one does not have either.
std::vector<std::string> targets_of_next(const std::string& tag) {
  const auto version = rocm_of(tag);
  const catalog::Wheel* next = nullptr;
  for (const catalog::Wheel& wheel : catalog::wheel_tables().wheels) {
    const auto other = rocm_of(wheel.tag);
    if (!version || !other || wheel.targets.empty() || *other < *version) continue;
    if (next == nullptr || *other < *rocm_of(next->tag)) next = &wheel;
  }
  return next == nullptr ? std::vector<std::string>() : next->targets;
}

/// The gfx targets of the ROCm build in the default environment, as far as the table can tell; of
/// all its builds where there is none.
std::vector<std::string> supported_targets(const Machine& machine) {
  std::vector<std::string> targets;
  if (has_rocm_build(machine)) {
    const std::string tag = default_torch(machine).torch->tag.value_or("?");
    targets = targets_of(tag);
    if (targets.empty()) targets = targets_of_next(tag);
  }
  return targets.empty() ? targets_of("") : targets;
}

/// A processor's graphics (LLVM's list of AMDGPU targets: APU). Who installed no ROCm build does
/// not expect anything of them.
bool is_of_processor(const std::string& target) {
  constexpr std::array apus{"gfx902",  "gfx909",  "gfx90c",  "gfx1013", "gfx1033", "gfx1035",
                            "gfx1036", "gfx1037", "gfx1103", "gfx1152", "gfx1153"};
  return std::ranges::find(apus, target) != apus.end();
}

/// What makes ROCm take the GPU for its supported relative of the same generation.
std::string pretended(const std::string& target) {
  const std::vector<std::string> all = targets_of("");
  if (std::ranges::find(all, target) != all.end()) return "# that build has " + target + " itself";
  for (const auto& [family, version] :
       {std::pair{"gfx103", "10.3.0"}, std::pair{"gfx110", "11.0.0"}, std::pair{"gfx115", "11.5.1"},
        std::pair{"gfx120", "12.0.1"}})
    if (base::starts_with(target, family))
      return std::string("HSA_OVERRIDE_GFX_VERSION=") + version + " python your_program.py";
  return "# no relative of " + target + " is supported";
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
  if (variable(machine, "HSA_OVERRIDE_GFX_VERSION")) return {};  // it is another one to ROCm
  const bool all_of_processor = std::ranges::all_of(
      gpus, [](const AmdGpu& one) { return is_of_processor(*one.gpu->gfx_target); });
  if (all_of_processor && !has_rocm_build(machine)) return {};
  const Gpu& gpu = *gpus.front().gpu;
  return Sighting{{*gpu.gfx_target, catalog::wheel_tables().as_of, pretended(*gpu.gfx_target),
                   install_line(machine, default_torch(machine).python)},
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
  if (!only_intel || std::ranges::any_of(machine.pci, is_intel_xpu)) return {};
  const auto is_intel = [](const PciFunction& f) { return f.vendor_id.is("0x8086"); };
  const auto function = std::ranges::find_if(machine.pci, is_intel);
  if (function == machine.pci.end()) return {};
  return Sighting{{function->address, function->device_id.value_or("?")},
                  {evidence("machine.pci.device_id", function->device_id)}};
}

}  // namespace

bool has_amd_gpu_for_torch(const Machine& machine) {
  const std::vector<std::string> targets = targets_of("");
  return std::ranges::any_of(machine.gpus, [&](const Gpu& gpu) {
    return gpu.vendor.is("amd") &&
           (!gpu.gfx_target || std::ranges::find(targets, *gpu.gfx_target) != targets.end());
  });
}

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
