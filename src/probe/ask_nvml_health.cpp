#include <span>

#include "probe/nvml_asker.hpp"

namespace gpuready::probe {

namespace {

/// The word of an enumeration, or that its value is unknown.
Fact<std::string> word_of(std::span<const std::string_view> words, std::int64_t value,
                          std::string_view call) {
  if (value >= 0 && value < static_cast<std::int64_t>(words.size()))
    return {std::string(words[static_cast<std::size_t>(value)]), std::string(call)};
  return Missing{Absence::unreadable, base::format("{} answered {}", call, value), {}};
}

void ask_remapped_rows(const DeviceAsker& asker, NvmlDevice& answer) {
  unsigned corrected = 0, uncorrected = 0, pending = 0, failure = 0;
  const auto rows = asker.ask("nvmlDeviceGetRemappedRows", asker.api().nvmlDeviceGetRemappedRows,
                              failure, &corrected, &uncorrected, &pending);
  answer.remap_pending = rows ? Fact<bool>(pending != 0, rows.source()) : rows.pass_absence<bool>();
  answer.remap_failed = rows ? Fact<bool>(failure != 0, rows.source()) : rows.pass_absence<bool>();
}

/// Asked with no place for a list, NVML tells how long the list would be.
Fact<std::int64_t> count_processes(const DeviceAsker& asker, std::string_view call,
                                   int (*get)(nvml::Device, unsigned*, void*)) {
  if (get == nullptr) return lacking(call);
  unsigned count = 0;
  const int code = get(asker.device(), &count, nullptr);
  if (code != nvml::success && code != nvml::error_insufficient_size)
    return failed(asker.api(), call, code);
  return {std::int64_t{count}, std::string(call)};
}

void ask_processes(const DeviceAsker& asker, NvmlDevice& answer) {
  const Nvml& api = asker.api();
  const auto compute = count_processes(asker, "nvmlDeviceGetComputeRunningProcesses_v3",
                                       api.nvmlDeviceGetComputeRunningProcesses_v3);
  const auto graphics = count_processes(asker, "nvmlDeviceGetGraphicsRunningProcesses_v3",
                                        api.nvmlDeviceGetGraphicsRunningProcesses_v3);
  answer.processes = !compute ? compute : graphics;
  if (compute && graphics) answer.processes.get() += *compute;
}

/// A GPU has the links up to the first that NVML refuses to speak of.
void ask_nvlinks(const DeviceAsker& asker, NvmlDevice& answer) {
  constexpr const char* call = "nvmlDeviceGetNvLinkState";
  const auto get = asker.api().nvmlDeviceGetNvLinkState;
  Missing why = lacking(call);
  std::int64_t links = 0, active = 0;
  for (unsigned link = 0; get != nullptr && link < nvml::most_nvlinks; ++link, ++links) {
    unsigned is_active = 0;
    const int code = get(asker.device(), link, &is_active);
    if (code != nvml::success) {
      why = failed(asker.api(), call, code);
      break;
    }
    active += is_active == nvml::feature_enabled ? 1 : 0;
  }
  answer.nvlinks = links > 0 ? Fact<std::int64_t>(links, call) : why;
  answer.nvlinks_active = links > 0 ? Fact<std::int64_t>(active, call) : why;
}

void ask_fabric(const DeviceAsker& asker, NvmlDevice& answer) {
  nvml::GpuFabricInfo info{};
  const auto fabric =
      asker.ask("nvmlDeviceGetGpuFabricInfo", asker.api().nvmlDeviceGetGpuFabricInfo, info);
  answer.fabric_state = fabric ? word_of(nvml::fabric_state_words, info.state, fabric.source())
                               : fabric.pass_absence<std::string>();
}

/// The licence that is in use: of the feature that is enabled, or else of the first.
Fact<std::string> vgpu_license(const DeviceAsker& asker) {
  nvml::GridLicensableFeatures all{};
  const auto features = asker.ask("nvmlDeviceGetGridLicensableFeatures_v4",
                                  asker.api().nvmlDeviceGetGridLicensableFeatures_v4, all);
  if (!features) return features.missing();
  if (all.is_supported == 0 || all.count == 0)
    return Missing{Absence::not_applicable, features.source() + ": no licence is needed", {}};
  const nvml::GridLicensableFeature* chosen = &all.features[0];
  for (const nvml::GridLicensableFeature& feature : all.features)
    if (chosen->enabled == 0 && feature.enabled != 0) chosen = &feature;
  return word_of(nvml::license_state_words, chosen->state, features.source());
}

void ask_virtualization(const DeviceAsker& asker, NvmlDevice& answer) {
  int mode = 0;
  const auto told = asker.ask("nvmlDeviceGetVirtualizationMode",
                              asker.api().nvmlDeviceGetVirtualizationMode, mode);
  answer.virtualization = told ? word_of(nvml::virtualization_words, mode, told.source())
                               : told.pass_absence<std::string>();
  answer.vgpu_license = answer.virtualization.is("vgpu")
                            ? vgpu_license(asker)
                            : Missing{Absence::not_applicable, "not a vGPU", {}};
}

}  // namespace

void ask_nvml_health(const DeviceAsker& asker, NvmlDevice& answer) {
  ask_remapped_rows(asker, answer);
  ask_processes(asker, answer);
  ask_nvlinks(asker, answer);
  ask_fabric(asker, answer);
  ask_virtualization(asker, answer);
}

}  // namespace gpuready::probe
