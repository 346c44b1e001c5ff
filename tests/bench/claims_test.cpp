#include "bench/claims.hpp"

#include <gtest/gtest.h>

#include "bench/compare.hpp"
#include "bench/dtypes.hpp"
#include "bench/sizes.hpp"

namespace gpuready::bench {
namespace {

Case timed(const std::string& device, const std::string& type, double median_s,
           std::int64_t side = 4096) {
  Case c;
  c.device = device, c.shape = square(side), c.dtype = find_dtype(type)->dtype();
  c.median_s = median_s, c.ci95_s = {median_s * 0.99, median_s * 1.01};
  c.flops = c.shape.flop() / median_s;
  if (device != "cpu") c.with_transfers_s = Fact<double>(median_s * 2, "clock");
  return c;
}

ClaimFacts facts_of(std::vector<Case> cases) {
  ClaimFacts facts;
  facts.speedup = compare_cpu_gpu(cases);
  facts.cases = std::move(cases);
  facts.fp16 = {2.9e-4, 2, 204800, 256, 256, true};
  facts.bf16 = {2.3e-3, 2, 204800, 0, 256, false};
  return facts;
}

TEST(Claims, TensorCoresAreTrueBetweenFourAndEightFold) {
  const auto verdict = [](double fp16_s) {
    return judge_tensor_cores(
        facts_of({timed("cuda:0", "fp32", 1.0), timed("cuda:0", "fp16", fp16_s)}));
  };
  EXPECT_EQ(verdict(1 / 5.6).verdict, ClaimVerdict::true_here);    // L40S
  EXPECT_EQ(verdict(1 / 3.1).verdict, ClaimVerdict::false_here);   // RTX 3090
  EXPECT_EQ(verdict(1 / 14.6).verdict, ClaimVerdict::false_here);  // H100
  EXPECT_EQ(verdict(1 / 0.15).verdict, ClaimVerdict::false_here);  // GTX 1650
  const Claim claim = verdict(1 / 5.6);
  EXPECT_NEAR(*claim.measured, 5.6, 1e-9);
  EXPECT_LT(claim.ci95->low, 5.6);
  EXPECT_GT(claim.ci95->high, 5.6);
}

TEST(Claims, Tf32StandsBesideFp16WhereItWasMeasured) {
  const Claim claim = judge_tensor_cores(facts_of(
      {timed("cuda:0", "fp32", 1.0), timed("cuda:0", "tf32", 0.5), timed("cuda:0", "fp16", 0.2)}));
  EXPECT_EQ(claim.why.key, "bench.claim.why.tensor");
  EXPECT_EQ(claim.why.args, (std::vector<std::string>{"5.00x", "4096 x 4096 x 4096", "2.00x"}));
}

TEST(Claims, DifferentSizesAreNotSetAgainstEachOther) {
  const Claim claim = judge_tensor_cores(
      facts_of({timed("cuda:0", "fp32", 1.0, 4096), timed("cuda:0", "fp16", 0.01, 1024)}));
  EXPECT_EQ(claim.verdict, ClaimVerdict::not_tested);
}

TEST(Claims, WithoutAGpuOnlyTheMemoryIsTested) {
  const auto claims = judge_claims(facts_of({timed("cpu", "fp32", 1.0)}));
  ASSERT_EQ(claims.size(), 4U);
  for (const Claim& claim : claims) {
    const bool tested = claim.id == "half-memory";
    EXPECT_EQ(claim.verdict == ClaimVerdict::not_tested, !tested) << claim.id;
    EXPECT_EQ(claim.measured.known(), tested) << claim.id;
    EXPECT_FALSE(claim.why.key.empty());
  }
}

TEST(Claims, EightHoursNeedAFactorOf48AndItsPart) {
  EXPECT_FALSE(part_needed(48, 48));
  EXPECT_FALSE(part_needed(48, 16));
  EXPECT_NEAR(*part_needed(48, 138), (1 - 1 / 48.0) / (1 - 1 / 138.0), 1e-12);
  // Amdahl's law with that part gives 48 again.
  const double p = *part_needed(48, 138);
  EXPECT_NEAR(1 / ((1 - p) + p / 138), 48, 1e-9);
  const auto verdict = [](double gpu_s) {
    return judge_eight_hours(facts_of({timed("cpu", "fp32", 1.0), timed("cuda:0", "fp32", gpu_s)}))
        .verdict;
  };
  EXPECT_EQ(verdict(1 / 138.0), ClaimVerdict::true_here);
  EXPECT_EQ(verdict(1 / 16.0), ClaimVerdict::false_here);
}

TEST(Claims, FasterCountsTheDatasWay) {
  const Claim claim =
      judge_faster(facts_of({timed("cpu", "fp32", 1.0), timed("cuda:0", "fp32", 0.6)}));
  EXPECT_EQ(claim.verdict, ClaimVerdict::false_here);  // 1.2 s with transfers
  EXPECT_NEAR(*claim.measured, 1 / 1.2, 1e-9);
}

}  // namespace
}  // namespace gpuready::bench
