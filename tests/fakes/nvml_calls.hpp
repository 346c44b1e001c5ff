#pragma once
/// Declares the fake functions with the very types of our table (which a test compares with the
/// real declarations), so that a definition of another type does not compile.

#include <type_traits>

#include "vendor/nvml.hpp"

namespace gpuready::fakes {
/// The type of the function that a pointer of the table points to.
template <class Pointer>
using Call = std::remove_pointer_t<Pointer>;
}  // namespace gpuready::fakes

extern "C" {
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlInit_v2)> nvmlInit_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlErrorString)> nvmlErrorString;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlSystemGetDriverVersion)>
    nvmlSystemGetDriverVersion;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlSystemGetCudaDriverVersion_v2)>
    nvmlSystemGetCudaDriverVersion_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetCount_v2)>
    nvmlDeviceGetCount_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetHandleByIndex_v2)>
    nvmlDeviceGetHandleByIndex_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetName)> nvmlDeviceGetName;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetUUID)> nvmlDeviceGetUUID;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetPciInfo_v3)>
    nvmlDeviceGetPciInfo_v3;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetCudaComputeCapability)>
    nvmlDeviceGetCudaComputeCapability;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetMemoryInfo)>
    nvmlDeviceGetMemoryInfo;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetMemoryInfo_v2)>
    nvmlDeviceGetMemoryInfo_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetClockInfo)>
    nvmlDeviceGetClockInfo;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetMaxClockInfo)>
    nvmlDeviceGetMaxClockInfo;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetTemperature)>
    nvmlDeviceGetTemperature;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetPowerUsage)>
    nvmlDeviceGetPowerUsage;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetEnforcedPowerLimit)>
    nvmlDeviceGetEnforcedPowerLimit;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetPowerManagementDefaultLimit)>
    nvmlDeviceGetPowerManagementDefaultLimit;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetCurrPcieLinkGeneration)>
    nvmlDeviceGetCurrPcieLinkGeneration;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetMaxPcieLinkGeneration)>
    nvmlDeviceGetMaxPcieLinkGeneration;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetCurrPcieLinkWidth)>
    nvmlDeviceGetCurrPcieLinkWidth;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetMaxPcieLinkWidth)>
    nvmlDeviceGetMaxPcieLinkWidth;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetMigMode)> nvmlDeviceGetMigMode;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetMaxMigDeviceCount)>
    nvmlDeviceGetMaxMigDeviceCount;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetMigDeviceHandleByIndex)>
    nvmlDeviceGetMigDeviceHandleByIndex;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetEccMode)> nvmlDeviceGetEccMode;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetPersistenceMode)>
    nvmlDeviceGetPersistenceMode;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetComputeMode)>
    nvmlDeviceGetComputeMode;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetCurrentClocksEventReasons)>
    nvmlDeviceGetCurrentClocksEventReasons;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetCurrentClocksThrottleReasons)>
    nvmlDeviceGetCurrentClocksThrottleReasons;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetTotalEccErrors)>
    nvmlDeviceGetTotalEccErrors;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetRemappedRows)>
    nvmlDeviceGetRemappedRows;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetComputeRunningProcesses_v3)>
    nvmlDeviceGetComputeRunningProcesses_v3;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetGraphicsRunningProcesses_v3)>
    nvmlDeviceGetGraphicsRunningProcesses_v3;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetNvLinkState)>
    nvmlDeviceGetNvLinkState;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetGpuFabricInfo)>
    nvmlDeviceGetGpuFabricInfo;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetVirtualizationMode)>
    nvmlDeviceGetVirtualizationMode;
gpuready::fakes::Call<decltype(gpuready::vendor::Nvml::nvmlDeviceGetGridLicensableFeatures_v4)>
    nvmlDeviceGetGridLicensableFeatures_v4;
}  // extern "C"
