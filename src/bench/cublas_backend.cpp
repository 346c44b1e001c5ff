#include <algorithm>
#include <cstring>
#include <limits>

#include "base/format.hpp"
#include "base/text.hpp"
#include "bench/backends.hpp"
#include "bench/cuda_device.hpp"
#include "bench/cuda_memory.hpp"
#include "bench/memory_plan.hpp"
#include "bench/timing.hpp"
#include "vendor/cublas.hpp"

namespace gpuready::bench {

namespace {

using vendor::Cublas;
namespace cublas = vendor::cublas;

/// Page-locked memory is taken from everybody, hence these limits.
constexpr double most_pinned_bytes = 2 * gib;
constexpr double most_pinned_part = 0.25;
/// C is filled with NaN by pieces of this size where the driver has no memset.
constexpr std::size_t poison_bytes = std::size_t{1} << 24U;

std::size_t byte_count(const Floats& values) { return values.size() * sizeof(float); }

class CublasBackend : public Backend {
 public:
  CublasBackend(std::unique_ptr<CudaDevice> device, const Cublas& library, Case known,
                std::int64_t host_budget_bytes)
      : device_(std::move(device)),
        cuda_(device_->api()),
        blas_(library),
        known_(std::move(known)),
        host_budget_bytes_(host_budget_bytes) {}

  ~CublasBackend() override {
    if (handle_ != nullptr) blas_.cublasDestroy_v2(handle_);
  }

  /// Makes the library's handle. Default mathematics keep fp32 in fp32, as PyTorch does: TF32 would
  /// have to be asked for.
  Result<bool> start() {
    cublas::Handle handle = nullptr;
    if (auto r = blas_result("cublasCreate_v2", blas_.cublasCreate_v2(&handle)); !r) return r;
    handle_ = handle;
    if (blas_.cublasSetMathMode != nullptr)
      if (auto r = blas_result("cublasSetMathMode",
                               blas_.cublasSetMathMode(handle_, cublas::math_default));
          !r)
        return r;
    known_.library.version = version();
    return true;
  }

  [[nodiscard]] Case describe() const override { return known_; }
  [[nodiscard]] bool runs_on_cpu() const override { return false; }
  Result<double> budget_bytes() override { return device_->budget_bytes(); }
  Result<double> largest_matrix_bytes() override { return std::numeric_limits<double>::infinity(); }
  /// The fetched C of the timed transfers, and the device's matrices where it shares our memory.
  /// Page-locked copies have their own limit.
  [[nodiscard]] double host_bytes(const Shape& shape) const override {
    return bytes_of_c(shape) + (device_->integrated() ? bytes_of_all(shape) : 0);
  }

  Result<bool> prepare(const Operands& operands) override {
    operands_ = &operands;
    c_floats_ =
        static_cast<std::size_t>(operands.shape.m) * static_cast<std::size_t>(operands.shape.n);
    for (DeviceMemory* memory : {&a_, &b_, &c_}) memory->release();
    if (auto r = a_.allocate(byte_count(operands.a)); !r) return r;
    if (auto r = b_.allocate(byte_count(operands.b)); !r) return r;
    if (auto r = c_.allocate(c_floats_ * sizeof(float)); !r) return r;
    if (auto r = send(operands.a.data(), operands.b.data()); !r) return r;
    return poison();
  }

  Result<Elapsed> run(std::int64_t repeats) override {
    return run_while(repeats, [] {});
  }

  Result<Elapsed> run_while(std::int64_t repeats, const std::function<void()>& meanwhile) override {
    Elapsed elapsed;
    const double start = steady_seconds();
    if (const auto r = queue(repeats); !r) return tl::unexpected<Error>(r.error());
    meanwhile();
    if (const auto r = wait(); !r) return tl::unexpected<Error>(r.error());
    elapsed.wall_s = steady_seconds() - start;
    if (!timer_.usable()) return elapsed;
    const auto seconds = timer_.seconds();
    if (!seconds) return tl::unexpected<Error>(seconds.error());
    elapsed.device_s = *seconds;
    return elapsed;
  }

  Result<double> run_with_transfers() override {
    choose_travel_buffers();
    const double start = steady_seconds();
    if (const auto r = send(travel_a_, travel_b_); !r) return tl::unexpected<Error>(r.error());
    if (const auto r = multiply(); !r) return tl::unexpected<Error>(r.error());
    if (const auto r = fetch(travel_c_); !r) return tl::unexpected<Error>(r.error());
    return steady_seconds() - start;
  }

  Result<bool> poison() override {
    const std::size_t bytes = c_floats_ * sizeof(float);
    if (cuda_.cuMemsetD8Async != nullptr) {
      const int code = cuda_.cuMemsetD8Async(c_.address(), 0xFF, bytes, nullptr);
      if (auto r = cuda_result(cuda_, "cuMemsetD8Async", code); !r) return r;
      return wait();
    }
    const std::vector<unsigned char> ones(std::min(bytes, poison_bytes), 0xFF);
    for (std::size_t done = 0; done < bytes; done += ones.size()) {
      const std::size_t now = std::min(ones.size(), bytes - done);
      const int code = cuda_.cuMemcpyHtoD_v2(c_.address() + done, ones.data(), now);
      if (auto r = cuda_result(cuda_, "cuMemcpyHtoD_v2", code); !r) return r;
    }
    return true;
  }

  Result<Floats> read_back() override {
    Floats c(c_floats_);
    return fetch(c.data()).map([&](bool) { return std::move(c); });
  }

 private:
  [[nodiscard]] Result<bool> blas_result(std::string_view call, int status) const {
    if (status == cublas::success) return true;
    return failure(base::format("{}: {}", call, vendor::cublas_error(blas_, status)),
                   status == cublas::alloc_failed ? out_of_memory_code : status);
  }

  [[nodiscard]] Fact<std::string> version() const {
    int number = 0;
    if (blas_.cublasGetVersion_v2 == nullptr)
      return Fact<std::string>::absent(Absence::symbol_missing, "cublasGetVersion_v2");
    const int status = blas_.cublasGetVersion_v2(handle_, &number);
    if (status != cublas::success)
      return Fact<std::string>::absent(Absence::call_failed, "cublasGetVersion_v2", status);
    // CUBLAS_VERSION in cublas_api.h: 10000 * major + 100 * minor + patch.
    return {base::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100),
            "cublasGetVersion_v2"};
  }

  /// Everything goes to the default stream, which keeps copies and kernels in order.
  Result<bool> queue(std::int64_t repeats) {
    if (timer_.usable())
      if (auto r = timer_.start(); !r) return r;
    for (std::int64_t i = 0; i < repeats; ++i)
      if (auto r = multiply(); !r) return r;
    return timer_.usable() ? timer_.stop() : true;
  }

  Result<bool> wait() { return cuda_result(cuda_, "cuCtxSynchronize", cuda_.cuCtxSynchronize()); }

  /// The library counts by columns: our rows are its columns, so it is given C' = B' * A'.
  Result<bool> multiply() {
    const auto m = static_cast<int>(operands_->shape.m);
    const auto n = static_cast<int>(operands_->shape.n);
    const auto k = static_cast<int>(operands_->shape.k);
    const float one = 1;
    const float zero = 0;
    return blas_result(
        "cublasSgemm_v2",
        blas_.cublasSgemm_v2(handle_, cublas::operation_none, cublas::operation_none, n, m, k, &one,
                             b_.floats(), n, a_.floats(), k, &zero, c_.floats(), n));
  }

  Result<bool> send(const float* a, const float* b) {
    const auto copy = [&](const DeviceMemory& to, const float* from, std::size_t bytes) {
      return cuda_result(cuda_, "cuMemcpyHtoD_v2",
                         cuda_.cuMemcpyHtoD_v2(to.address(), from, bytes));
    };
    if (auto r = copy(a_, a, byte_count(operands_->a)); !r) return r;
    return copy(b_, b, byte_count(operands_->b));
  }

  Result<bool> fetch(float* into) {
    return cuda_result(cuda_, "cuMemcpyDtoH_v2",
                       cuda_.cuMemcpyDtoH_v2(into, c_.address(), c_floats_ * sizeof(float)));
  }

  /// Page-locked copies of A and B and room for C, once; ordinary memory where there are none.
  void choose_travel_buffers() {
    if (travel_c_ != nullptr) return;
    if (pin()) {
      std::memcpy(pinned_a_.data(), operands_->a.data(), byte_count(operands_->a));
      std::memcpy(pinned_b_.data(), operands_->b.data(), byte_count(operands_->b));
      travel_a_ = static_cast<const float*>(pinned_a_.data());
      travel_b_ = static_cast<const float*>(pinned_b_.data());
      travel_c_ = static_cast<float*>(pinned_c_.data());
      return;
    }
    for (PinnedMemory* memory : {&pinned_a_, &pinned_b_, &pinned_c_}) memory->release();
    known_.flags.emplace_back("pageable");
    fetched_.resize(c_floats_);
    travel_a_ = operands_->a.data();
    travel_b_ = operands_->b.data();
    travel_c_ = fetched_.data();
  }

  bool pin() {
    const double part = host_budget_bytes_ > 0
                            ? most_pinned_part * static_cast<double>(host_budget_bytes_)
                            : most_pinned_bytes;
    if (bytes_of_all(operands_->shape) > std::min(part, most_pinned_bytes)) return false;
    return pinned_a_.allocate(byte_count(operands_->a)) &&
           pinned_b_.allocate(byte_count(operands_->b)) &&
           pinned_c_.allocate(c_floats_ * sizeof(float));
  }

  std::unique_ptr<CudaDevice> device_;
  const vendor::Cuda& cuda_;
  Cublas blas_;
  Case known_;
  std::int64_t host_budget_bytes_;
  cublas::Handle handle_ = nullptr;
  CudaTimer timer_{cuda_};
  DeviceMemory a_{cuda_}, b_{cuda_}, c_{cuda_};
  PinnedMemory pinned_a_{cuda_}, pinned_b_{cuda_}, pinned_c_{cuda_};
  const Operands* operands_ = nullptr;
  std::size_t c_floats_ = 0;
  Floats fetched_;
  const float* travel_a_ = nullptr;
  const float* travel_b_ = nullptr;
  float* travel_c_ = nullptr;
};

/// The library that cuBLAS needs, from the same folder: the loader would look elsewhere. Where this
/// fails, opening cuBLAS itself tells why.
void preload_companion(host::Host& host, const std::string& file) {
  const std::size_t slash = file.rfind('/');
  const std::string name = "libcublas.so";
  if (slash == std::string::npos || !base::starts_with(file.substr(slash + 1), name)) return;
  const std::string rest = file.substr(slash + 1 + name.size());
  (void)host.open_library(file.substr(0, slash + 1) + "libcublasLt.so" + rest);
}

/// Newest first, none newer than the driver.
std::vector<std::string> library_candidates(host::Host& host, const std::string& file,
                                            int driver_major) {
  if (!file.empty()) return {file};
  std::vector<std::string> sonames;
  for (const int major : {13, 12, 11})
    if (major <= driver_major) sonames.push_back("libcublas.so." + std::to_string(major));
  return vendor::candidates(host, sonames, {});
}

Result<vendor::Loaded<Cublas>> load_library(host::Host& host,
                                            const std::vector<std::string>& candidates) {
  std::string failures;
  for (const std::string& file : candidates) {
    preload_companion(host, file);
    auto library = vendor::load<Cublas>(host, {file});
    if (library) return *library;
    failures += (failures.empty() ? "" : "; ") + library.error().detail;
  }
  return failure(failures.empty() ? "the driver is older than every cuBLAS that is looked for"
                                  : failures);
}

/// What the environment changes behind our back.
std::vector<std::string> environment_flags(host::Host& host) {
  std::vector<std::string> flags;
  if (host.env("NVIDIA_TF32_OVERRIDE").value_or("0") != "0") flags.emplace_back("tf32-override");
  if (host.env("CUDA_LAUNCH_BLOCKING").value_or("0") != "0") flags.emplace_back("launch-blocking");
  return flags;
}

}  // namespace

OpenedBackend open_cublas(host::Host& host, const BackendRequest& request) {
  auto device = CudaDevice::open(host, request.device);
  if (!device) return tl::unexpected<Error>(device.error());
  const auto library =
      load_library(host, library_candidates(host, request.library_file, (*device)->driver_major()));
  if (!library) return tl::unexpected<Error>(library.error());
  Case known;
  known.device = request.device;
  known.device_name = (*device)->name();
  known.backend = "cublas";
  known.library = {"cublas",
                   {},
                   Fact<std::string>::absent(Absence::not_applicable,
                                             "cuBLAS does not tell which kernels it chose"),
                   {library->file, "loader"}};
  known.flags = environment_flags(host);
  auto backend = std::make_unique<CublasBackend>(std::move(*device), library->api, std::move(known),
                                                 request.host_budget_bytes);
  if (const auto started = backend->start(); !started)
    return tl::unexpected<Error>(started.error());
  return backend;
}

}  // namespace gpuready::bench
