#pragma once
/// The functions of BLAS libraries that we call: the C interface that they share, with 32-bit
/// integers, and what each of OpenBLAS, BLIS and MKL has of its own. PyPI's wheel of OpenBLAS
/// (scipy-openblas32) names all of its functions with the prefix scipy_.

#include <cstdint>

#include "vendor/load.hpp"

namespace gpuready::vendor {

namespace cblas {
inline constexpr int row_major = 101;
inline constexpr int no_transpose = 111;
}  // namespace cblas

/// cblas.h.
struct Cblas {
  void (*cblas_sgemm)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                      const float* a, int lda, const float* b, int ldb, float beta, float* c,
                      int ldc);
  void (*cblas_dgemm)(int order, int transpose_a, int transpose_b, int m, int n, int k,
                      double alpha, const double* a, int lda, const double* b, int ldb, double beta,
                      double* c, int ldc);

  template <class Self, class Visit>
  static void symbols(Self& s, Visit&& v) {
    v("cblas_sgemm", s.cblas_sgemm, Need::required);
    v("cblas_dgemm", s.cblas_dgemm, Need::optional);
  }
};

struct OpenBlas {
  void (*openblas_set_num_threads)(int threads);
  int (*openblas_get_num_threads)();
  char* (*openblas_get_config)();
  char* (*openblas_get_corename)();

  template <class Self, class Visit>
  static void symbols(Self& s, Visit&& v) {
    v("openblas_set_num_threads", s.openblas_set_num_threads, Need::required);
    v("openblas_get_num_threads", s.openblas_get_num_threads, Need::optional);
    v("openblas_get_config", s.openblas_get_config, Need::optional);
    v("openblas_get_corename", s.openblas_get_corename, Need::optional);
  }
};

/// blis.h; its dim_t has 64 bits on every 64-bit machine.
struct Blis {
  void (*bli_thread_set_num_threads)(std::int64_t threads);
  std::int64_t (*bli_thread_get_num_threads)();
  const char* (*bli_info_get_version_str)();
  int (*bli_arch_query_id)();
  char* (*bli_arch_string)(int id);

  template <class Self, class Visit>
  static void symbols(Self& s, Visit&& v) {
    v("bli_thread_set_num_threads", s.bli_thread_set_num_threads, Need::required);
    v("bli_thread_get_num_threads", s.bli_thread_get_num_threads, Need::optional);
    v("bli_info_get_version_str", s.bli_info_get_version_str, Need::optional);
    v("bli_arch_query_id", s.bli_arch_query_id, Need::optional);
    v("bli_arch_string", s.bli_arch_string, Need::optional);
  }
};

namespace mkl {
/// mkl_service.h: the OpenMP library that MKL's threads come from.
inline constexpr int threading_intel = 0, threading_sequential = 1, threading_gnu = 3;
}  // namespace mkl

/// mkl_service.h. The names in small letters are Fortran's, and take pointers.
struct Mkl {
  void (*MKL_Set_Num_Threads)(int threads);
  int (*MKL_Get_Max_Threads)();
  void (*MKL_Get_Version_String)(char* text, int length);
  int (*MKL_Set_Threading_Layer)(int layer);

  template <class Self, class Visit>
  static void symbols(Self& s, Visit&& v) {
    v("MKL_Set_Num_Threads", s.MKL_Set_Num_Threads, Need::required);
    v("MKL_Get_Max_Threads", s.MKL_Get_Max_Threads, Need::optional);
    v("MKL_Get_Version_String", s.MKL_Get_Version_String, Need::optional);
    v("MKL_Set_Threading_Layer", s.MKL_Set_Threading_Layer, Need::optional);
  }
};

/// Binds a table with the wheel's prefix or without.
template <class Table>
tl::expected<Loaded<Table>, Missing> bind_blas(host::Host& host,
                                               const host::LibraryHandle& library) {
  auto plain = bind<Table>(host, library);
  if (plain) return plain;
  auto prefixed = bind<Table>(host, library, "scipy_");
  return prefixed ? prefixed : plain;
}

}  // namespace gpuready::vendor
