#include <utility>

#include "base/format.hpp"
#include "bench/cblas_library.hpp"
#include "bench/cpu_backend.hpp"

namespace gpuready::bench {

namespace {

class CblasBackend : public CpuBackend {
 public:
  CblasBackend(Case known_case, const DtypeRow& dtype, double cache, BlasLibrary library)
      : CpuBackend(std::move(known_case), dtype, cache), library_(std::move(library)) {
    Case& c = known();
    c.threads = library_.set_threads(c.threads);
    c.library.version = library_.version;
    c.library.file = {library_.file, "loader"};
  }

  [[nodiscard]] Case describe() const override {
    Case c = CpuBackend::describe();
    c.library.kernel_target = library_.kernel_target();
    return c;
  }

 private:
  Result<bool> plan(const Shape& /*wanted*/) override { return true; }

  Result<bool> multiply(const Set& set) override {
    namespace cblas = vendor::cblas;
    const auto m = static_cast<int>(shape().m);
    const auto n = static_cast<int>(shape().n);
    const auto k = static_cast<int>(shape().k);
    if (row().input == Element::fp64) {
      library_.api.cblas_dgemm(cblas::row_major, cblas::no_transpose, cblas::no_transpose, m, n, k,
                               1.0, set.a->as<double>(), k, set.b->as<double>(), n, 0.0,
                               set.c->as<double>(), n);
    } else {
      library_.api.cblas_sgemm(cblas::row_major, cblas::no_transpose, cblas::no_transpose, m, n, k,
                               1.0F, set.a->as<float>(), k, set.b->as<float>(), n, 0.0F,
                               set.c->as<float>(), n);
    }
    return true;
  }

  BlasLibrary library_;
};

}  // namespace

OpenedBackend open_cblas(host::Host& host, const BackendRequest& request) {
  const auto known = start_cpu_case(host, request);
  if (!known) return tl::unexpected<Error>(known.error());
  const DtypeRow* const row = find_dtype(request.dtype);
  if (row == nullptr || (request.dtype != "fp32" && request.dtype != "fp64"))
    return unsupported_type(request);
  auto library = open_blas(host, request.backend, request.library_file);
  if (!library) return tl::unexpected<Error>(library.error());
  if (request.dtype == "fp64" && library->api.cblas_dgemm == nullptr)
    return failure(base::format("{} lacks the function cblas_dgemm", library->file),
                   unsupported_code);
  return std::make_unique<CblasBackend>(*known, *row, last_level_cache_bytes(host),
                                        std::move(*library));
}

}  // namespace gpuready::bench
