/// Compares vendor::Blis with blis.h, where it is there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "vendor/cblas.hpp"

#ifdef GPUREADY_HAVE_BLIS_HEADER
#pragma GCC diagnostic ignored "-Wold-style-cast"
#include <blis.h>

#include "tests/vendor/declarations.hpp"
#endif

namespace gpuready::vendor {
namespace {

#ifdef GPUREADY_HAVE_BLIS_HEADER

TEST(BlisHeader, DeclaresEveryFunctionAsWeDo) {
  const std::vector<declarations::Compared> compared{
      GPUREADY_COMPARE(Blis, bli_thread_set_num_threads),
      GPUREADY_COMPARE(Blis, bli_thread_get_num_threads),
      GPUREADY_COMPARE(Blis, bli_info_get_version_str), GPUREADY_COMPARE(Blis, bli_arch_query_id),
      GPUREADY_COMPARE(Blis, bli_arch_string)};
  EXPECT_THAT(declarations::faults<Blis>(compared), ::testing::IsEmpty());
}

#else

TEST(BlisHeader, DeclaresEveryFunctionAsWeDo) {
  GTEST_SKIP() << "SKIPPED: no blis.h (Debian: libblis-pthread-dev)";
}

#endif

}  // namespace
}  // namespace gpuready::vendor
