/// A libOpenCL.so.1 with two platforms: one has the devices of the script, the other has none. It
/// only tells; what computes is not there, as in a loader that is too old.

#include <cstring>
#include <string>
#include <vector>

#include "opencl_calls.hpp"
#include "script.hpp"

namespace opencl = gpuready::vendor::opencl;
namespace fakes = gpuready::fakes;

namespace gpuready::vendor::opencl {
struct PlatformTag {
  std::string name;
};
struct DeviceTag {
  fakes::Device device;
};
}  // namespace gpuready::vendor::opencl

namespace {

constexpr int invalid_value = -30, invalid_platform = -32, invalid_device = -33;

opencl::PlatformTag platforms[] = {{"Fake OpenCL"}, {"Empty"}};

std::vector<opencl::DeviceTag>& devices() {
  static std::vector<opencl::DeviceTag> devices = [] {
    std::vector<opencl::DeviceTag> made;
    for (const fakes::Device& device : fakes::script().devices) made.push_back({device});
    return made;
  }();
  return devices;
}

int copy(const void* from, std::size_t bytes, std::size_t room, void* to, std::size_t* needed) {
  if (needed != nullptr) *needed = bytes;
  if (to == nullptr) return opencl::success;
  if (room < bytes) return invalid_value;
  std::memcpy(to, from, bytes);
  return opencl::success;
}

int copy_text(const std::string& text, std::size_t room, void* to, std::size_t* needed) {
  return copy(text.c_str(), text.size() + 1, room, to, needed);
}

template <class Number>
int copy_number(std::int64_t number, std::size_t room, void* to, std::size_t* needed) {
  const auto value = static_cast<Number>(number);
  return copy(&value, sizeof value, room, to, needed);
}

}  // namespace

extern "C" {

int clGetPlatformIDs(unsigned entries, opencl::Platform* list, unsigned* count) {
  if (const int code = fakes::enter("clGetPlatformIDs"); code != 0) return code;
  if (list == nullptr && count == nullptr) return invalid_value;
  if (count != nullptr) *count = 2;
  for (unsigned i = 0; list != nullptr && i < entries && i < 2; ++i) list[i] = &platforms[i];
  return opencl::success;
}

int clGetPlatformInfo(opencl::Platform platform, unsigned what, std::size_t room, void* to,
                      std::size_t* needed) {
  if (const int code = fakes::enter("clGetPlatformInfo"); code != 0) return code;
  if (platform != &platforms[0] && platform != &platforms[1]) return invalid_platform;
  if (what != opencl::platform_name) return invalid_value;
  return copy_text(platform->name, room, to, needed);
}

int clGetDeviceIDs(opencl::Platform platform, std::uint64_t type, unsigned entries,
                   opencl::Device* list, unsigned* count) {
  if (const int code = fakes::enter("clGetDeviceIDs"); code != 0) return code;
  if (platform != &platforms[0] && platform != &platforms[1]) return invalid_platform;
  const bool has_any = platform == &platforms[0] && (type & opencl::type_gpu) != 0;
  if (!has_any || devices().empty()) return opencl::device_not_found;
  if (count != nullptr) *count = static_cast<unsigned>(devices().size());
  for (unsigned i = 0; list != nullptr && i < entries && i < devices().size(); ++i)
    list[i] = &devices()[i];
  return opencl::success;
}

int clGetDeviceInfo(opencl::Device device, unsigned what, std::size_t room, void* to,
                    std::size_t* needed) {
  if (const int code = fakes::enter("clGetDeviceInfo"); code != 0) return code;
  if (device == nullptr) return invalid_device;
  const fakes::Device& d = device->device;
  switch (what) {
    case opencl::device_name:
      return copy_text(d.name, room, to, needed);
    case opencl::device_version:
      return copy_text("OpenCL 3.0 CUDA ", room, to, needed);
    case opencl::device_type:
      return copy_number<std::uint64_t>(opencl::type_gpu, room, to, needed);
    case opencl::device_global_mem_size:
      return copy_number<std::uint64_t>(d.memory_total, room, to, needed);
    case opencl::device_max_mem_alloc_size:
      return copy_number<std::uint64_t>(d.memory_total / 4, room, to, needed);
    case opencl::device_max_compute_units:
      return copy_number<unsigned>(d.sm_count, room, to, needed);
    default:
      return invalid_value;
  }
}

}  // extern "C"
