#include "bench/half_probe.hpp"

#include <gtest/gtest.h>

namespace gpuready::bench {
namespace {

/// The errors of storage that an exact emulation gives for zero-mean data: fp16 2.7e-4 to 2.9e-4 by
/// the inputs alone, and its output's 2.1e-4 beside it; bf16 eight times as much.
TEST(HalfProbe, TheErrorsAreThoseOfStorage) {
  const HalfProbe fp16 = probe_half(Element::fp16, 4096, 1);
  EXPECT_GT(fp16.error, 2e-4);
  EXPECT_LT(fp16.error, 5e-4);
  const HalfProbe bf16 = probe_half(Element::bf16, 4096, 1);
  EXPECT_GT(bf16.error, 1.7e-3);
  EXPECT_LT(bf16.error, 4e-3);
  EXPECT_EQ(fp16.bytes_per_number, 2);
}

TEST(HalfProbe, LargeSumsOverflowInFp16Alone) {
  const HalfProbe fp16 = probe_half(Element::fp16, 8192, 1);
  EXPECT_NEAR(fp16.largest_mean, 204800, 4000);
  EXPECT_EQ(fp16.overflowed, fp16.products);
  EXPECT_TRUE(fp16.tiny_becomes_zero);
  const HalfProbe bf16 = probe_half(Element::bf16, 8192, 1);
  EXPECT_EQ(bf16.overflowed, 0);
  EXPECT_FALSE(bf16.tiny_becomes_zero);
  const HalfProbe fp32 = probe_half(Element::fp32, 1024, 1);
  EXPECT_LT(fp32.error, 1e-7);
}

}  // namespace
}  // namespace gpuready::bench
