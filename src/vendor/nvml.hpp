#pragma once
/// The functions of NVIDIA's management library (libnvidia-ml.so.1) that we call. A test compares
/// them with nvml.h, or with nvidia-ml-py's declarations where the toolkit has no nvml.h.

#include <array>
#include <string>
#include <string_view>

#include "vendor/load.hpp"

namespace gpuready::vendor {

namespace nvml {
using Device = struct DeviceTag*;

struct PciInfo {  ///< nvmlPciInfo_t (version 3)
  char legacy_bus_id[16];
  unsigned domain, bus, device;
  unsigned device_id, subsystem_id;
  char bus_id[32];
};

struct Memory {  ///< nvmlMemory_t: used includes what the driver reserves
  unsigned long long total, free, used;
};

struct MemoryV2 {  ///< nvmlMemory_v2_t
  unsigned version;
  unsigned long long total, reserved, free, used;
};
/// NVML_STRUCT_VERSION(Memory, 2): the size of the structure, and the version in the top byte.
inline constexpr unsigned memory_v2_version = sizeof(MemoryV2) | (2U << 24U);

struct GpuFabricInfo {  ///< nvmlGpuFabricInfo_t
  unsigned char cluster_uuid[16];
  int status;
  unsigned clique_id;
  unsigned char state;
};

struct GridLicenseExpiry {  ///< nvmlGridLicenseExpiry_t
  unsigned year;
  unsigned short month, day, hour, min, sec;
  unsigned char status;
};

struct GridLicensableFeature {  ///< nvmlGridLicensableFeature_t
  int code;
  unsigned state;
  char license_info[128], product_name[128];
  unsigned enabled;
  GridLicenseExpiry expiry;
};

struct GridLicensableFeatures {  ///< nvmlGridLicensableFeatures_t (version 4)
  int is_supported;
  unsigned count;
  GridLicensableFeature features[3];
};

/// Values of nvmlReturn_t that we tell apart.
inline constexpr int success = 0;
inline constexpr int error_uninitialized = 1;
inline constexpr int error_not_supported = 3;
inline constexpr int error_no_permission = 4;
inline constexpr int error_not_found = 6;
inline constexpr int error_insufficient_size = 7;
inline constexpr int error_driver_not_loaded = 9;
inline constexpr int error_function_not_found = 13;
inline constexpr int error_gpu_is_lost = 15;
inline constexpr int error_operating_system = 17;
inline constexpr int error_lib_rm_version_mismatch = 18;
inline constexpr int error_unknown = 999;

/// Values of nvmlClockType_t, nvmlTemperatureSensors_t, nvmlEnableState_t.
inline constexpr int clock_sm = 1;
inline constexpr int clock_memory = 2;
inline constexpr int temperature_gpu = 0;
inline constexpr int feature_enabled = 1;
/// Values of nvmlMemoryErrorType_t and nvmlEccCounterType_t.
inline constexpr int memory_error_uncorrected = 1;
inline constexpr int ecc_since_driver_start = 0;
/// The values of nvmlComputeMode_t, in order.
inline constexpr std::array<std::string_view, 4> compute_mode_words{
    "default", "exclusive-thread", "prohibited", "exclusive-process"};
/// NVML_GPU_FABRIC_STATE_*, NVML_GPU_VIRTUALIZATION_MODE_* and NVML_GRID_LICENSE_STATE_*, in order.
inline constexpr std::array<std::string_view, 4> fabric_state_words{"not-supported", "not-started",
                                                                    "in-progress", "completed"};
inline constexpr std::array<std::string_view, 5> virtualization_words{"none", "passthrough", "vgpu",
                                                                      "host-vgpu", "host-vsga"};
inline constexpr std::array<std::string_view, 6> license_state_words{
    "unknown",    "uninitialized", "unlicensed-unrestricted", "unlicensed-restricted",
    "unlicensed", "licensed"};
/// NVML_NVLINK_MAX_LINKS
inline constexpr unsigned most_nvlinks = 36;
}  // namespace nvml

struct Nvml {
  int (*nvmlInit_v2)();
  const char* (*nvmlErrorString)(int code);
  int (*nvmlSystemGetDriverVersion)(char* version, unsigned length);
  int (*nvmlSystemGetCudaDriverVersion_v2)(int* version);
  int (*nvmlDeviceGetCount_v2)(unsigned* count);
  int (*nvmlDeviceGetHandleByIndex_v2)(unsigned index, nvml::Device* device);
  int (*nvmlDeviceGetName)(nvml::Device device, char* name, unsigned length);
  int (*nvmlDeviceGetUUID)(nvml::Device device, char* uuid, unsigned length);
  int (*nvmlDeviceGetPciInfo_v3)(nvml::Device device, nvml::PciInfo* pci);
  int (*nvmlDeviceGetCudaComputeCapability)(nvml::Device device, int* major, int* minor);
  int (*nvmlDeviceGetMemoryInfo)(nvml::Device device, nvml::Memory* memory);
  int (*nvmlDeviceGetMemoryInfo_v2)(nvml::Device device, nvml::MemoryV2* memory);
  int (*nvmlDeviceGetClockInfo)(nvml::Device device, int type, unsigned* mhz);
  int (*nvmlDeviceGetMaxClockInfo)(nvml::Device device, int type, unsigned* mhz);
  int (*nvmlDeviceGetTemperature)(nvml::Device device, int sensor, unsigned* celsius);
  int (*nvmlDeviceGetPowerUsage)(nvml::Device device, unsigned* milliwatts);
  int (*nvmlDeviceGetEnforcedPowerLimit)(nvml::Device device, unsigned* milliwatts);
  int (*nvmlDeviceGetPowerManagementDefaultLimit)(nvml::Device device, unsigned* milliwatts);
  int (*nvmlDeviceGetCurrPcieLinkGeneration)(nvml::Device device, unsigned* generation);
  int (*nvmlDeviceGetMaxPcieLinkGeneration)(nvml::Device device, unsigned* generation);
  int (*nvmlDeviceGetCurrPcieLinkWidth)(nvml::Device device, unsigned* width);
  int (*nvmlDeviceGetMaxPcieLinkWidth)(nvml::Device device, unsigned* width);
  int (*nvmlDeviceGetMigMode)(nvml::Device device, unsigned* current, unsigned* pending);
  int (*nvmlDeviceGetMaxMigDeviceCount)(nvml::Device device, unsigned* count);
  int (*nvmlDeviceGetMigDeviceHandleByIndex)(nvml::Device device, unsigned index,
                                             nvml::Device* instance);
  int (*nvmlDeviceGetEccMode)(nvml::Device device, int* current, int* pending);
  int (*nvmlDeviceGetPersistenceMode)(nvml::Device device, int* mode);
  int (*nvmlDeviceGetComputeMode)(nvml::Device device, int* mode);
  int (*nvmlDeviceGetCurrentClocksEventReasons)(nvml::Device device, unsigned long long* reasons);
  int (*nvmlDeviceGetCurrentClocksThrottleReasons)(nvml::Device device,
                                                   unsigned long long* reasons);
  int (*nvmlDeviceGetTotalEccErrors)(nvml::Device device, int type, int counter,
                                     unsigned long long* count);
  int (*nvmlDeviceGetRemappedRows)(nvml::Device device, unsigned* corrected, unsigned* uncorrected,
                                   unsigned* is_pending, unsigned* failure_occurred);
  int (*nvmlDeviceGetComputeRunningProcesses_v3)(nvml::Device device, unsigned* count, void* infos);
  int (*nvmlDeviceGetGraphicsRunningProcesses_v3)(nvml::Device device, unsigned* count,
                                                  void* infos);
  int (*nvmlDeviceGetNvLinkState)(nvml::Device device, unsigned link, unsigned* is_active);
  int (*nvmlDeviceGetGpuFabricInfo)(nvml::Device device, nvml::GpuFabricInfo* info);
  int (*nvmlDeviceGetVirtualizationMode)(nvml::Device device, int* mode);
  int (*nvmlDeviceGetGridLicensableFeatures_v4)(nvml::Device device,
                                                nvml::GridLicensableFeatures* features);

  template <class Self, class Visit>
  static void symbols(Self& s, Visit&& v) {
    v("nvmlInit_v2", s.nvmlInit_v2, Need::required);
    v("nvmlErrorString", s.nvmlErrorString, Need::optional);
    v("nvmlSystemGetDriverVersion", s.nvmlSystemGetDriverVersion, Need::optional);
    v("nvmlSystemGetCudaDriverVersion_v2", s.nvmlSystemGetCudaDriverVersion_v2, Need::optional);
    v("nvmlDeviceGetCount_v2", s.nvmlDeviceGetCount_v2, Need::required);
    v("nvmlDeviceGetHandleByIndex_v2", s.nvmlDeviceGetHandleByIndex_v2, Need::required);
    v("nvmlDeviceGetName", s.nvmlDeviceGetName, Need::optional);
    v("nvmlDeviceGetUUID", s.nvmlDeviceGetUUID, Need::optional);
    v("nvmlDeviceGetPciInfo_v3", s.nvmlDeviceGetPciInfo_v3, Need::optional);
    v("nvmlDeviceGetCudaComputeCapability", s.nvmlDeviceGetCudaComputeCapability, Need::optional);
    v("nvmlDeviceGetMemoryInfo", s.nvmlDeviceGetMemoryInfo, Need::optional);
    v("nvmlDeviceGetMemoryInfo_v2", s.nvmlDeviceGetMemoryInfo_v2, Need::optional);
    v("nvmlDeviceGetClockInfo", s.nvmlDeviceGetClockInfo, Need::optional);
    v("nvmlDeviceGetMaxClockInfo", s.nvmlDeviceGetMaxClockInfo, Need::optional);
    v("nvmlDeviceGetTemperature", s.nvmlDeviceGetTemperature, Need::optional);
    v("nvmlDeviceGetPowerUsage", s.nvmlDeviceGetPowerUsage, Need::optional);
    v("nvmlDeviceGetEnforcedPowerLimit", s.nvmlDeviceGetEnforcedPowerLimit, Need::optional);
    v("nvmlDeviceGetPowerManagementDefaultLimit", s.nvmlDeviceGetPowerManagementDefaultLimit,
      Need::optional);
    v("nvmlDeviceGetCurrPcieLinkGeneration", s.nvmlDeviceGetCurrPcieLinkGeneration, Need::optional);
    v("nvmlDeviceGetMaxPcieLinkGeneration", s.nvmlDeviceGetMaxPcieLinkGeneration, Need::optional);
    v("nvmlDeviceGetCurrPcieLinkWidth", s.nvmlDeviceGetCurrPcieLinkWidth, Need::optional);
    v("nvmlDeviceGetMaxPcieLinkWidth", s.nvmlDeviceGetMaxPcieLinkWidth, Need::optional);
    v("nvmlDeviceGetMigMode", s.nvmlDeviceGetMigMode, Need::optional);
    v("nvmlDeviceGetMaxMigDeviceCount", s.nvmlDeviceGetMaxMigDeviceCount, Need::optional);
    v("nvmlDeviceGetMigDeviceHandleByIndex", s.nvmlDeviceGetMigDeviceHandleByIndex, Need::optional);
    v("nvmlDeviceGetEccMode", s.nvmlDeviceGetEccMode, Need::optional);
    v("nvmlDeviceGetPersistenceMode", s.nvmlDeviceGetPersistenceMode, Need::optional);
    v("nvmlDeviceGetComputeMode", s.nvmlDeviceGetComputeMode, Need::optional);
    v("nvmlDeviceGetCurrentClocksEventReasons", s.nvmlDeviceGetCurrentClocksEventReasons,
      Need::optional);
    v("nvmlDeviceGetCurrentClocksThrottleReasons", s.nvmlDeviceGetCurrentClocksThrottleReasons,
      Need::optional);
    v("nvmlDeviceGetTotalEccErrors", s.nvmlDeviceGetTotalEccErrors, Need::optional);
    v("nvmlDeviceGetRemappedRows", s.nvmlDeviceGetRemappedRows, Need::optional);
    v("nvmlDeviceGetComputeRunningProcesses_v3", s.nvmlDeviceGetComputeRunningProcesses_v3,
      Need::optional);
    v("nvmlDeviceGetGraphicsRunningProcesses_v3", s.nvmlDeviceGetGraphicsRunningProcesses_v3,
      Need::optional);
    v("nvmlDeviceGetNvLinkState", s.nvmlDeviceGetNvLinkState, Need::optional);
    v("nvmlDeviceGetGpuFabricInfo", s.nvmlDeviceGetGpuFabricInfo, Need::optional);
    v("nvmlDeviceGetVirtualizationMode", s.nvmlDeviceGetVirtualizationMode, Need::optional);
    v("nvmlDeviceGetGridLicensableFeatures_v4", s.nvmlDeviceGetGridLicensableFeatures_v4,
      Need::optional);
  }
};

/// Opens libnvidia-ml.so.1.
tl::expected<Loaded<Nvml>, Missing> load_nvml(host::Host& host);

/// "Driver Not Loaded (9)": NVML's own words for a code, ours where it has none, or the number
/// alone.
std::string nvml_error(const Nvml& nvml, int code);

}  // namespace gpuready::vendor
