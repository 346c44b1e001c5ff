#pragma once
/// The functions of cuBLAS (libcublas.so.*) that we call. Column-major, as BLAS.

#include "vendor/cuda.hpp"
#include "vendor/load.hpp"

namespace gpuready::vendor {

namespace cublas {
using Handle = struct HandleTag*;

inline constexpr int success = 0;
inline constexpr int not_initialized = 1;
inline constexpr int alloc_failed = 3;
inline constexpr int operation_none = 0;  ///< CUBLAS_OP_N
/// cublasMath_t: no TF32 and no other reduced precision behind the caller's back.
inline constexpr int math_pedantic = 2;
inline constexpr int math_default = 0;
}  // namespace cublas

struct Cublas {
  int (*cublasCreate_v2)(cublas::Handle* handle);
  int (*cublasDestroy_v2)(cublas::Handle handle);
  int (*cublasSetStream_v2)(cublas::Handle handle, cuda::Stream stream);
  int (*cublasGetVersion_v2)(cublas::Handle handle, int* version);
  const char* (*cublasGetStatusString)(int status);
  int (*cublasSetMathMode)(cublas::Handle handle, int mode);
  int (*cublasSgemm_v2)(cublas::Handle handle, int transpose_a, int transpose_b, int m, int n,
                        int k, const float* alpha, const float* a, int lda, const float* b, int ldb,
                        const float* beta, float* c, int ldc);

  template <class Self, class Visit>
  static void symbols(Self& s, Visit&& v) {
    v("cublasCreate_v2", s.cublasCreate_v2, Need::required);
    v("cublasDestroy_v2", s.cublasDestroy_v2, Need::required);
    v("cublasSetStream_v2", s.cublasSetStream_v2, Need::required);
    v("cublasGetVersion_v2", s.cublasGetVersion_v2, Need::optional);
    v("cublasGetStatusString", s.cublasGetStatusString, Need::optional);
    v("cublasSetMathMode", s.cublasSetMathMode, Need::optional);
    v("cublasSgemm_v2", s.cublasSgemm_v2, Need::required);
  }
};

/// "CUBLAS_STATUS_ALLOC_FAILED (3)": our name of a code, the library's words for a newer one, or
/// the number alone.
std::string cublas_error(const Cublas& cublas, int status);

}  // namespace gpuready::vendor
