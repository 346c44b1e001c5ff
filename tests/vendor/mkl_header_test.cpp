/// Compares vendor::Mkl with mkl_service.h, where it is there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "vendor/cblas.hpp"

#ifdef GPUREADY_HAVE_MKL_HEADER
#include <mkl_service.h>

#include "tests/vendor/declarations.hpp"
#endif

namespace gpuready::vendor {
namespace {

#ifdef GPUREADY_HAVE_MKL_HEADER

static_assert(mkl::threading_intel == MKL_THREADING_INTEL);
static_assert(mkl::threading_sequential == MKL_THREADING_SEQUENTIAL);
static_assert(mkl::threading_gnu == MKL_THREADING_GNU);

TEST(MklHeader, DeclaresEveryFunctionAsWeDo) {
  const std::vector<declarations::Compared> compared{
      GPUREADY_COMPARE(Mkl, MKL_Set_Num_Threads), GPUREADY_COMPARE(Mkl, MKL_Get_Max_Threads),
      GPUREADY_COMPARE(Mkl, MKL_Get_Version_String),
      GPUREADY_COMPARE(Mkl, MKL_Set_Threading_Layer)};
  EXPECT_THAT(declarations::faults<Mkl>(compared), ::testing::IsEmpty());
}

#else

TEST(MklHeader, DeclaresEveryFunctionAsWeDo) {
  GTEST_SKIP() << "SKIPPED: no mkl_service.h (PyPI: mkl-include)";
}

#endif

}  // namespace
}  // namespace gpuready::vendor
