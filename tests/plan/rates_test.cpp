#include "plan/rates.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plan/range.hpp"
#include "tests/plan/plan_places.hpp"

namespace gpuready::plan {
namespace {

const catalog::Gpu& gpu(const std::string& name) { return *row_of(tables().gpus, name, 0).row; }

void expect_ordered(const PlanRange& range) {
  EXPECT_GT(range.low, 0);
  EXPECT_LE(range.low, range.expected);
  EXPECT_LE(range.expected, range.high);
}

TEST(PlanRange, IndependentErrorsAddAsSquares) {
  const PlanRange a{1, 4, 16};
  const PlanRange twice = product(a, a);
  EXPECT_DOUBLE_EQ(twice.expected, 16);
  EXPECT_NEAR(twice.high, 16 * std::exp(std::sqrt(2.0) * std::log(4.0)), 1e-9);
  EXPECT_NEAR(twice.low, 16 / std::exp(std::sqrt(2.0) * std::log(4.0)), 1e-9);
  const PlanRange one = quotient(a, exactly(2));
  EXPECT_DOUBLE_EQ(one.low, 0.5);
  EXPECT_DOUBLE_EQ(one.expected, 2);
  EXPECT_DOUBLE_EQ(one.high, 8);
}

TEST(Rates, WhatOthersMeasuredComesBeforeTheDataSheet) {
  // data/gemm_rates.csv: 4.17 and 41.9 TFLOP/s; the data sheet has 8.14 and 65.1.
  const RateBook book(tables().gpus);
  const Rate fp32 = book.rate(gpu("Tesla T4"), "fp32"), half = book.rate(gpu("Tesla T4"), "half");
  ASSERT_TRUE(fp32.flops && half.flops);
  EXPECT_NEAR(fp32.flops->expected, 4.17e12 * 1.05, 1e6);
  EXPECT_NEAR(half.flops->expected, 41.9e12 * 1.05, 1e6);
  EXPECT_LT(fp32.flops->high, 8.14e12);
}

TEST(Rates, EachGenerationComputesHalfPrecisionInItsOwnType) {
  EXPECT_EQ(type_on(gpu("Tesla T4"), "half"), "fp16");
  EXPECT_EQ(type_on(gpu("GeForce RTX 4090"), "half"), "bf16");
  EXPECT_EQ(type_on(gpu("GeForce GTX 1080 Ti"), "half"), "fp32");
  EXPECT_EQ(type_on(gpu("Tesla T4"), "fp32"), "fp32");
}

TEST(Rates, APeakThatTheSheetLeavesOutFollowsFromFp32) {
  // Quadro RTX 6000: 16.31 TFLOP/s in fp32, and Turing's fp16 is eight times as fast.
  const RateBook book(tables().gpus);
  const Rate half = book.rate(gpu("Quadro RTX 6000"), "half");
  ASSERT_TRUE(half.flops);
  EXPECT_NEAR(half.flops->expected, 0.7 * 8 * 16.31e12, 1e9);
}

TEST(Rates, PublishedRatesOfTheSheetsGpusLieWithinTheirRange) {
  // zzc0721 and mag-/gpu_benchmark; GPUs that data/gemm_rates.csv has not.
  const RateBook book(tables().gpus);
  const std::vector<std::tuple<std::string, std::string, double>> rows{
      {"GeForce RTX 3080 Ti", "fp32", 24.9},    {"GeForce RTX 3080 Ti", "bf16", 78.3},
      {"GeForce RTX 5080", "fp32", 33.64},      {"GeForce RTX 4070 SUPER", "fp32", 25.07},
      {"GeForce RTX 4070 SUPER", "bf16", 76.1}, {"L40", "bf16", 170.3},
      {"RTX 6000 Ada", "bf16", 278.5},          {"RTX A4000", "fp32", 11.9},
      {"GeForce RTX 2080 Ti", "fp16", 58.6},    {"H100 NVL 94 GB", "bf16", 488.5},
      {"GH200 96 GB", "bf16", 842.5},           {"B300", "bf16", 1769}};
  for (const auto& [name, dtype, tflops] : rows) {
    const Rate rate = book.rate(gpu(name), dtype);
    ASSERT_TRUE(rate.flops) << name << dtype << rate.flops.missing().detail;
    EXPECT_GE(tflops * 1e12, rate.flops->low) << name << dtype;
    EXPECT_LE(tflops * 1e12, rate.flops->high) << name << dtype;
  }
}

TEST(Rates, EveryGpuThatIsRentedHasARateInBothTypes) {
  const RateBook book(tables().gpus);
  for (const catalog::Price& price : tables().prices) {
    const NamedRow named = row_of(tables().gpus, price.gpu, price.vram_gib);
    ASSERT_NE(named.row, nullptr) << price.gpu;
    for (const char* type : {"fp32", "half"}) {
      const Rate rate = book.rate(*named.row, type);
      ASSERT_TRUE(rate.flops) << price.gpu << ' ' << type;
      expect_ordered(*rate.flops);
    }
  }
}

TEST(Rates, TheFastestRightProductIsTheMeasuredRate) {
  Bench bench = measured("cuda:0", "fp32", 5e12);
  bench.cases.push_back(bench.cases.front());
  bench.cases.back().flops = 9e12;
  bench.cases.push_back(bench.cases.front());
  bench.cases.back().flops = 90e12, bench.cases.back().verification.passed = false;
  EXPECT_DOUBLE_EQ(measured_rate(bench, "cuda:0", "fp32").flops->expected, 9e12);
  EXPECT_FALSE(measured_rate(bench, "cuda:0", "bf16").flops);
  EXPECT_FALSE(measured_rate(bench, "cuda:1", "fp32").flops);
}

TEST(Rates, AnUnmeasuredCpuHasAWideRangeThatHoldsWhatOthersMeasured) {
  // i7-7700K: 4 cores with AVX2, 469 GFLOP/s; i7-3770K: 4 with AVX, 194.
  Machine machine;
  machine.cpu.usable_physical_cores = Fact<std::int64_t>(4, "test");
  const auto with = [&](const std::string& set, double gflops) {
    machine.cpu.instruction_sets = Fact<std::vector<std::string>>({"sse2", set}, "test");
    const Rate rate = cpu_rate(machine, Bench{});
    ASSERT_TRUE(rate.flops);
    EXPECT_FALSE(rate.measured);
    EXPECT_LE(rate.flops->low, gflops * 1e9);
    EXPECT_GE(rate.flops->high, gflops * 1e9);
    EXPECT_GE(rate.flops->high / rate.flops->low, 2);
  };
  with("avx2", 469);
  with("avx", 194);
}

TEST(Rates, WithoutCoresThereIsNoRateButAReason) {
  const Rate rate = cpu_rate(Machine{}, Bench{});
  ASSERT_FALSE(rate.flops);
  EXPECT_FALSE(rate.flops.missing().detail.empty());
  EXPECT_TRUE(cpu_rate(Machine{}, measured("cpu", "fp32", 3e11)).measured);
}

TEST(Rates, EveryPartIsOrdered) {
  TrainingOptions options;
  for (const char* task : {"full", "lora", "qlora"})
    for (const char* offload : {"none", "optimizer", "all"})
      for (const bool cpu : {false, true}) {
        options.task = task, options.offload = offload;
        expect_ordered(training_part(cpu, options));
        EXPECT_LE(training_part(cpu, options).high, 1);
      }
  for (const PlanRange& part : {prompt_part(), flops_part(), speedup_part()}) expect_ordered(part);
  for (const std::int64_t count : {1, 2, 8, 64}) {
    expect_ordered(working_gpus(count));
    EXPECT_LE(working_gpus(count).high, static_cast<double>(count));
  }
}

}  // namespace
}  // namespace gpuready::plan
