#include "catalog/gemm_rates.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace gpuready::catalog {
namespace {

TEST(GemmRates, EachModelAndTypeStandsOnceWithItsSource) {
  const auto table = load_gemm_rates();
  ASSERT_TRUE(table) << table.error().text;
  std::set<std::pair<std::string, std::string>> seen;
  for (const GemmRate& rate : *table) {
    EXPECT_TRUE(seen.emplace(rate.gpu, rate.dtype).second) << rate.gpu << " " << rate.dtype;
    EXPECT_GT(rate.tflops, 1);
    EXPECT_FALSE(rate.source.empty());
  }
  EXPECT_GE(seen.size(), 40U);
}

TEST(GemmRates, TheFloorIsAPartOfWhatWasPublished) {
  EXPECT_NEAR(*gemm_floor("Tesla T4", "fp32"), 0.85 * 4.17e12, 1);
  EXPECT_FALSE(gemm_floor("Tesla T4", "fp8"));
  EXPECT_FALSE(gemm_floor("Tesla T400", "fp32"));
}

}  // namespace
}  // namespace gpuready::catalog
