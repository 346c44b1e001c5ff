#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "base/format.hpp"
#include "base/text.hpp"
#include "bench/backends.hpp"
#include "bench/cache_flush.hpp"
#include "bench/memory_plan.hpp"
#include "bench/opencl_device.hpp"
#include "bench/timing.hpp"
#include "gpuready/units.hpp"
#include "vendor/clblast.hpp"

namespace gpuready::bench {

namespace {

using vendor::ClBlast;
using vendor::OpenCl;
namespace cl = vendor::opencl;

constexpr unsigned blocking = 1;
/// C is filled with NaN by pieces of this size.
constexpr std::size_t poison_bytes = std::size_t{1} << 24U;
/// The bits of 1 in fp16.
constexpr std::uint16_t half_one = 0x3C00;

tl::unexpected<Error> cl_failure(const char* call, int code) {
  return opencl_failure(call, code, vendor::clblast_error(code));
}

class ClBlastBackend : public Backend {
 public:
  ClBlastBackend(const OpenCl& opencl, const ClBlast& clblast, cl::Device device, Case known,
                 const DtypeRow& row)
      : cl_(opencl),
        blast_(clblast),
        device_(device),
        known_(std::move(known)),
        row_(row),
        storage_{row.input, row.output} {}

  ~ClBlastBackend() override {
    sets_.clear();
    flush_.release();
    if (queue_ != nullptr) cl_.clReleaseCommandQueue(queue_);
    if (context_ != nullptr) cl_.clReleaseContext(context_);
  }

  /// Makes the context and the queue.
  Result<bool> start() {
    const auto type = opencl_number<std::uint64_t>(cl_, device_, cl::device_type,
                                                   "clGetDeviceInfo(CL_DEVICE_TYPE)");
    if (!type) return tl::unexpected<Error>(type.error());
    on_cpu_ = (*type & cl::type_cpu) != 0;
    if (on_cpu_) known_.flags.emplace_back("opencl-on-cpu");
    unified_ =
        on_cpu_ ||
        opencl_number<unsigned>(cl_, device_, cl::device_host_unified_memory, "").value_or(0U) != 0;
    cache_bytes_ = static_cast<double>(
        opencl_number<std::uint64_t>(cl_, device_, cl::device_global_mem_cache_size, "")
            .value_or(0U));
    // A GPU's driver tells of the cache of one processor (16 KB on AMD), not of the large one.
    constexpr double largest_of_gpus = 128 * mib;  // AMD Navi 21's; NVIDIA's reach 126 MB (B200)
    if ((*type & cl::type_gpu) != 0) cache_bytes_ = std::max(cache_bytes_, largest_of_gpus);
    int code = cl::success;
    context_ = cl_.clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
    if (code != cl::success) return cl_failure("clCreateContext", code);
    queue_ = cl_.clCreateCommandQueue(context_, device_, cl::queue_profiling_enable, &code);
    if (code != cl::success)  // a device without a clock for us
      queue_ = cl_.clCreateCommandQueue(context_, device_, 0, &code);
    if (code != cl::success) return cl_failure("clCreateCommandQueue", code);
    return true;
  }

  [[nodiscard]] Case describe() const override { return known_; }
  [[nodiscard]] bool runs_on_cpu() const override { return on_cpu_; }
  [[nodiscard]] double cache_bytes() const override { return cache_bytes_; }

  /// Half of the memory: OpenCL does not tell what is free, and the library makes copies of its own
  /// where a side is no multiple of its tile.
  Result<double> budget_bytes() override {
    const auto bytes = opencl_number<std::uint64_t>(cl_, device_, cl::device_global_mem_size,
                                                    "clGetDeviceInfo(CL_DEVICE_GLOBAL_MEM_SIZE)");
    return bytes.map([](std::uint64_t all) { return static_cast<double>(all) / 2; });
  }
  Result<double> largest_matrix_bytes() override {
    const auto bytes =
        opencl_number<std::uint64_t>(cl_, device_, cl::device_max_mem_alloc_size,
                                     "clGetDeviceInfo(CL_DEVICE_MAX_MEM_ALLOC_SIZE)");
    return bytes.map([](std::uint64_t largest) { return static_cast<double>(largest); });
  }
  [[nodiscard]] double host_bytes(const Shape& shape, std::int64_t sets) const override {
    const double fetched = on_cpu_ ? 0 : bytes_of_c(shape, storage_);
    const double ours = static_cast<double>(sets) * bytes_of_all(shape, storage_);
    return fetched + (unified_ ? ours + bytes_of_all(shape, storage_) : 0);
  }

  Result<bool> prepare(const Operands& operands, std::int64_t sets) override {
    operands_ = &operands;
    c_bytes_ = operands.a.rows * operands.b.columns * size_of(storage_.output);
    sets_.clear();
    next_ = 0;
    for (std::int64_t i = 0; i < sets; ++i) {
      Set& set = *sets_.emplace_back(std::make_unique<Set>(cl_));
      if (auto made = set.a.create(context_, byte_count(operands.a)); !made) return made;
      if (auto made = set.b.create(context_, byte_count(operands.b)); !made) return made;
      if (auto made = set.c.create(context_, c_bytes_); !made) return made;
      // Many drivers allocate only when a buffer is first written.
      if (auto sent = send(set); !sent) return sent;
      if (auto filled = fill_with_nan(set); !filled) return filled;
    }
    return true;
  }

  Result<Elapsed> run(std::int64_t repeats) override {
    const double start = steady_seconds();
    timer_.start(queue_);
    for (std::int64_t i = 0; i < repeats; ++i) {
      if (const auto done = multiply(*sets_[next_]); !done)
        return tl::unexpected<Error>(done.error());
      next_ = (next_ + 1) % sets_.size();
    }
    timer_.stop(queue_);
    if (const int code = cl_.clFinish(queue_); code != cl::success)
      return cl_failure("clFinish", code);
    const double wall_s = steady_seconds() - start;
    return Elapsed{wall_s, timer_.seconds()};
  }

  Result<bool> flush_cache() override {
    if (on_cpu_) return sweep_.run(cache_bytes_);
    if (!(cache_bytes_ > 0)) return no_cache_size();
    const std::vector<char> zeros(static_cast<std::size_t>(2 * cache_bytes_));
    if (flush_.get() == nullptr)
      if (auto made = flush_.create(context_, zeros.size()); !made) return made;
    const int code = cl_.clEnqueueWriteBuffer(queue_, flush_.get(), blocking, 0, zeros.size(),
                                              zeros.data(), 0, nullptr, nullptr);
    if (code != cl::success) return cl_failure("clEnqueueWriteBuffer", code);
    return true;
  }

  Result<double> run_with_transfers() override {
    if (on_cpu_) return failure("the device works in main memory: nothing travels");
    mark_pageable();
    fetched_ = Matrix(storage_.output, operands_->a.rows, operands_->b.columns);
    const Set& set = *sets_.front();
    const double start = steady_seconds();
    if (const auto sent = send(set); !sent) return tl::unexpected<Error>(sent.error());
    if (const auto done = multiply(set); !done) return tl::unexpected<Error>(done.error());
    if (const auto got = fetch(fetched_); !got) return tl::unexpected<Error>(got.error());
    return steady_seconds() - start;
  }

  Result<bool> poison() override {
    next_ = 0;
    return fill_with_nan(*sets_.front());
  }

  Result<Matrix> read_back() override {
    Matrix c(storage_.output, operands_->a.rows, operands_->b.columns);
    return fetch(c).map([&](bool) { return std::move(c); });
  }

 private:
  struct Set {
    explicit Set(const OpenCl& api) : a(api), b(api), c(api) {}
    OpenClBuffer a, b, c;
  };

  static std::size_t byte_count(const Matrix& matrix) { return matrix.data.size(); }

  Result<bool> fill_with_nan(const Set& set) {
    const std::vector<unsigned char> ones(std::min(poison_bytes, c_bytes_), 0xFF);
    for (std::size_t done = 0; done < c_bytes_; done += ones.size()) {
      const std::size_t now = std::min(ones.size(), c_bytes_ - done);
      const int code = cl_.clEnqueueWriteBuffer(queue_, set.c.get(), blocking, done, now,
                                                ones.data(), 0, nullptr, nullptr);
      if (code != cl::success) return cl_failure("clEnqueueWriteBuffer", code);
    }
    return true;
  }

  Result<bool> send(const Set& set) {
    const auto write = [&](const OpenClBuffer& to, const Matrix& from) {
      return cl_.clEnqueueWriteBuffer(queue_, to.get(), blocking, 0, byte_count(from),
                                      from.data.data(), 0, nullptr, nullptr);
    };
    int code = write(set.a, operands_->a);
    if (code == cl::success) code = write(set.b, operands_->b);
    if (code != cl::success) return cl_failure("clEnqueueWriteBuffer", code);
    return true;
  }

  Result<bool> fetch(Matrix& into) {
    const int code =
        cl_.clEnqueueReadBuffer(queue_, sets_.front()->c.get(), blocking, 0, byte_count(into),
                                into.data.data(), 0, nullptr, nullptr);
    if (code != cl::success) return cl_failure("clEnqueueReadBuffer", code);
    return true;
  }

  template <class Gemm, class Scalar>
  int call(Gemm gemm, const Set& set, Scalar one) {
    const auto m = static_cast<std::size_t>(operands_->shape.m);
    const auto n = static_cast<std::size_t>(operands_->shape.n);
    const auto k = static_cast<std::size_t>(operands_->shape.k);
    return gemm(vendor::clblast::layout_row_major, vendor::clblast::transpose_no,
                vendor::clblast::transpose_no, m, n, k, one, set.a.get(), 0, k, set.b.get(), 0, n,
                Scalar{0}, set.c.get(), 0, n, &queue_, nullptr);
  }

  Result<bool> multiply(const Set& set) {
    const bool is_double = row_.input == Element::fp64, is_half = row_.input == Element::fp16;
    const int code = is_double ? call(blast_.CLBlastDgemm, set, 1.0)
                     : is_half ? call(blast_.CLBlastHgemm, set, half_one)
                               : call(blast_.CLBlastSgemm, set, 1.0F);
    if (code == vendor::clblast::success) return true;
    return cl_failure(is_double ? "CLBlastDgemm" : is_half ? "CLBlastHgemm" : "CLBlastSgemm", code);
  }

  void mark_pageable() {
    if (std::ranges::find(known_.flags, "pageable") == known_.flags.end())
      known_.flags.emplace_back("pageable");
  }

  OpenCl cl_;
  ClBlast blast_;
  cl::Device device_ = nullptr;
  Case known_;
  const DtypeRow& row_;
  Storage storage_;
  bool on_cpu_ = false, unified_ = false;
  double cache_bytes_ = 0;
  cl::Context context_ = nullptr;
  cl::Queue queue_ = nullptr;
  OpenClTimer timer_{cl_};
  OpenClBuffer flush_{cl_};
  CacheSweep sweep_;
  std::vector<std::unique_ptr<Set>> sets_;
  std::size_t next_ = 0, c_bytes_ = 0;
  const Operands* operands_ = nullptr;
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

/// CLBlast adds fp16 products in fp16.
bool can_multiply(const ClBlast& blast, std::string_view dtype) {
  if (dtype == "fp64") return blast.CLBlastDgemm != nullptr;
  if (dtype == "fp16-acc16") return blast.CLBlastHgemm != nullptr;
  return dtype == "fp32";
}

}  // namespace

OpenedBackend open_clblast(host::Host& host, const BackendRequest& request) {
  const DtypeRow* const row = find_dtype(request.dtype);
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
  if (row == nullptr || !can_multiply(clblast->api, request.dtype))
    return unsupported_type(request);
  const auto devices = all_opencl_devices(opencl->api);
  if (!devices) return tl::unexpected<Error>(devices.error());
  const auto index = static_cast<std::size_t>(*number);
  if (index >= devices->size())
    return failure(base::format("no {}: OpenCL has {} device(s)", request.device, devices->size()));
  const cl::Device device = (*devices)[index];
  const std::string name = opencl_text(opencl->api, device, cl::device_name);
  auto backend = std::make_unique<ClBlastBackend>(
      opencl->api, clblast->api, device, known_case(host, request, name, clblast->file), *row);
  if (const auto started = backend->start(); !started)
    return tl::unexpected<Error>(started.error());
  return backend;
}

}  // namespace gpuready::bench
