#pragma once
/// Declares the fake functions with the very types of our table (which a test compares with the
/// real declarations), so that a definition of another type does not compile.

#include <type_traits>

#include "vendor/cuda.hpp"

namespace gpuready::fakes {
/// The type of the function that a pointer of the table points to.
template <class Pointer>
using Call = std::remove_pointer_t<Pointer>;
}  // namespace gpuready::fakes

extern "C" {
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuInit)> cuInit;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuDriverGetVersion)> cuDriverGetVersion;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuGetErrorName)> cuGetErrorName;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuDeviceGetCount)> cuDeviceGetCount;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuDeviceGet)> cuDeviceGet;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuDeviceGetName)> cuDeviceGetName;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuDeviceGetUuid)> cuDeviceGetUuid;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuDeviceGetUuid_v2)> cuDeviceGetUuid_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuDeviceGetPCIBusId)> cuDeviceGetPCIBusId;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuDeviceGetAttribute)> cuDeviceGetAttribute;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuDeviceTotalMem_v2)> cuDeviceTotalMem_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuDevicePrimaryCtxRetain)>
    cuDevicePrimaryCtxRetain;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuDevicePrimaryCtxRelease_v2)>
    cuDevicePrimaryCtxRelease_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuCtxSetCurrent)> cuCtxSetCurrent;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuCtxSynchronize)> cuCtxSynchronize;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuMemGetInfo_v2)> cuMemGetInfo_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuMemAlloc_v2)> cuMemAlloc_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuMemFree_v2)> cuMemFree_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuMemAllocHost_v2)> cuMemAllocHost_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuMemFreeHost)> cuMemFreeHost;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuMemcpyHtoD_v2)> cuMemcpyHtoD_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuMemcpyDtoH_v2)> cuMemcpyDtoH_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuMemcpyHtoDAsync_v2)> cuMemcpyHtoDAsync_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuMemcpyDtoHAsync_v2)> cuMemcpyDtoHAsync_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuMemcpyDtoDAsync_v2)> cuMemcpyDtoDAsync_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuMemsetD8Async)> cuMemsetD8Async;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuStreamCreate)> cuStreamCreate;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuStreamDestroy_v2)> cuStreamDestroy_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuStreamSynchronize)> cuStreamSynchronize;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuStreamWaitValue32_v2)>
    cuStreamWaitValue32_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuMemHostAlloc)> cuMemHostAlloc;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuMemHostGetDevicePointer_v2)>
    cuMemHostGetDevicePointer_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuEventCreate)> cuEventCreate;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuEventDestroy_v2)> cuEventDestroy_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuEventRecord)> cuEventRecord;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuEventSynchronize)> cuEventSynchronize;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuEventElapsedTime)> cuEventElapsedTime;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuModuleLoadData)> cuModuleLoadData;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuModuleGetFunction)> cuModuleGetFunction;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuModuleUnload)> cuModuleUnload;
gpuready::fakes::Call<decltype(gpuready::vendor::Cuda::cuLaunchKernel)> cuLaunchKernel;
}  // extern "C"
