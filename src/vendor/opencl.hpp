#pragma once
/// The functions of OpenCL (libOpenCL.so.1) that we call, as in CL/cl.h.

#include <cstddef>
#include <cstdint>

#include "vendor/load.hpp"

namespace gpuready::vendor {

namespace opencl {
using Platform = struct PlatformTag*;
using Device = struct DeviceTag*;
using Context = struct ContextTag*;
using Queue = struct QueueTag*;
using Buffer = struct BufferTag*;
using Event = struct EventTag*;

inline constexpr int success = 0;
inline constexpr int device_not_found = -1;
inline constexpr int out_of_memory = -4;          ///< CL_MEM_OBJECT_ALLOCATION_FAILURE
inline constexpr int platform_not_found = -1001;  ///< CL_PLATFORM_NOT_FOUND_KHR

inline constexpr std::uint64_t type_cpu = 1U << 1U;
inline constexpr std::uint64_t type_gpu = 1U << 2U;
inline constexpr std::uint64_t type_accelerator = 1U << 3U;
inline constexpr std::uint64_t type_all = 0xFFFFFFFFU;

inline constexpr unsigned platform_name = 0x0902;
inline constexpr unsigned device_type = 0x1000;
inline constexpr unsigned device_max_compute_units = 0x1002;
inline constexpr unsigned device_max_mem_alloc_size = 0x1010;
inline constexpr unsigned device_global_mem_cache_size = 0x101E;
inline constexpr unsigned device_global_mem_size = 0x101F;
inline constexpr unsigned device_name = 0x102B;
inline constexpr unsigned device_version = 0x102F;
inline constexpr unsigned device_host_unified_memory = 0x1035;
inline constexpr std::uint64_t queue_profiling_enable = 1U << 1U;
inline constexpr unsigned profiling_command_start = 0x1282;
inline constexpr unsigned profiling_command_end = 0x1283;
inline constexpr unsigned driver_version = 0x102D;
inline constexpr std::uint64_t mem_read_write = 1U << 0U;
inline constexpr std::uint64_t mem_alloc_host_ptr = 1U << 4U;
}  // namespace opencl

struct OpenCl {
  using Callback = void (*)(const char*, const void*, std::size_t, void*);

  int (*clGetPlatformIDs)(unsigned entries, opencl::Platform* platforms, unsigned* count);
  int (*clGetPlatformInfo)(opencl::Platform platform, unsigned what, std::size_t size, void* value,
                           std::size_t* needed);
  int (*clGetDeviceIDs)(opencl::Platform platform, std::uint64_t type, unsigned entries,
                        opencl::Device* devices, unsigned* count);
  int (*clGetDeviceInfo)(opencl::Device device, unsigned what, std::size_t size, void* value,
                         std::size_t* needed);
  opencl::Context (*clCreateContext)(const std::intptr_t* properties, unsigned count,
                                     const opencl::Device* devices, Callback notify, void* user,
                                     int* error);
  opencl::Queue (*clCreateCommandQueue)(opencl::Context context, opencl::Device device,
                                        std::uint64_t properties, int* error);
  opencl::Buffer (*clCreateBuffer)(opencl::Context context, std::uint64_t flags, std::size_t bytes,
                                   void* host, int* error);
  int (*clEnqueueWriteBuffer)(opencl::Queue queue, opencl::Buffer buffer, unsigned blocking,
                              std::size_t offset, std::size_t bytes, const void* from,
                              unsigned wait_count, const opencl::Event* wait, opencl::Event* event);
  int (*clEnqueueReadBuffer)(opencl::Queue queue, opencl::Buffer buffer, unsigned blocking,
                             std::size_t offset, std::size_t bytes, void* to, unsigned wait_count,
                             const opencl::Event* wait, opencl::Event* event);
  int (*clFinish)(opencl::Queue queue);
  int (*clReleaseMemObject)(opencl::Buffer buffer);
  int (*clReleaseCommandQueue)(opencl::Queue queue);
  int (*clReleaseContext)(opencl::Context context);
  int (*clReleaseEvent)(opencl::Event event);
  int (*clEnqueueMarkerWithWaitList)(opencl::Queue queue, unsigned wait_count,
                                     const opencl::Event* wait, opencl::Event* event);
  int (*clGetEventProfilingInfo)(opencl::Event event, unsigned what, std::size_t size, void* value,
                                 std::size_t* needed);

  template <class Self, class Visit>
  static void symbols(Self& s, Visit&& v) {
    v("clGetPlatformIDs", s.clGetPlatformIDs, Need::required);
    v("clGetPlatformInfo", s.clGetPlatformInfo, Need::required);
    v("clGetDeviceIDs", s.clGetDeviceIDs, Need::required);
    v("clGetDeviceInfo", s.clGetDeviceInfo, Need::required);
    v("clCreateContext", s.clCreateContext, Need::optional);
    v("clCreateCommandQueue", s.clCreateCommandQueue, Need::optional);
    v("clCreateBuffer", s.clCreateBuffer, Need::optional);
    v("clEnqueueWriteBuffer", s.clEnqueueWriteBuffer, Need::optional);
    v("clEnqueueReadBuffer", s.clEnqueueReadBuffer, Need::optional);
    v("clFinish", s.clFinish, Need::optional);
    v("clReleaseMemObject", s.clReleaseMemObject, Need::optional);
    v("clReleaseCommandQueue", s.clReleaseCommandQueue, Need::optional);
    v("clReleaseContext", s.clReleaseContext, Need::optional);
    v("clReleaseEvent", s.clReleaseEvent, Need::optional);
    v("clEnqueueMarkerWithWaitList", s.clEnqueueMarkerWithWaitList, Need::optional);
    v("clGetEventProfilingInfo", s.clGetEventProfilingInfo, Need::optional);
  }
};

/// Opens libOpenCL.so.1 (the ICD loader).
tl::expected<Loaded<OpenCl>, Missing> load_opencl(host::Host& host);

/// "CL_OUT_OF_RESOURCES (-5)": our own name of a code (OpenCL has no call for it), or the number
/// alone.
std::string opencl_error(int code);

}  // namespace gpuready::vendor
