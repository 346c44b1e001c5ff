#include "base/format.hpp"
#include "bench/backends.hpp"
#include "bench/cublas_files.hpp"
#include "bench/cuda_backend.hpp"
#include "vendor/cublas.hpp"

namespace gpuready::bench {

namespace {

using vendor::Cublas;
namespace cublas = vendor::cublas;

class CublasBackend : public CudaBackend {
 public:
  CublasBackend(std::unique_ptr<CudaDevice> device, const Cublas& library, const DtypeRow& row,
                Case known, std::int64_t host_budget_bytes)
      : CudaBackend(std::move(device), row, std::move(known), host_budget_bytes), blas_(library) {}

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
    known().library.version = version();
    return true;
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
    return {cublas_version_text(number), "cublasGetVersion_v2"};
  }

  /// The library counts by columns: our rows are its columns, so it is given C' = B' * A'.
  Result<bool> multiply(const Buffers& set) override {
    const auto m = static_cast<int>(shape().m);
    const auto n = static_cast<int>(shape().n);
    const auto k = static_cast<int>(shape().k);
    const float one = 1;
    const float zero = 0;
    return blas_result(
        "cublasSgemm_v2",
        blas_.cublasSgemm_v2(handle_, cublas::operation_none, cublas::operation_none, n, m, k, &one,
                             device_address<float>(set.b), n, device_address<float>(set.a), k,
                             &zero, device_address<float>(set.c), n));
  }

  Cublas blas_;
  cublas::Handle handle_ = nullptr;
};

}  // namespace

OpenedBackend open_cublas(host::Host& host, const BackendRequest& request) {
  if (request.dtype != "fp32") return unsupported_type(request);
  auto device = CudaDevice::open(host, request.device);
  if (!device) return tl::unexpected<Error>(device.error());
  const auto library =
      load_cublas<Cublas>(host, "libcublas.so", request.library_file, (*device)->driver_major());
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
  known.flags = cuda_environment_flags(host);
  auto backend =
      std::make_unique<CublasBackend>(std::move(*device), library->api, *find_dtype(request.dtype),
                                      std::move(known), request.host_budget_bytes);
  if (const auto started = backend->start(); !started)
    return tl::unexpected<Error>(started.error());
  return backend;
}

}  // namespace gpuready::bench
