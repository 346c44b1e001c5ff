#pragma once
/// The functions of OpenBLAS that we call, as in cblas.h with 32-bit integers. PyPI's wheel
/// (scipy-openblas32) names them with the prefix scipy_.

#include "vendor/load.hpp"

namespace gpuready::vendor {

namespace cblas {
inline constexpr int row_major = 101;
inline constexpr int no_transpose = 111;
}  // namespace cblas

struct OpenBlas {
  void (*cblas_sgemm)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                      const float* a, int lda, const float* b, int ldb, float beta, float* c,
                      int ldc);
  void (*openblas_set_num_threads)(int threads);
  int (*openblas_get_num_threads)();
  char* (*openblas_get_config)();
  char* (*openblas_get_corename)();

  template <class Self, class Visit>
  static void symbols(Self& s, Visit&& v) {
    v("cblas_sgemm", s.cblas_sgemm, Need::required);
    v("openblas_set_num_threads", s.openblas_set_num_threads, Need::required);
    v("openblas_get_num_threads", s.openblas_get_num_threads, Need::optional);
    v("openblas_get_config", s.openblas_get_config, Need::optional);
    v("openblas_get_corename", s.openblas_get_corename, Need::optional);
  }
};

/// Opens one OpenBLAS file, with the wheel's symbol prefix or without.
tl::expected<Loaded<OpenBlas>, Missing> load_openblas(host::Host& host, const std::string& file);

}  // namespace gpuready::vendor
