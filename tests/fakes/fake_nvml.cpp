/// A libnvidia-ml.so.1 that tells what the script says.

#include <algorithm>
#include <cstdio>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "nvml_calls.hpp"
#include "script.hpp"

namespace nvml = gpuready::vendor::nvml;
namespace fakes = gpuready::fakes;

namespace gpuready::vendor::nvml {
struct DeviceTag {
  const fakes::Device* device = nullptr;
  bool is_mig = false;
};
}  // namespace gpuready::vendor::nvml

namespace {

constexpr int invalid_argument = 2, insufficient_size = 7, version_mismatch = 25;
/// As on an A100: at most seven instances.
constexpr unsigned mig_places = 7;

struct State {
  bool initialized = false;
  /// A handle for each GPU, then one for a MIG device; a deque keeps their addresses.
  std::deque<nvml::DeviceTag> handles;
  nvml::DeviceTag mig_device{nullptr, true};
};

State& state() {
  static State state;
  return state;
}

int begin(const char* call, const void* out) {
  if (const int code = fakes::enter(call); code != 0) return code;
  if (!state().initialized) return nvml::error_uninitialized;
  return out == nullptr ? invalid_argument : nvml::success;
}

int begin(const char* call, nvml::Device device, const void* out) {
  if (const int code = begin(call, out); code != 0) return code;
  const auto is_it = [&](const auto& one) { return &one == device; };
  return std::ranges::any_of(state().handles, is_it) ? nvml::success : invalid_argument;
}

int copy_text(const std::string& text, char* to, unsigned length) {
  if (length <= text.size()) return insufficient_size;
  std::snprintf(to, length, "%s", text.c_str());
  return nvml::success;
}

/// Most calls: one number of the device.
template <class Number>
int tell(const char* call, nvml::Device device, std::int64_t fakes::Device::*number, Number* out) {
  if (const int code = begin(call, device, out); code != 0) return code;
  *out = static_cast<Number>(device->device->*number);
  return nvml::success;
}

/// A list of processes: asked without a place for it, only its length is told.
int tell_list(const char* call, nvml::Device device, std::int64_t fakes::Device::*number,
              unsigned* count, void* infos) {
  if (const int code = tell(call, device, number, count); code != 0) return code;
  if (*count == 0) return nvml::success;
  return infos == nullptr ? nvml::error_insufficient_size : invalid_argument;
}

std::string uuid_text(const fakes::Device& device) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < device.uuid.size(); ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(device.uuid[i]));
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits;
  }
  return text;
}

}  // namespace

extern "C" {

int nvmlInit_v2() {
  if (const int code = fakes::enter("nvmlInit_v2"); code != 0) return code;
  state().handles.clear();
  for (const fakes::Device& device : fakes::script().devices)
    state().handles.push_back({&device, false});
  state().initialized = true;
  return nvml::success;
}

const char* nvmlErrorString(int code) {
  if (fakes::enter("nvmlErrorString") != 0) return nullptr;
  static const std::map<int, const char*> texts{
      {0, "Success"},           {1, "Uninitialized"},
      {3, "Not Supported"},     {4, "Insufficient Permissions"},
      {9, "Driver Not Loaded"}, {18, "Driver/library version mismatch"}};
  const auto found = texts.find(code);
  return found == texts.end() ? nullptr : found->second;
}

int nvmlSystemGetDriverVersion(char* version, unsigned length) {
  if (const int code = begin("nvmlSystemGetDriverVersion", version); code != 0) return code;
  return copy_text(fakes::script().driver_version, version, length);
}

int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  if (const int code = begin("nvmlSystemGetCudaDriverVersion_v2", version); code != 0) return code;
  *version = static_cast<int>(fakes::script().cuda_version);
  return nvml::success;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  if (const int code = begin("nvmlDeviceGetCount_v2", count); code != 0) return code;
  const auto told = fakes::script().nvml_count;
  *count =
      static_cast<unsigned>(told >= 0 ? static_cast<std::size_t>(told) : state().handles.size());
  return nvml::success;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, nvml::Device* device) {
  if (const int code = begin("nvmlDeviceGetHandleByIndex_v2", device); code != 0) return code;
  if (index >= state().handles.size()) return invalid_argument;
  *device = &state().handles[index];
  return nvml::success;
}

int nvmlDeviceGetName(nvml::Device device, char* name, unsigned length) {
  if (const int code = begin("nvmlDeviceGetName", device, name); code != 0) return code;
  return copy_text(device->device->name, name, length);
}

int nvmlDeviceGetUUID(nvml::Device device, char* uuid, unsigned length) {
  if (const int code = begin("nvmlDeviceGetUUID", device, uuid); code != 0) return code;
  return copy_text(uuid_text(*device->device), uuid, length);
}

int nvmlDeviceGetPciInfo_v3(nvml::Device device, nvml::PciInfo* pci) {
  if (const int code = begin("nvmlDeviceGetPciInfo_v3", device, pci); code != 0) return code;
  *pci = {};
  // The real one writes eight digits of the domain.
  return copy_text("0000" + device->device->pci, pci->bus_id, sizeof pci->bus_id);
}

int nvmlDeviceGetCudaComputeCapability(nvml::Device device, int* major, int* minor) {
  if (const int code = begin("nvmlDeviceGetCudaComputeCapability", device, major); code != 0)
    return code;
  if (minor == nullptr) return invalid_argument;
  *major = static_cast<int>(device->device->capability_major);
  *minor = static_cast<int>(device->device->capability_minor);
  return nvml::success;
}

int nvmlDeviceGetMemoryInfo(nvml::Device device, nvml::Memory* memory) {
  if (const int code = begin("nvmlDeviceGetMemoryInfo", device, memory); code != 0) return code;
  const fakes::Device& d = *device->device;
  memory->total = static_cast<unsigned long long>(d.memory_total);
  memory->free = static_cast<unsigned long long>(d.memory_free);
  memory->used = memory->total - memory->free;
  return nvml::success;
}

int nvmlDeviceGetMemoryInfo_v2(nvml::Device device, nvml::MemoryV2* memory) {
  if (const int code = begin("nvmlDeviceGetMemoryInfo_v2", device, memory); code != 0) return code;
  if (memory->version != nvml::memory_v2_version) return version_mismatch;
  const fakes::Device& d = *device->device;
  memory->total = static_cast<unsigned long long>(d.memory_total);
  memory->reserved = static_cast<unsigned long long>(d.memory_reserved);
  memory->free = static_cast<unsigned long long>(d.memory_free);
  memory->used = memory->total - memory->free - memory->reserved;
  return nvml::success;
}

int nvmlDeviceGetClockInfo(nvml::Device device, int type, unsigned* mhz) {
  return tell("nvmlDeviceGetClockInfo", device,
              type == nvml::clock_sm ? &fakes::Device::clock_mhz : &fakes::Device::memory_clock_mhz,
              mhz);
}

int nvmlDeviceGetMaxClockInfo(nvml::Device device, int type, unsigned* mhz) {
  return tell(
      "nvmlDeviceGetMaxClockInfo", device,
      type == nvml::clock_sm ? &fakes::Device::clock_max_mhz : &fakes::Device::memory_clock_max_mhz,
      mhz);
}

int nvmlDeviceGetTemperature(nvml::Device device, int sensor, unsigned* celsius) {
  const int code = tell("nvmlDeviceGetTemperature", device, &fakes::Device::temperature, celsius);
  return code == nvml::success && sensor != nvml::temperature_gpu ? invalid_argument : code;
}

int nvmlDeviceGetPowerUsage(nvml::Device device, unsigned* milliwatts) {
  return tell("nvmlDeviceGetPowerUsage", device, &fakes::Device::power_mw, milliwatts);
}

int nvmlDeviceGetEnforcedPowerLimit(nvml::Device device, unsigned* milliwatts) {
  return tell("nvmlDeviceGetEnforcedPowerLimit", device, &fakes::Device::power_limit_mw,
              milliwatts);
}

int nvmlDeviceGetPowerManagementDefaultLimit(nvml::Device device, unsigned* milliwatts) {
  return tell("nvmlDeviceGetPowerManagementDefaultLimit", device, &fakes::Device::power_default_mw,
              milliwatts);
}

int nvmlDeviceGetCurrPcieLinkGeneration(nvml::Device device, unsigned* generation) {
  return tell("nvmlDeviceGetCurrPcieLinkGeneration", device, &fakes::Device::pcie_generation,
              generation);
}

int nvmlDeviceGetMaxPcieLinkGeneration(nvml::Device device, unsigned* generation) {
  return tell("nvmlDeviceGetMaxPcieLinkGeneration", device, &fakes::Device::pcie_generation_max,
              generation);
}

int nvmlDeviceGetCurrPcieLinkWidth(nvml::Device device, unsigned* width) {
  return tell("nvmlDeviceGetCurrPcieLinkWidth", device, &fakes::Device::pcie_width, width);
}

int nvmlDeviceGetMaxPcieLinkWidth(nvml::Device device, unsigned* width) {
  return tell("nvmlDeviceGetMaxPcieLinkWidth", device, &fakes::Device::pcie_width_max, width);
}

int nvmlDeviceGetMigMode(nvml::Device device, unsigned* current, unsigned* pending) {
  if (const int code = begin("nvmlDeviceGetMigMode", device, current); code != 0) return code;
  if (pending == nullptr) return invalid_argument;
  const fakes::Device& d = *device->device;
  if (d.mig < 0) return nvml::error_not_supported;
  *current = static_cast<unsigned>(d.mig);
  *pending = static_cast<unsigned>(d.mig_pending < 0 ? d.mig : d.mig_pending);
  return nvml::success;
}

int nvmlDeviceGetMaxMigDeviceCount(nvml::Device device, unsigned* count) {
  if (const int code = begin("nvmlDeviceGetMaxMigDeviceCount", device, count); code != 0)
    return code;
  *count = device->device->mig < 0 ? 0 : mig_places;
  return nvml::success;
}

int nvmlDeviceGetMigDeviceHandleByIndex(nvml::Device device, unsigned index,
                                        nvml::Device* instance) {
  if (const int code = begin("nvmlDeviceGetMigDeviceHandleByIndex", device, instance); code != 0)
    return code;
  if (index >= mig_places) return invalid_argument;
  if (std::cmp_greater_equal(index, device->device->mig_instances)) return nvml::error_not_found;
  *instance = &state().mig_device;
  return nvml::success;
}

int nvmlDeviceGetEccMode(nvml::Device device, int* current, int* pending) {
  if (const int code = begin("nvmlDeviceGetEccMode", device, current); code != 0) return code;
  if (pending == nullptr) return invalid_argument;
  if (device->device->ecc < 0) return nvml::error_not_supported;
  *current = *pending = static_cast<int>(device->device->ecc);
  return nvml::success;
}

int nvmlDeviceGetPersistenceMode(nvml::Device device, int* mode) {
  return tell("nvmlDeviceGetPersistenceMode", device, &fakes::Device::persistence, mode);
}

int nvmlDeviceGetComputeMode(nvml::Device device, int* mode) {
  return tell("nvmlDeviceGetComputeMode", device, &fakes::Device::compute_mode, mode);
}

int nvmlDeviceGetCurrentClocksEventReasons(nvml::Device device, unsigned long long* reasons) {
  return tell("nvmlDeviceGetCurrentClocksEventReasons", device, &fakes::Device::clock_reasons,
              reasons);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(nvml::Device device, unsigned long long* reasons) {
  return tell("nvmlDeviceGetCurrentClocksThrottleReasons", device, &fakes::Device::clock_reasons,
              reasons);
}

/// Uncorrected errors; each time it is asked there are `ecc_errors_step` more.
int nvmlDeviceGetTotalEccErrors(nvml::Device device, int type, int counter,
                                unsigned long long* count) {
  if (const int code = begin("nvmlDeviceGetTotalEccErrors", device, count); code != 0) return code;
  if (type != nvml::memory_error_uncorrected || counter != nvml::ecc_since_driver_start)
    return invalid_argument;
  const fakes::Device& d = *device->device;
  if (d.ecc < 1) return nvml::error_not_supported;
  static std::int64_t times = 0;
  *count = static_cast<unsigned long long>(d.ecc_errors + d.ecc_errors_step * times++);
  return nvml::success;
}

int nvmlDeviceGetRemappedRows(nvml::Device device, unsigned* corrected, unsigned* uncorrected,
                              unsigned* is_pending, unsigned* failure_occurred) {
  if (const int code = begin("nvmlDeviceGetRemappedRows", device, is_pending); code != 0)
    return code;
  if (corrected == nullptr || uncorrected == nullptr || failure_occurred == nullptr)
    return invalid_argument;
  const fakes::Device& d = *device->device;
  if (d.remap_pending < 0) return nvml::error_not_supported;
  *corrected = *uncorrected = 0;
  *is_pending = static_cast<unsigned>(d.remap_pending);
  *failure_occurred = static_cast<unsigned>(d.remap_failed);
  return nvml::success;
}

int nvmlDeviceGetComputeRunningProcesses_v3(nvml::Device device, unsigned* count, void* infos) {
  return tell_list("nvmlDeviceGetComputeRunningProcesses_v3", device,
                   &fakes::Device::compute_processes, count, infos);
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(nvml::Device device, unsigned* count, void* infos) {
  return tell_list("nvmlDeviceGetGraphicsRunningProcesses_v3", device,
                   &fakes::Device::graphics_processes, count, infos);
}

int nvmlDeviceGetNvLinkState(nvml::Device device, unsigned link, unsigned* is_active) {
  if (const int code = begin("nvmlDeviceGetNvLinkState", device, is_active); code != 0) return code;
  const fakes::Device& d = *device->device;
  if (d.nvlinks == 0) return nvml::error_not_supported;
  if (std::cmp_greater_equal(link, d.nvlinks)) return invalid_argument;
  *is_active = std::cmp_less(link, d.nvlinks_active) ? 1 : 0;
  return nvml::success;
}

int nvmlDeviceGetGpuFabricInfo(nvml::Device device, nvml::GpuFabricInfo* info) {
  if (const int code = begin("nvmlDeviceGetGpuFabricInfo", device, info); code != 0) return code;
  if (device->device->fabric_state < 0) return nvml::error_not_supported;
  *info = {};
  info->state = static_cast<unsigned char>(device->device->fabric_state);
  return nvml::success;
}

int nvmlDeviceGetVirtualizationMode(nvml::Device device, int* mode) {
  return tell("nvmlDeviceGetVirtualizationMode", device, &fakes::Device::virtualization, mode);
}

int nvmlDeviceGetGridLicensableFeatures_v4(nvml::Device device,
                                           nvml::GridLicensableFeatures* features) {
  if (const int code = begin("nvmlDeviceGetGridLicensableFeatures_v4", device, features); code != 0)
    return code;
  *features = {};
  features->is_supported = 1;
  features->count = 2;
  features->features[1].enabled = 1;  // the one that is in use need not be the first
  features->features[1].state = static_cast<unsigned>(device->device->license_state);
  return nvml::success;
}

}  // extern "C"
