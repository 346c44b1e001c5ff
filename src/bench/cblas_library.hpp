#pragma once
/// BLAS libraries with the C interface, and what each has of its own: threads, version, kernels.

#include <functional>
#include <string>

#include "bench/backend.hpp"
#include "vendor/cblas.hpp"

namespace gpuready::bench {

struct BlasLibrary {
  vendor::Cblas api{};
  std::string file;
  Fact<std::string> version;
  /// Sets the threads, and tells how many it will take: a library may be built for fewer.
  std::function<std::int64_t(std::int64_t threads)> set_threads;
  /// The kernels that it chose. MKL shows them only after the first product.
  std::function<Fact<std::string>()> kernel_target;
};

/// `name` is openblas, blis or mkl; `file` may be empty: the library's usual names.
Result<BlasLibrary> open_blas(host::Host& host, const std::string& name, const std::string& file);

/// "0.3.21" from "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...".
Fact<std::string> openblas_version(const std::string& config);
/// "2026.2" from "Intel(R) oneAPI Math Kernel Library Version 2026.2-Product Build 20260901 ...".
Fact<std::string> mkl_version(const std::string& text);
/// "avx512" from the path of libmkl_avx512.so.3 among the mapped files (/proc/self/maps).
Fact<std::string> mkl_kernels(const std::string& maps);

}  // namespace gpuready::bench
