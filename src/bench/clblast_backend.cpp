#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/format.hpp"
#include "base/text.hpp"
#include "bench/backends.hpp"
#include "bench/memory_plan.hpp"
#include "bench/timing.hpp"
#include "vendor/clblast.hpp"

namespace gpuready::bench {

namespace {

using vendor::ClBlast;
using vendor::OpenCl;
namespace cl = vendor::opencl;

/// Error codes of CL/cl.h and clblast_c.h that mean "too large".
constexpr std::array too_large{cl::out_of_memory, -5 /* CL_OUT_OF_RESOURCES */,
                               -6 /* CL_OUT_OF_HOST_MEMORY */, -61 /* CL_INVALID_BUFFER_SIZE */,
                               -2050 /* CLBlastInsufficientMemoryTemp */};
/// CL_DEVICE_HOST_UNIFIED_MEMORY of CL/cl.h.
constexpr unsigned device_host_unified_memory = 0x1035;
constexpr unsigned blocking = 1;
/// C is filled with NaN by pieces of this size.
constexpr std::size_t poison_floats = std::size_t{1} << 22U;

tl::unexpected<Error> cl_failure(const char* call, int code) {
  const bool memory = std::ranges::find(too_large, code) != too_large.end();
  return failure(base::format("{}: {}", call, vendor::clblast_error(code)),
                 memory ? out_of_memory_code : code);
}

std::string device_text(const OpenCl& api, cl::Device device, unsigned what) {
  std::size_t size = 0;
  if (api.clGetDeviceInfo(device, what, 0, nullptr, &size) != cl::success) return {};
  std::string text(size, '\0');
  if (api.clGetDeviceInfo(device, what, size, text.data(), nullptr) != cl::success) return {};
  return std::string(base::trim(text.c_str()));
}

template <class T>
Result<T> device_number_of(const OpenCl& api, cl::Device device, unsigned what, const char* name) {
  T value{};
  const int code = api.clGetDeviceInfo(device, what, sizeof(T), &value, nullptr);
  if (code != cl::success) return cl_failure(name, code);
  return value;
}

/// Every device of every platform, in the order in which the platforms stand.
Result<std::vector<cl::Device>> all_devices(const OpenCl& api) {
  unsigned platform_count = 0;
  const int code = api.clGetPlatformIDs(0, nullptr, &platform_count);
  if (code != cl::success && code != cl::platform_not_found)
    return cl_failure("clGetPlatformIDs", code);
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

/// A buffer of the device, released with its owner.
class Buffer {
 public:
  explicit Buffer(const OpenCl& api) : api_(api) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { release(); }

  Result<bool> create(cl::Context context, std::size_t bytes) {
    release();
    int code = cl::success;
    buffer_ = api_.clCreateBuffer(context, cl::mem_read_write, bytes, nullptr, &code);
    if (code != cl::success) return cl_failure("clCreateBuffer", code);
    return true;
  }
  void release() {
    if (buffer_ != nullptr) api_.clReleaseMemObject(buffer_);
    buffer_ = nullptr;
  }
  [[nodiscard]] cl::Buffer get() const { return buffer_; }

 private:
  const OpenCl& api_;
  cl::Buffer buffer_ = nullptr;
};

class ClBlastBackend : public Backend {
 public:
  ClBlastBackend(const OpenCl& opencl, const ClBlast& clblast, cl::Device device, Case known)
      : cl_(opencl), blast_(clblast), device_(device), known_(std::move(known)) {}

  ~ClBlastBackend() override {
    for (Buffer* buffer : {&a_, &b_, &c_}) buffer->release();
    if (queue_ != nullptr) cl_.clReleaseCommandQueue(queue_);
    if (context_ != nullptr) cl_.clReleaseContext(context_);
  }

  /// Makes the context and the queue.
  Result<bool> start() {
    const auto type = device_number_of<std::uint64_t>(cl_, device_, cl::device_type,
                                                      "clGetDeviceInfo(CL_DEVICE_TYPE)");
    if (!type) return tl::unexpected<Error>(type.error());
    on_cpu_ = (*type & cl::type_cpu) != 0;
    if (on_cpu_) known_.flags.emplace_back("opencl-on-cpu");
    unified_ =
        on_cpu_ ||
        device_number_of<unsigned>(cl_, device_, device_host_unified_memory, "").value_or(0U) != 0;
    int code = cl::success;
    context_ = cl_.clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
    if (code != cl::success) return cl_failure("clCreateContext", code);
    queue_ = cl_.clCreateCommandQueue(context_, device_, 0, &code);
    if (code != cl::success) return cl_failure("clCreateCommandQueue", code);
    return true;
  }

  [[nodiscard]] Case describe() const override { return known_; }
  [[nodiscard]] bool runs_on_cpu() const override { return on_cpu_; }

  /// Half of the memory: OpenCL does not tell what is free, and the library makes copies of its own
  /// where a side is no multiple of its tile.
  Result<double> budget_bytes() override {
    const auto bytes = device_number_of<std::uint64_t>(
        cl_, device_, cl::device_global_mem_size, "clGetDeviceInfo(CL_DEVICE_GLOBAL_MEM_SIZE)");
    return bytes.map([](std::uint64_t all) { return static_cast<double>(all) / 2; });
  }
  Result<double> largest_matrix_bytes() override {
    const auto bytes =
        device_number_of<std::uint64_t>(cl_, device_, cl::device_max_mem_alloc_size,
                                        "clGetDeviceInfo(CL_DEVICE_MAX_MEM_ALLOC_SIZE)");
    return bytes.map([](std::uint64_t largest) { return static_cast<double>(largest); });
  }
  [[nodiscard]] double host_bytes(const Shape& shape, std::int64_t /*sets*/) const override {
    const double fetched = on_cpu_ ? 0 : bytes_of_c(shape);
    return fetched + (unified_ ? 2 * bytes_of_all(shape) : 0);
  }

  Result<bool> prepare(const Operands& operands, std::int64_t /*sets*/) override {
    operands_ = &operands;
    c_floats_ =
        static_cast<std::size_t>(operands.shape.m) * static_cast<std::size_t>(operands.shape.n);
    for (Buffer* buffer : {&a_, &b_, &c_}) buffer->release();
    if (auto made = a_.create(context_, byte_count(operands.a)); !made) return made;
    if (auto made = b_.create(context_, byte_count(operands.b)); !made) return made;
    if (auto made = c_.create(context_, c_floats_ * sizeof(float)); !made) return made;
    // Many drivers allocate only when a buffer is first written.
    if (auto sent = send(); !sent) return sent;
    return poison();
  }

  /// By the wall clock: the event that CLBlast hands out covers only the last of its kernels.
  Result<Elapsed> run(std::int64_t repeats) override {
    const double start = steady_seconds();
    for (std::int64_t i = 0; i < repeats; ++i)
      if (const auto done = multiply(); !done) return tl::unexpected<Error>(done.error());
    if (const int code = cl_.clFinish(queue_); code != cl::success)
      return cl_failure("clFinish", code);
    return Elapsed{steady_seconds() - start, {}};
  }

  Result<double> run_with_transfers() override {
    if (on_cpu_) return failure("the device works in main memory: nothing travels");
    mark_pageable();
    fetched_ = Matrix(Element::fp32, operands_->a.rows, operands_->b.columns);
    const double start = steady_seconds();
    if (const auto sent = send(); !sent) return tl::unexpected<Error>(sent.error());
    if (const auto done = multiply(); !done) return tl::unexpected<Error>(done.error());
    if (const auto got = fetch(fetched_); !got) return tl::unexpected<Error>(got.error());
    return steady_seconds() - start;
  }

  Result<bool> poison() override {
    std::vector<float> nan(std::min(poison_floats, c_floats_));
    std::memset(nan.data(), 0xFF, nan.size() * sizeof(float));
    for (std::size_t done = 0; done < c_floats_; done += nan.size()) {
      const std::size_t now = std::min(nan.size(), c_floats_ - done);
      const int code =
          cl_.clEnqueueWriteBuffer(queue_, c_.get(), blocking, done * sizeof(float),
                                   now * sizeof(float), nan.data(), 0, nullptr, nullptr);
      if (code != cl::success) return cl_failure("clEnqueueWriteBuffer", code);
    }
    return true;
  }

  Result<Matrix> read_back() override {
    Matrix c(Element::fp32, operands_->a.rows, operands_->b.columns);
    return fetch(c).map([&](bool) { return std::move(c); });
  }

 private:
  static std::size_t byte_count(const Matrix& matrix) { return matrix.data.size(); }

  Result<bool> send() {
    const auto write = [&](const Buffer& to, const Matrix& from) {
      return cl_.clEnqueueWriteBuffer(queue_, to.get(), blocking, 0, byte_count(from),
                                      from.data.data(), 0, nullptr, nullptr);
    };
    int code = write(a_, operands_->a);
    if (code == cl::success) code = write(b_, operands_->b);
    if (code != cl::success) return cl_failure("clEnqueueWriteBuffer", code);
    return true;
  }

  Result<bool> fetch(Matrix& into) {
    const int code = cl_.clEnqueueReadBuffer(queue_, c_.get(), blocking, 0, byte_count(into),
                                             into.data.data(), 0, nullptr, nullptr);
    if (code != cl::success) return cl_failure("clEnqueueReadBuffer", code);
    return true;
  }

  Result<bool> multiply() {
    const auto m = static_cast<std::size_t>(operands_->shape.m);
    const auto n = static_cast<std::size_t>(operands_->shape.n);
    const auto k = static_cast<std::size_t>(operands_->shape.k);
    const int code =
        blast_.CLBlastSgemm(vendor::clblast::layout_row_major, vendor::clblast::transpose_no,
                            vendor::clblast::transpose_no, m, n, k, 1.0F, a_.get(), 0, k, b_.get(),
                            0, n, 0.0F, c_.get(), 0, n, &queue_, nullptr);
    if (code != vendor::clblast::success) return cl_failure("CLBlastSgemm", code);
    return true;
  }

  void mark_pageable() {
    if (std::ranges::find(known_.flags, "pageable") == known_.flags.end())
      known_.flags.emplace_back("pageable");
  }

  OpenCl cl_;
  ClBlast blast_;
  cl::Device device_ = nullptr;
  Case known_;
  bool on_cpu_ = false, unified_ = false;
  cl::Context context_ = nullptr;
  cl::Queue queue_ = nullptr;
  Buffer a_{cl_}, b_{cl_}, c_{cl_};
  const Operands* operands_ = nullptr;
  std::size_t c_floats_ = 0;
  Matrix fetched_;
};

/// CLBlast has no function that tells its version; the file's name does where it ends in one.
Fact<std::string> clblast_version(host::Host& host, const std::string& file) {
  const std::string path = host.real_path(file).value_or(file);
  const std::string mark = ".so.";
  const std::size_t at = path.rfind(mark);
  if (at == std::string::npos)
    return Fact<std::string>::absent(Absence::not_found, path + " does not carry a version");
  return {path.substr(at + mark.size()), path};
}

/// The functions that only a measurement needs.
bool can_compute(const OpenCl& api) {
  return api.clCreateContext != nullptr && api.clCreateCommandQueue != nullptr &&
         api.clCreateBuffer != nullptr && api.clEnqueueWriteBuffer != nullptr &&
         api.clEnqueueReadBuffer != nullptr && api.clFinish != nullptr &&
         api.clReleaseMemObject != nullptr && api.clReleaseCommandQueue != nullptr &&
         api.clReleaseContext != nullptr;
}

Case known_case(host::Host& host, const BackendRequest& request, const std::string& device_name,
                const std::string& file) {
  Case known;
  known.device = request.device;
  known.device_name = device_name;
  known.backend = "clblast";
  known.library = {"clblast",
                   clblast_version(host, file),
                   Fact<std::string>::absent(Absence::not_applicable,
                                             "CLBlast does not tell which kernels it chose"),
                   {file, "loader"}};
  return known;
}

}  // namespace

OpenedBackend open_clblast(host::Host& host, const BackendRequest& request) {
  if (request.dtype != "fp32") return unsupported_type(request);
  const auto number = device_number(request.device, "opencl");
  if (!number) return tl::unexpected<Error>(number.error());
  const auto opencl = vendor::load_opencl(host);
  if (!opencl) return failure(opencl.error().detail);
  if (!can_compute(opencl->api))
    return failure(opencl->file + " lacks functions of OpenCL 1.1 that computing needs");
  const auto clblast = request.library_file.empty()
                           ? vendor::load_clblast(host)
                           : vendor::load<ClBlast>(host, {request.library_file});
  if (!clblast) return failure(clblast.error().detail);
  const auto devices = all_devices(opencl->api);
  if (!devices) return tl::unexpected<Error>(devices.error());
  const auto index = static_cast<std::size_t>(*number);
  if (index >= devices->size())
    return failure(base::format("no {}: OpenCL has {} device(s)", request.device, devices->size()));
  const cl::Device device = (*devices)[index];
  const std::string name = device_text(opencl->api, device, cl::device_name);
  auto backend = std::make_unique<ClBlastBackend>(opencl->api, clblast->api, device,
                                                  known_case(host, request, name, clblast->file));
  if (const auto started = backend->start(); !started)
    return tl::unexpected<Error>(started.error());
  return backend;
}

}  // namespace gpuready::bench
