#include <gtest/gtest.h>

#include "bench/runner.hpp"

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

}  // namespace
}  // namespace gpuready::bench
