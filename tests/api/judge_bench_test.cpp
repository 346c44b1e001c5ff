#include <gtest/gtest.h>

#include "api/measure.hpp"

namespace gpuready::api {
namespace {

Bench with_flags(std::vector<std::string> flags) {
  Bench bench;
  Case c;
  c.verification.passed = true, c.flags = std::move(flags);
  bench.cases.push_back(std::move(c));
  return bench;
}

TEST(JudgeBench, OnlyStrictMindsWhatDidNotConverge) {
  EXPECT_EQ(judge_bench(with_flags({"not-converged"})), Answer::yes);
  EXPECT_EQ(judge_bench(with_flags({"not-converged"}), true), Answer::undecided);
  EXPECT_EQ(judge_bench(with_flags({"drifting"}), true), Answer::yes);
}

TEST(JudgeBench, NothingMeasuredIsUndecidedAndAWrongProductCountsMore) {
  EXPECT_EQ(judge_bench({}), Answer::undecided);
  Bench wrong = with_flags({"not-converged"});
  wrong.errors.push_back({"cuda:0", "cublas", {}, true, "fp32"});
  EXPECT_EQ(judge_bench(wrong, true), Answer::wrong_product);
}

}  // namespace
}  // namespace gpuready::api
