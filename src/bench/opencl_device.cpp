#include "bench/opencl_device.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/format.hpp"
#include "base/text.hpp"

namespace gpuready::bench {

namespace {

namespace cl = vendor::opencl;

/// Error codes of CL/cl.h and clblast_c.h that mean "too large".
constexpr std::array too_large{cl::out_of_memory, -5 /* CL_OUT_OF_RESOURCES */,
                               -6 /* CL_OUT_OF_HOST_MEMORY */, -61 /* CL_INVALID_BUFFER_SIZE */,
                               -2050 /* CLBlastInsufficientMemoryTemp */};

}  // namespace

tl::unexpected<Error> opencl_failure(const char* call, int code, const std::string& name) {
  const bool memory = std::ranges::find(too_large, code) != too_large.end();
  return failure(base::format("{}: {}", call, name), memory ? out_of_memory_code : code);
}

Result<std::vector<cl::Device>> all_opencl_devices(const vendor::OpenCl& api) {
  unsigned platform_count = 0;
  const int code = api.clGetPlatformIDs(0, nullptr, &platform_count);
  if (code != cl::success && code != cl::platform_not_found)
    return opencl_failure("clGetPlatformIDs", code, vendor::opencl_error(code));
  std::vector<cl::Platform> platforms(platform_count);
  if (platform_count > 0) api.clGetPlatformIDs(platform_count, platforms.data(), nullptr);
  std::vector<cl::Device> devices;
  for (const cl::Platform platform : platforms) {
    unsigned count = 0;
    if (api.clGetDeviceIDs(platform, cl::type_all, 0, nullptr, &count) != cl::success) continue;
    std::vector<cl::Device> here(count);
    if (api.clGetDeviceIDs(platform, cl::type_all, count, here.data(), nullptr) != cl::success)
      continue;
    devices.insert(devices.end(), here.begin(), here.end());
  }
  return devices;
}

std::string opencl_text(const vendor::OpenCl& api, cl::Device device, unsigned what) {
  std::size_t size = 0;
  if (api.clGetDeviceInfo(device, what, 0, nullptr, &size) != cl::success) return {};
  std::string text(size, '\0');
  if (api.clGetDeviceInfo(device, what, size, text.data(), nullptr) != cl::success) return {};
  return std::string(base::trim(text.c_str()));
}

bool can_compute(const vendor::OpenCl& api) {
  return api.clCreateContext != nullptr && api.clCreateCommandQueue != nullptr &&
         api.clCreateBuffer != nullptr && api.clEnqueueWriteBuffer != nullptr &&
         api.clEnqueueReadBuffer != nullptr && api.clFinish != nullptr &&
         api.clReleaseMemObject != nullptr && api.clReleaseCommandQueue != nullptr &&
         api.clReleaseContext != nullptr;
}

Result<bool> OpenClBuffer::create(cl::Context context, std::size_t bytes) {
  release();
  int code = cl::success;
  buffer_ = api_.clCreateBuffer(context, cl::mem_read_write, bytes, nullptr, &code);
  if (code != cl::success)
    return opencl_failure("clCreateBuffer", code, vendor::opencl_error(code));
  return true;
}

void OpenClBuffer::release() {
  if (buffer_ != nullptr) api_.clReleaseMemObject(buffer_);
  buffer_ = nullptr;
}

void OpenClTimer::mark(cl::Queue queue, cl::Event& event) {
  if (api_.clEnqueueMarkerWithWaitList == nullptr || api_.clGetEventProfilingInfo == nullptr ||
      api_.clReleaseEvent == nullptr)
    return;
  if (event != nullptr) api_.clReleaseEvent(std::exchange(event, nullptr));
  if (api_.clEnqueueMarkerWithWaitList(queue, 0, nullptr, &event) != cl::success) event = nullptr;
}

std::optional<std::uint64_t> OpenClTimer::time_of(cl::Event event, unsigned what) const {
  std::uint64_t nanoseconds = 0;
  const int code =
      api_.clGetEventProfilingInfo(event, what, sizeof nanoseconds, &nanoseconds, nullptr);
  if (code != cl::success || nanoseconds == 0) return {};
  return nanoseconds;
}

std::optional<double> OpenClTimer::seconds() {
  std::optional<double> found;
  if (before_ != nullptr && after_ != nullptr) {
    const auto from = time_of(before_, cl::profiling_command_end);
    const auto to = time_of(after_, cl::profiling_command_end);
    if (from && to && *to > *from) found = static_cast<double>(*to - *from) * 1e-9;
  }
  drop();
  return found;
}

void OpenClTimer::drop() {
  for (cl::Event* event : {&before_, &after_})
    if (*event != nullptr) api_.clReleaseEvent(std::exchange(*event, nullptr));
}

}  // namespace gpuready::bench
