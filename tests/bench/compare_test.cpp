#include <gtest/gtest.h>

#include "bench/compare.hpp"

namespace gpuready::bench {
namespace {

Case timed(const std::string& device, double median_s, std::int64_t side = 1000) {
  Case c;
  c.device = device;
  c.shape = {side, side, side};
  c.median_s = median_s;
  c.ci95_s = {median_s * 0.9, median_s * 1.1};
  c.first_call.load_s = Fact<double>(0.1, "clock");
  c.first_call.first_product_s = Fact<double>(median_s + 0.1, "clock");
  return c;
}

Case timed_gpu(const std::string& device, double median_s, double with_transfers_s) {
  Case c = timed(device, median_s);
  c.with_transfers_s = Fact<double>(with_transfers_s, "clock");
  return c;
}

TEST(Compare, TheRatioIsCpuTimeOverGpuTimeWithItsInterval) {
  const Speedups speedups = compare_cpu_gpu({timed("cpu", 1.0), timed_gpu("cuda:0", 0.01, 0.04)});
  ASSERT_TRUE(speedups.kernel_only.known());
  EXPECT_NEAR(speedups.kernel_only->ratio, 100, 1e-9);
  EXPECT_NEAR(speedups.kernel_only->ci95.low, 0.9 / 0.011, 1e-9);
  EXPECT_NEAR(speedups.kernel_only->ci95.high, 1.1 / 0.009, 1e-9);
}

TEST(Compare, TravellingDataLowersTheRatio) {
  const Speedups speedups = compare_cpu_gpu({timed("cpu", 1.0), timed_gpu("cuda:0", 0.01, 0.04)});
  ASSERT_TRUE(speedups.with_transfers.known());
  EXPECT_NEAR(speedups.with_transfers->ratio, 25, 1e-9);
  EXPECT_NEAR(speedups.with_transfers->ci95.low, 0.9 / 0.041, 1e-9);
  EXPECT_NEAR(speedups.with_transfers->ci95.high, 1.1 / 0.039, 1e-9);
}

TEST(Compare, FirstUseCountsLoadingTheFirstProductAndTheWay) {
  const Speedups speedups = compare_cpu_gpu({timed("cpu", 1.0), timed_gpu("cuda:0", 0.01, 0.04)});
  ASSERT_TRUE(speedups.first_use.known());
  EXPECT_NEAR(speedups.first_use->ratio, (0.1 + 1.1) / (0.1 + 0.11 + 0.03), 1e-9);
}

TEST(Compare, TheFastestCpuLibraryCounts) {
  const Speedups speedups =
      compare_cpu_gpu({timed("cpu", 5.4), timed("cpu", 1.0), timed_gpu("cuda:0", 0.01, 0.04)});
  EXPECT_NEAR(speedups.kernel_only->ratio, 100, 1e-9);
}

TEST(Compare, CudaComesBeforeOpencl) {
  const Speedups speedups = compare_cpu_gpu(
      {timed("cpu", 1.0), timed_gpu("opencl:0", 0.5, 0.6), timed_gpu("cuda:1", 0.01, 0.04)});
  EXPECT_NEAR(speedups.kernel_only->ratio, 100, 1e-9);
}

TEST(Compare, OpenclOnACpuIsNoGpu) {
  Case pocl = timed("opencl:0", 10);
  pocl.flags = {"opencl-on-cpu"};
  const Speedups alone = compare_cpu_gpu({timed("cpu", 1.0), pocl});
  EXPECT_TRUE(alone.kernel_only.absent_for(Absence::not_applicable));
  EXPECT_EQ(alone.kernel_only.missing().detail, "no GPU was measured");
  const Speedups beside =
      compare_cpu_gpu({timed("cpu", 1.0), pocl, timed_gpu("opencl:1", 0.5, 0.6)});
  EXPECT_NEAR(beside.kernel_only->ratio, 2, 1e-9);
}

TEST(Compare, DifferentSizesOrTypesAreNeverCompared) {
  EXPECT_FALSE(compare_cpu_gpu({timed("cpu", 1.0, 992), timed_gpu("cuda:0", 0.01, 0.04)})
                   .kernel_only.known());
  Case tf32 = timed_gpu("cuda:0", 0.01, 0.04);
  tf32.dtype.compute = "tf32";
  EXPECT_FALSE(compare_cpu_gpu({timed("cpu", 1.0), tf32}).kernel_only.known());
}

TEST(Compare, TransfersThatAreNotKnownLeaveTheProductAlone) {
  const Speedups speedups = compare_cpu_gpu({timed("cpu", 1.0), timed("cuda:0", 0.01)});
  EXPECT_TRUE(speedups.kernel_only.known());
  EXPECT_FALSE(speedups.with_transfers.known());
  EXPECT_FALSE(speedups.first_use.known());
}

TEST(Compare, ColdStartsThatWereRepeatedHaveAnInterval) {
  const Case cpu = timed("cpu", 1.0), gpu = timed_gpu("cuda:0", 0.01, 0.04);
  const std::vector<FirstUse> uses{*first_use_of(cpu, {1.2, 1.0, 1.1}),
                                   *first_use_of(gpu, {0.5, 0.4, 0.6})};
  const Speedups speedups = compare_cpu_gpu({cpu, gpu}, uses);
  ASSERT_TRUE(speedups.first_use.known());
  EXPECT_NEAR(speedups.first_use->ratio, 1.1 / 0.5, 1e-9);
  EXPECT_NEAR(speedups.first_use->ci95.low, 1.0 / 0.6, 1e-9);
  EXPECT_NEAR(speedups.first_use->ci95.high, 1.2 / 0.4, 1e-9);
}

TEST(Compare, EverySizeHasItsOwnRowAndTheLargestSquareStandsOnTop) {
  std::vector<Case> cases;
  for (const std::int64_t side : {500, 1000, 2000}) {
    cases.push_back(timed("cpu", static_cast<double>(side) * 1e-3, side));
    Case gpu = timed("cuda:0", 0.01, side);
    gpu.with_transfers_s = Fact<double>(0.8, "clock");
    cases.push_back(gpu);
  }
  Case skinny = timed("cuda:0", 0.001, 1000);
  skinny.shape = {1, 8192, 8192};
  cases.push_back(skinny);
  const Speedups speedups = compare_cpu_gpu(cases);
  ASSERT_EQ(speedups.sizes.size(), 3U);
  EXPECT_NEAR(speedups.kernel_only->ratio, 200, 1e-9);
  // 0.5 s and 1 s on the CPU against 0.8 s: the crossing is where the CPU takes 0.8 s.
  ASSERT_TRUE(speedups.break_even_n.with_transfers.known());
  EXPECT_NEAR(*speedups.break_even_n.with_transfers, 800, 1e-6);
}

TEST(Compare, OneThreadIsComparedApart) {
  Case one = timed("cpu", 4.0), all = timed("cpu", 1.0);
  one.threads = 1, all.threads = 8;
  const Speedups speedups = compare_cpu_gpu({one, all, timed_gpu("cuda:0", 0.01, 0.04)});
  EXPECT_NEAR(speedups.kernel_only->ratio, 100, 1e-9);
  ASSERT_TRUE(speedups.one_thread.known());
  EXPECT_NEAR(speedups.one_thread->ratio, 400, 1e-9);
}

TEST(Compare, Tf32IsARowOfItsOwnAndFp32StandsOnTop) {
  Case tf32 = timed_gpu("cuda:0", 0.002, 0.03);
  tf32.dtype.name = "tf32", tf32.dtype.compute = "tf32";
  const Speedups speedups =
      compare_cpu_gpu({timed("cpu", 1.0), tf32, timed_gpu("cuda:0", 0.01, 0.04)});
  ASSERT_EQ(speedups.sizes.size(), 1U);
  EXPECT_EQ(speedups.sizes[0].dtype.name, "fp32");
  EXPECT_NEAR(speedups.kernel_only->ratio, 100, 1e-9);
}

TEST(BreakEven, IsInterpolatedBetweenTheSizesAroundIt) {
  EXPECT_NEAR(*break_even({{100, 0.25}, {400, 4}}), 200, 1e-9);
  EXPECT_NEAR(*break_even({{100, 0.5}, {200, 1}, {400, 3}}), 200, 1e-9);
}

TEST(BreakEven, AnEarlierLuckyPointDoesNotCount) {
  EXPECT_NEAR(*break_even({{50, 1.5}, {100, 0.25}, {400, 4}, {800, 9}}), 200, 1e-9);
}

TEST(BreakEven, IsAbsentWithItsReasonWhereTheSizesDoNotHoldIt) {
  EXPECT_NE(break_even({{100, 2}, {200, 4}}).missing().detail.find("from n = 100"),
            std::string::npos);
  EXPECT_NE(break_even({{100, 0.2}, {200, 0.4}}).missing().detail.find("up to n = 200"),
            std::string::npos);
  EXPECT_FALSE(break_even({{100, 2}}).known());
  EXPECT_FALSE(break_even({}).known());
}

TEST(SuddenFalls, AreFoundAtTheSizeWhereTheRateDrops) {
  std::vector<Case> cases;
  for (const auto& [side, flops] : std::vector<std::pair<std::int64_t, double>>{
           {8192, 1.25e12}, {1024, 9e12}, {4096, 11.8e12}, {2048, 10e12}}) {
    Case c = timed("cuda:0", 1, side);
    c.flops = flops;
    cases.push_back(c);
  }
  const auto falls = sudden_falls(cases);
  ASSERT_EQ(falls.size(), 1U);
  EXPECT_EQ(falls[0].first.shape.n, 4096);
  EXPECT_EQ(falls[0].second.shape.n, 8192);
  cases[0].flops = 7.2e12;  // 39 % less is not a fall
  EXPECT_TRUE(sudden_falls(cases).empty());
}

TEST(SuddenFalls, DoNotMixDevicesOrTypes) {
  Case fast = timed("cuda:0", 1, 1024), slow = timed("cpu", 1, 2048);
  fast.flops = 1e13, slow.flops = 1e11;
  EXPECT_TRUE(sudden_falls({fast, slow}).empty());
}

}  // namespace
}  // namespace gpuready::bench
