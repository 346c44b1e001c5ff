/// A libopenblas whose products are right unless the script says otherwise, with kernels for a CPU
/// of 2004 unless OPENBLAS_CORETYPE names others.

#include <cstddef>
#include <cstdlib>
#include <limits>

#include "script.hpp"

namespace fakes = gpuready::fakes;

namespace {

int threads = 1;

/// Row-major, without transposition; the only way in which we call it.
template <class T>
void multiply(const char* call, int m, int n, int k, const T* a, int lda, const T* b, int ldb, T* c,
              int ldc) {
  if (fakes::enter(call) != 0) return;
  for (std::ptrdiff_t i = 0; i < m; ++i) {
    T* const row = c + i * ldc;
    for (std::ptrdiff_t j = 0; j < n; ++j) row[j] = 0;
    for (std::ptrdiff_t p = 0; p < k; ++p)
      for (std::ptrdiff_t j = 0; j < n; ++j) row[j] += a[i * lda + p] * b[p * ldb + j];
  }
  if (fakes::script().wrong_element) c[0] += 100;
  if (fakes::script().nan) c[0] = std::numeric_limits<T>::quiet_NaN();
}

}  // namespace

extern "C" {

void cblas_sgemm(int /*order*/, int /*transpose_a*/, int /*transpose_b*/, int m, int n, int k,
                 float /*alpha*/, const float* a, int lda, const float* b, int ldb, float /*beta*/,
                 float* c, int ldc) {
  multiply("cblas_sgemm", m, n, k, a, lda, b, ldb, c, ldc);
}

void cblas_dgemm(int /*order*/, int /*transpose_a*/, int /*transpose_b*/, int m, int n, int k,
                 double /*alpha*/, const double* a, int lda, const double* b, int ldb,
                 double /*beta*/, double* c, int ldc) {
  multiply("cblas_dgemm", m, n, k, a, lda, b, ldb, c, ldc);
}

void openblas_set_num_threads(int wanted) { threads = wanted; }
int openblas_get_num_threads() { return threads; }
char* openblas_get_config() {
  static char config[] = "OpenBLAS 0.0.1 FAKE";
  return config;
}
char* openblas_get_corename() {
  static char usual[] = "Prescott";
  char* const named = std::getenv("OPENBLAS_CORETYPE");
  return named != nullptr ? named : usual;
}
}
