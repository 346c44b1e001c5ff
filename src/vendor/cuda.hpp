#pragma once
/// The functions of the CUDA driver (libcuda.so.1) that we call, declared by ourselves; a test
/// compares them with cuda.h wherever a toolkit is installed. Status codes are returned as int.

#include <cstddef>

#include "vendor/load.hpp"

namespace gpuready::vendor {

namespace cuda {
using Device = int;
using DevicePointer = unsigned long long;
using Context = struct ContextTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;
struct Uuid {
  char bytes[16];
};

/// Values of CUdevice_attribute.
inline constexpr int attribute_clock_rate_khz = 13;
inline constexpr int attribute_multiprocessor_count = 16;
inline constexpr int attribute_integrated = 18;
inline constexpr int attribute_compute_mode = 20;
inline constexpr int attribute_l2_cache_bytes = 38;
inline constexpr int attribute_capability_major = 75;
inline constexpr int attribute_capability_minor = 76;

inline constexpr unsigned event_default = 0;
inline constexpr unsigned host_alloc_mapped = 2;    ///< CU_MEMHOSTALLOC_DEVICEMAP
inline constexpr unsigned wait_until_at_least = 0;  ///< CU_STREAM_WAIT_VALUE_GEQ
inline constexpr unsigned stream_non_blocking = 1;

/// Values of CUresult that we tell apart.
inline constexpr int success = 0;
inline constexpr int error_out_of_memory = 2;
inline constexpr int error_stub_library = 34;
inline constexpr int error_device_unavailable = 46;
inline constexpr int error_no_device = 100;
inline constexpr int error_no_binary_for_gpu = 209;
inline constexpr int error_unsupported_ptx_version = 222;
inline constexpr int error_system_not_ready = 802;
inline constexpr int error_system_driver_mismatch = 803;
inline constexpr int error_compat_not_supported = 804;
inline constexpr int error_unknown = 999;
}  // namespace cuda

struct Cuda {
  int (*cuInit)(unsigned flags);
  int (*cuDriverGetVersion)(int* version);
  int (*cuGetErrorName)(int code, const char** name);
  int (*cuDeviceGetCount)(int* count);
  int (*cuDeviceGet)(cuda::Device* device, int ordinal);
  int (*cuDeviceGetName)(char* name, int length, cuda::Device device);
  int (*cuDeviceGetUuid)(cuda::Uuid* uuid, cuda::Device device);
  int (*cuDeviceGetUuid_v2)(cuda::Uuid* uuid, cuda::Device device);
  int (*cuDeviceGetPCIBusId)(char* address, int length, cuda::Device device);
  int (*cuDeviceGetAttribute)(int* value, int attribute, cuda::Device device);
  int (*cuDeviceTotalMem_v2)(std::size_t* bytes, cuda::Device device);
  int (*cuDevicePrimaryCtxRetain)(cuda::Context* context, cuda::Device device);
  int (*cuDevicePrimaryCtxRelease_v2)(cuda::Device device);
  int (*cuCtxSetCurrent)(cuda::Context context);
  int (*cuCtxSynchronize)();
  int (*cuMemGetInfo_v2)(std::size_t* free, std::size_t* total);
  int (*cuMemAlloc_v2)(cuda::DevicePointer* pointer, std::size_t bytes);
  int (*cuMemFree_v2)(cuda::DevicePointer pointer);
  int (*cuMemAllocHost_v2)(void** pointer, std::size_t bytes);
  int (*cuMemFreeHost)(void* pointer);
  int (*cuMemHostAlloc)(void** pointer, std::size_t bytes, unsigned flags);
  int (*cuMemHostGetDevicePointer_v2)(cuda::DevicePointer* device, void* host, unsigned flags);
  int (*cuMemcpyHtoD_v2)(cuda::DevicePointer to, const void* from, std::size_t bytes);
  int (*cuMemcpyDtoH_v2)(void* to, cuda::DevicePointer from, std::size_t bytes);
  int (*cuMemcpyHtoDAsync_v2)(cuda::DevicePointer to, const void* from, std::size_t bytes,
                              cuda::Stream stream);
  int (*cuMemcpyDtoHAsync_v2)(void* to, cuda::DevicePointer from, std::size_t bytes,
                              cuda::Stream stream);
  int (*cuMemcpyDtoDAsync_v2)(cuda::DevicePointer to, cuda::DevicePointer from, std::size_t bytes,
                              cuda::Stream stream);
  int (*cuMemsetD8Async)(cuda::DevicePointer pointer, unsigned char value, std::size_t count,
                         cuda::Stream stream);
  int (*cuStreamCreate)(cuda::Stream* stream, unsigned flags);
  int (*cuStreamDestroy_v2)(cuda::Stream stream);
  int (*cuStreamSynchronize)(cuda::Stream stream);
  int (*cuStreamWaitValue32_v2)(cuda::Stream stream, cuda::DevicePointer address, unsigned value,
                                unsigned flags);
  int (*cuEventCreate)(cuda::Event* event, unsigned flags);
  int (*cuEventDestroy_v2)(cuda::Event event);
  int (*cuEventRecord)(cuda::Event event, cuda::Stream stream);
  int (*cuEventSynchronize)(cuda::Event event);
  int (*cuEventElapsedTime)(float* milliseconds, cuda::Event start, cuda::Event end);
  int (*cuModuleLoadData)(cuda::Module* module, const void* image);
  int (*cuModuleGetFunction)(cuda::Function* function, cuda::Module module, const char* name);
  int (*cuModuleUnload)(cuda::Module module);
  int (*cuLaunchKernel)(cuda::Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        cuda::Stream stream, void** arguments, void** extra);

  template <class Self, class Visit>
  static void symbols(Self& s, Visit&& v) {
    v("cuInit", s.cuInit, Need::required);
    v("cuDriverGetVersion", s.cuDriverGetVersion, Need::required);
    v("cuGetErrorName", s.cuGetErrorName, Need::optional);
    v("cuDeviceGetCount", s.cuDeviceGetCount, Need::required);
    v("cuDeviceGet", s.cuDeviceGet, Need::required);
    v("cuDeviceGetName", s.cuDeviceGetName, Need::optional);
    v("cuDeviceGetUuid", s.cuDeviceGetUuid, Need::optional);
    v("cuDeviceGetUuid_v2", s.cuDeviceGetUuid_v2, Need::optional);
    v("cuDeviceGetPCIBusId", s.cuDeviceGetPCIBusId, Need::optional);
    v("cuDeviceGetAttribute", s.cuDeviceGetAttribute, Need::required);
    v("cuDeviceTotalMem_v2", s.cuDeviceTotalMem_v2, Need::optional);
    v("cuDevicePrimaryCtxRetain", s.cuDevicePrimaryCtxRetain, Need::required);
    v("cuDevicePrimaryCtxRelease_v2", s.cuDevicePrimaryCtxRelease_v2, Need::required);
    v("cuCtxSetCurrent", s.cuCtxSetCurrent, Need::required);
    v("cuCtxSynchronize", s.cuCtxSynchronize, Need::required);
    v("cuMemGetInfo_v2", s.cuMemGetInfo_v2, Need::optional);
    v("cuMemAlloc_v2", s.cuMemAlloc_v2, Need::required);
    v("cuMemFree_v2", s.cuMemFree_v2, Need::required);
    v("cuMemAllocHost_v2", s.cuMemAllocHost_v2, Need::optional);
    v("cuMemFreeHost", s.cuMemFreeHost, Need::optional);
    v("cuMemHostAlloc", s.cuMemHostAlloc, Need::optional);
    v("cuMemHostGetDevicePointer_v2", s.cuMemHostGetDevicePointer_v2, Need::optional);
    v("cuMemcpyHtoD_v2", s.cuMemcpyHtoD_v2, Need::required);
    v("cuMemcpyDtoH_v2", s.cuMemcpyDtoH_v2, Need::required);
    v("cuMemcpyHtoDAsync_v2", s.cuMemcpyHtoDAsync_v2, Need::optional);
    v("cuMemcpyDtoHAsync_v2", s.cuMemcpyDtoHAsync_v2, Need::optional);
    v("cuMemcpyDtoDAsync_v2", s.cuMemcpyDtoDAsync_v2, Need::optional);
    v("cuMemsetD8Async", s.cuMemsetD8Async, Need::optional);
    v("cuStreamCreate", s.cuStreamCreate, Need::optional);
    v("cuStreamDestroy_v2", s.cuStreamDestroy_v2, Need::optional);
    v("cuStreamSynchronize", s.cuStreamSynchronize, Need::optional);
    v("cuStreamWaitValue32_v2", s.cuStreamWaitValue32_v2, Need::optional);
    v("cuEventCreate", s.cuEventCreate, Need::optional);
    v("cuEventDestroy_v2", s.cuEventDestroy_v2, Need::optional);
    v("cuEventRecord", s.cuEventRecord, Need::optional);
    v("cuEventSynchronize", s.cuEventSynchronize, Need::optional);
    v("cuEventElapsedTime", s.cuEventElapsedTime, Need::optional);
    v("cuModuleLoadData", s.cuModuleLoadData, Need::required);
    v("cuModuleGetFunction", s.cuModuleGetFunction, Need::required);
    v("cuModuleUnload", s.cuModuleUnload, Need::optional);
    v("cuLaunchKernel", s.cuLaunchKernel, Need::required);
  }
};

/// Opens libcuda.so.1.
tl::expected<Loaded<Cuda>, Missing> load_cuda(host::Host& host);

/// "CUDA_ERROR_NO_DEVICE (100)": the driver's name of a code, ours where it has none, or the number
/// alone.
std::string cuda_error(const Cuda& cuda, int code);

}  // namespace gpuready::vendor
