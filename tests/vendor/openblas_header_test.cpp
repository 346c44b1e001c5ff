/// Compares vendor::Cblas and vendor::OpenBlas with the cblas.h of PyPI's OpenBLAS, where it is
/// there. It writes its prefix before every name.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "vendor/cblas.hpp"

#ifdef GPUREADY_HAVE_OPENBLAS_HEADER
#include <cblas.h>

#include "tests/vendor/declarations.hpp"
#endif

namespace gpuready::vendor {
namespace {

#ifdef GPUREADY_HAVE_OPENBLAS_HEADER

static_assert(cblas::row_major == CblasRowMajor);
static_assert(cblas::no_transpose == CblasNoTrans);

template <class Ours, class Real>
declarations::Compared compare(const std::string& name) {
  return {name, declarations::Functions<Ours, Real>::value};
}

TEST(OpenBlasHeader, DeclaresEveryFunctionAsWeDo) {
  using T = OpenBlas;
  const std::vector<declarations::Compared> shared{
      compare<decltype(Cblas::cblas_sgemm), decltype(::scipy_cblas_sgemm)>("cblas_sgemm"),
      compare<decltype(Cblas::cblas_dgemm), decltype(::scipy_cblas_dgemm)>("cblas_dgemm")};
  EXPECT_THAT(declarations::faults<Cblas>(shared), ::testing::IsEmpty());
  const std::vector<declarations::Compared> compared{
      compare<decltype(T::openblas_set_num_threads), decltype(::scipy_openblas_set_num_threads)>(
          "openblas_set_num_threads"),
      compare<decltype(T::openblas_get_num_threads), decltype(::scipy_openblas_get_num_threads)>(
          "openblas_get_num_threads"),
      compare<decltype(T::openblas_get_config), decltype(::scipy_openblas_get_config)>(
          "openblas_get_config"),
      compare<decltype(T::openblas_get_corename), decltype(::scipy_openblas_get_corename)>(
          "openblas_get_corename")};
  EXPECT_THAT(declarations::faults<OpenBlas>(compared), ::testing::IsEmpty());
}

#else

TEST(OpenBlasHeader, DeclaresEveryFunctionAsWeDo) {
  GTEST_SKIP()
      << "SKIPPED: no cblas.h of scipy-openblas32 (set GPUREADY_PYTHON to a Python with it)";
}

#endif

}  // namespace
}  // namespace gpuready::vendor
