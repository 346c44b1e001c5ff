#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/format.hpp"
#include "probe/nvml_asker.hpp"
#include "probe/vendor_child.hpp"
#include "probe/vendor_text.hpp"
#include "vendor/nvml.hpp"

namespace gpuready::probe {

namespace {

constexpr double hertz_per_mhz = 1e6;
constexpr double watts_per_milliwatt = 1e-3;

void ask_identity(const DeviceAsker& asker, NvmlDevice& answer) {
  const Nvml& api = asker.api();
  answer.name = asker.text("nvmlDeviceGetName", api.nvmlDeviceGetName);
  answer.uuid = asker.text("nvmlDeviceGetUUID", api.nvmlDeviceGetUUID);
  nvml::PciInfo info{};
  const auto pci = asker.ask("nvmlDeviceGetPciInfo_v3", api.nvmlDeviceGetPciInfo_v3, info);
  answer.pci_address =
      pci ? Fact<std::string>(kernel_pci_address(text_in(pci->bus_id)), pci.source())
          : pci.pass_absence<std::string>();
  int major = 0, minor = 0;
  constexpr const char* call = "nvmlDeviceGetCudaComputeCapability";
  const auto get = api.nvmlDeviceGetCudaComputeCapability;
  const auto capability = asker.ask(call, get, minor, &major);
  answer.compute_capability = capability
                                  ? Fact<std::string>(base::format("{}.{}", major, minor), call)
                                  : capability.pass_absence<std::string>();
}

void set_memory(const std::string& source, std::uint64_t total, std::uint64_t free,
                std::uint64_t used, NvmlDevice& answer) {
  answer.memory_total_bytes = whole_number(total, source);
  answer.memory_free_bytes = whole_number(free, source);
  answer.memory_used_bytes = whole_number(used, source);
}

/// The second version tells apart what processes use and what the driver holds; drivers before 510
/// lack it.
void ask_memory(const DeviceAsker& asker, NvmlDevice& answer) {
  const Nvml& api = asker.api();
  nvml::MemoryV2 v2{};
  v2.version = nvml::memory_v2_version;
  const auto second = asker.ask("nvmlDeviceGetMemoryInfo_v2", api.nvmlDeviceGetMemoryInfo_v2, v2);
  if (second) {
    set_memory(second.source(), v2.total, v2.free, v2.used, answer);
    answer.memory_reserved_bytes = whole_number(v2.reserved, second.source());
    return;
  }
  answer.memory_reserved_bytes = second.missing();
  nvml::Memory v1{};
  const auto first = asker.ask("nvmlDeviceGetMemoryInfo", api.nvmlDeviceGetMemoryInfo, v1);
  if (first) return set_memory(first.source(), v1.total, v1.free, v1.used, answer);
  answer.memory_total_bytes = first.missing();
  answer.memory_free_bytes = first.missing();
  answer.memory_used_bytes = first.missing();
}

void ask_clocks_and_power(const DeviceAsker& asker, NvmlDevice& answer) {
  const Nvml& api = asker.api();
  const auto now = [&](int type) {
    return asker.scaled(hertz_per_mhz, "nvmlDeviceGetClockInfo", api.nvmlDeviceGetClockInfo, type);
  };
  const auto highest = [&](int type) {
    return asker.scaled(hertz_per_mhz, "nvmlDeviceGetMaxClockInfo", api.nvmlDeviceGetMaxClockInfo,
                        type);
  };
  answer.sm_clock_hz = now(nvml::clock_sm);
  answer.sm_clock_max_hz = highest(nvml::clock_sm);
  answer.memory_clock_hz = now(nvml::clock_memory);
  answer.memory_clock_max_hz = highest(nvml::clock_memory);
  answer.power_w =
      asker.scaled(watts_per_milliwatt, "nvmlDeviceGetPowerUsage", api.nvmlDeviceGetPowerUsage);
  answer.power_limit_w = asker.scaled(watts_per_milliwatt, "nvmlDeviceGetEnforcedPowerLimit",
                                      api.nvmlDeviceGetEnforcedPowerLimit);
  answer.power_default_limit_w =
      asker.scaled(watts_per_milliwatt, "nvmlDeviceGetPowerManagementDefaultLimit",
                   api.nvmlDeviceGetPowerManagementDefaultLimit);
  answer.temperature_c = asker.scaled(1, "nvmlDeviceGetTemperature", api.nvmlDeviceGetTemperature,
                                      nvml::temperature_gpu);
}

void ask_pcie(const DeviceAsker& asker, NvmlDevice& answer) {
  const Nvml& api = asker.api();
  answer.pcie_generation =
      asker.whole("nvmlDeviceGetCurrPcieLinkGeneration", api.nvmlDeviceGetCurrPcieLinkGeneration);
  answer.pcie_generation_max =
      asker.whole("nvmlDeviceGetMaxPcieLinkGeneration", api.nvmlDeviceGetMaxPcieLinkGeneration);
  answer.pcie_width =
      asker.whole("nvmlDeviceGetCurrPcieLinkWidth", api.nvmlDeviceGetCurrPcieLinkWidth);
  answer.pcie_width_max =
      asker.whole("nvmlDeviceGetMaxPcieLinkWidth", api.nvmlDeviceGetMaxPcieLinkWidth);
}

/// Places for instances need not be filled, and have gaps: each is asked.
Fact<std::int64_t> count_mig_instances(const DeviceAsker& asker) {
  const Nvml& api = asker.api();
  const auto places =
      asker.whole("nvmlDeviceGetMaxMigDeviceCount", api.nvmlDeviceGetMaxMigDeviceCount);
  if (!places) return places.missing();
  if (*places > most_devices) return unbelievable_count(places.source(), *places);
  constexpr const char* call = "nvmlDeviceGetMigDeviceHandleByIndex";
  if (api.nvmlDeviceGetMigDeviceHandleByIndex == nullptr) return lacking(call);
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < *places; ++i) {
    nvml::Device instance = nullptr;
    const int code = api.nvmlDeviceGetMigDeviceHandleByIndex(asker.device(),
                                                             static_cast<unsigned>(i), &instance);
    if (code == nvml::success) ++count;
    if (code != nvml::success && code != nvml::error_not_found) return failed(api, call, code);
  }
  return {count, call};
}

void ask_mig(const DeviceAsker& asker, NvmlDevice& answer) {
  unsigned current = 0, pending = 0;
  const auto mode =
      asker.ask("nvmlDeviceGetMigMode", asker.api().nvmlDeviceGetMigMode, pending, &current);
  if (!mode) {
    answer.mig_enabled = mode.missing();
    answer.mig_pending = mode.missing();
    answer.mig_instances =
        mode.absent_for(Absence::not_applicable) ? mode.missing() : not_tested("no MIG mode");
    return;
  }
  answer.mig_enabled = Fact<bool>(current == nvml::feature_enabled, mode.source());
  answer.mig_pending = Fact<bool>(pending == nvml::feature_enabled, mode.source());
  answer.mig_instances =
      *answer.mig_enabled ? count_mig_instances(asker) : Fact<std::int64_t>(0, mode.source());
}

Fact<bool> enabled(const Fact<int>& state) {
  if (!state) return state.missing();
  return {*state == nvml::feature_enabled, state.source()};
}

Fact<std::string> compute_mode(const DeviceAsker& asker) {
  int value = 0;
  const auto mode =
      asker.ask("nvmlDeviceGetComputeMode", asker.api().nvmlDeviceGetComputeMode, value);
  if (!mode) return mode.missing();
  const auto& words = nvml::compute_mode_words;
  if (value >= 0 && static_cast<std::size_t>(value) < words.size())
    return {std::string(words[static_cast<std::size_t>(value)]), mode.source()};
  return Missing{Absence::unreadable, base::format("{} answered {}", mode.source(), value), {}};
}

void ask_modes(const DeviceAsker& asker, NvmlDevice& answer) {
  const Nvml& api = asker.api();
  int ecc_pending = 0, ecc = 0, persistence = 0;
  const auto ecc_mode =
      asker.ask("nvmlDeviceGetEccMode", api.nvmlDeviceGetEccMode, ecc_pending, &ecc);
  answer.ecc_enabled = ecc_mode ? Fact<bool>(ecc == nvml::feature_enabled, ecc_mode.source())
                                : ecc_mode.pass_absence<bool>();
  answer.persistence = enabled(
      asker.ask("nvmlDeviceGetPersistenceMode", api.nvmlDeviceGetPersistenceMode, persistence));
  answer.compute_mode = compute_mode(asker);
  answer.clock_event_reasons = clock_event_reasons(asker);
}

NvmlDevice ask_device(const Nvml& api, std::int64_t index) {
  NvmlDevice answer;
  answer.index = index;
  nvml::Device device = nullptr;
  const int code = api.nvmlDeviceGetHandleByIndex_v2(static_cast<unsigned>(index), &device);
  if (code != nvml::success) {
    set_all_absent(answer, failed(api, "nvmlDeviceGetHandleByIndex_v2", code));
    return answer;
  }
  const DeviceAsker asker(api, device);
  ask_identity(asker, answer);
  ask_memory(asker, answer);
  ask_clocks_and_power(asker, answer);
  ask_pcie(asker, answer);
  ask_mig(asker, answer);
  ask_modes(asker, answer);
  ask_nvml_health(asker, answer);
  return answer;
}

Fact<std::string> driver_version(const Nvml& api) {
  constexpr const char* call = "nvmlSystemGetDriverVersion";
  if (api.nvmlSystemGetDriverVersion == nullptr) return lacking(call);
  std::array<char, 96> text{};
  const int code = api.nvmlSystemGetDriverVersion(text.data(), static_cast<unsigned>(text.size()));
  if (code != nvml::success) return failed(api, call, code);
  return {text_in(text), call};
}

Fact<std::string> highest_cuda_version(const Nvml& api) {
  constexpr const char* call = "nvmlSystemGetCudaDriverVersion_v2";
  if (api.nvmlSystemGetCudaDriverVersion_v2 == nullptr) return lacking(call);
  int number = 0;
  const int code = api.nvmlSystemGetCudaDriverVersion_v2(&number);
  if (code != nvml::success) return failed(api, call, code);
  return cuda_version(number, call);
}

Fact<std::int64_t> device_count(const Nvml& api) {
  unsigned count = 0;
  const int code = api.nvmlDeviceGetCount_v2(&count);
  if (code != nvml::success) return failed(api, "nvmlDeviceGetCount_v2", code);
  if (count > most_devices) return unbelievable_count("nvmlDeviceGetCount_v2", count);
  return {std::int64_t{count}, "nvmlDeviceGetCount_v2"};
}

}  // namespace

/// The call was renamed in driver 535; the old name stays for old drivers.
Fact<std::int64_t> clock_event_reasons(const DeviceAsker& asker) {
  const Nvml& api = asker.api();
  unsigned long long mask = 0;
  const auto event = asker.ask("nvmlDeviceGetCurrentClocksEventReasons",
                               api.nvmlDeviceGetCurrentClocksEventReasons, mask);
  if (event) return whole_number(mask, event.source());
  const auto throttle = asker.ask("nvmlDeviceGetCurrentClocksThrottleReasons",
                                  api.nvmlDeviceGetCurrentClocksThrottleReasons, mask);
  if (throttle) return whole_number(mask, throttle.source());
  return event.absent_for(Absence::symbol_missing) ? throttle.missing() : event.missing();
}

NvmlDriver ask_nvml(host::Host& host) {
  NvmlDriver answer;
  const auto library = vendor::load_nvml(host);
  if (!library) {
    set_all_absent(answer, not_tested("no management library"));
    answer.library = library.error();
    return answer;
  }
  const Nvml& api = library->api;
  set_all_absent(answer, not_tested("NVML did not start"));
  answer.library = Fact<std::string>(library->file, "dlopen");
  const int code = api.nvmlInit_v2();
  if (code != nvml::success) {
    answer.init = failed(api, "nvmlInit_v2", code);
    return answer;
  }
  answer.init = Fact<bool>(true, "nvmlInit_v2");
  answer.driver_version = driver_version(api);
  answer.cuda_version = highest_cuda_version(api);
  answer.device_count = device_count(api);
  for (std::int64_t i = 0; i < answer.device_count.value_or(0); ++i)
    answer.devices.push_back(ask_device(api, i));
  return answer;
}

}  // namespace gpuready::probe
