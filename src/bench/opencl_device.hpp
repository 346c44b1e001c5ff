#pragma once
/// What a backend over OpenCL needs besides its library: devices, buffers, and the device's clock.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/backend.hpp"
#include "vendor/opencl.hpp"

namespace gpuready::bench {

/// The error of a call; `name` of its code. Codes that mean "too large" become out_of_memory_code.
tl::unexpected<Error> opencl_failure(const char* call, int code, const std::string& name);

/// Every device of every platform, in the order in which the platforms stand.
Result<std::vector<vendor::opencl::Device>> all_opencl_devices(const vendor::OpenCl& api);

/// Text that the device tells of itself; empty where it doesn't.
std::string opencl_text(const vendor::OpenCl& api, vendor::opencl::Device device, unsigned what);

/// Whether the functions that only a measurement needs are there.
bool can_compute(const vendor::OpenCl& api);

/// A number that the device tells of itself, of the size that CL/cl.h gives it.
template <class T>
Result<T> opencl_number(const vendor::OpenCl& api, vendor::opencl::Device device, unsigned what,
                        const char* name) {
  T value{};
  const int code = api.clGetDeviceInfo(device, what, sizeof(T), &value, nullptr);
  if (code != vendor::opencl::success)
    return opencl_failure(name, code, vendor::opencl_error(code));
  return value;
}

/// A buffer of the device, released with its owner.
class OpenClBuffer {
 public:
  explicit OpenClBuffer(const vendor::OpenCl& api) : api_(api) {}
  OpenClBuffer(const OpenClBuffer&) = delete;
  OpenClBuffer& operator=(const OpenClBuffer&) = delete;
  ~OpenClBuffer() { release(); }

  Result<bool> create(vendor::opencl::Context context, std::size_t bytes);
  void release();
  [[nodiscard]] vendor::opencl::Buffer get() const { return buffer_; }

 private:
  const vendor::OpenCl& api_;
  vendor::opencl::Buffer buffer_ = nullptr;
};

/// The device's own clock between two markers of an in-order queue: the event that CLBlast hands
/// out covers only the last of its kernels.
class OpenClTimer {
 public:
  explicit OpenClTimer(const vendor::OpenCl& api) : api_(api) {}
  OpenClTimer(const OpenClTimer&) = delete;
  OpenClTimer& operator=(const OpenClTimer&) = delete;
  ~OpenClTimer() { drop(); }

  /// Before the work is queued, and after it.
  void start(vendor::opencl::Queue queue) { mark(queue, before_); }
  void stop(vendor::opencl::Queue queue) { mark(queue, after_); }
  /// Once the queue is idle: seconds between the markers; nothing where the device doesn't tell, or
  /// tells what can't be.
  std::optional<double> seconds();

 private:
  void mark(vendor::opencl::Queue queue, vendor::opencl::Event& event);
  [[nodiscard]] std::optional<std::uint64_t> time_of(vendor::opencl::Event event,
                                                     unsigned what) const;
  void drop();

  const vendor::OpenCl& api_;
  vendor::opencl::Event before_ = nullptr, after_ = nullptr;
};

}  // namespace gpuready::bench
