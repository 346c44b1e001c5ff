#include "bench/torch_reasons.hpp"

#include <gtest/gtest.h>

namespace gpuready::bench {
namespace {

const std::string config =
    "PyTorch built with:\n  - GCC 13.3\n  - Build settings: BLAS_INFO=mkl, BUILD_TYPE=Release, "
    "USE_CUDA=0, \n";

TEST(TorchReasons, TheBlasIsReadFromTheBuildsDescription) {
  EXPECT_EQ(blas_of(config), "mkl");
  EXPECT_EQ(blas_of("BLAS_INFO=open\n"), "open");
  EXPECT_EQ(blas_of("nothing"), "");
}

TEST(TorchReasons, WhatIsAsFastNeedsNone) {
  EXPECT_TRUE(torch_reasons({config, "", 1, false}, {"cpu", "fp32", "openblas", 8, 0.95}).empty());
}

TEST(TorchReasons, FewerThreadsAndAnotherBlasAreNamed) {
  const auto why = torch_reasons({config, "", 1, false}, {"cpu", "fp32", "openblas", 8, 0.2});
  ASSERT_EQ(why.size(), 2U);
  EXPECT_EQ(why[0].key, "bench.torch.why.threads");
  EXPECT_EQ(why[0].args, (std::vector<std::string>{"1", "8"}));
  EXPECT_EQ(why[1].key, "bench.torch.why.blas");
}

TEST(TorchReasons, Tf32ThatIsOffAndNothingKnown) {
  EXPECT_EQ(torch_reasons({"", "12.8", 8, false}, {"cuda:0", "tf32", "cublaslt", 0, 0.5})[0].key,
            "bench.torch.why.tf32-off");
  EXPECT_EQ(torch_reasons({"", "12.8", 8, false}, {"cuda:0", "fp32", "cublaslt", 0, 0.5})[0].key,
            "bench.torch.why.unknown");
}

}  // namespace
}  // namespace gpuready::bench
