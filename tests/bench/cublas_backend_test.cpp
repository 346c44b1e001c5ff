#include <gmock/gmock.h>

#include <algorithm>

#include "bench/memory_plan.hpp"
#include "host/real_host.hpp"
#include "tests/bench/child.hpp"

namespace gpuready::bench {
namespace {

using ::testing::Contains;
using testing::Environment;
using testing::errors_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ScriptFile;

MeasureRequest small_request() {
  MeasureRequest request;
  request.backend = {"cuda:0", "cublas", "", 1, 0};
  request.shape = {96, 72, 120};
  request.max_time_s = 0.1;
  return request;
}

MeasureAnswer on_fake(const std::string& script, const MeasureRequest& request = small_request(),
                      const Environment& more = {}) {
  const auto host = host::make_real_host();
  const ScriptFile file(script);
  Environment environment = file.environment();
  for (const auto& [name, value] : more) environment[name] = value;
  return testing::measure_in_child(*host, request, environment);
}

TEST(CublasBackend, ARightProductOfNoSquareShapePasses) {
  const MeasureAnswer answer = on_fake("device\nname NVIDIA Test GPU\n");
  ASSERT_EQ(answer.cases.size(), 1U) << errors_of(answer);
  const Case& c = answer.cases[0];
  EXPECT_TRUE(c.verification.passed);
  EXPECT_EQ(c.device, "cuda:0");
  EXPECT_EQ(c.device_name, "NVIDIA Test GPU");
  EXPECT_EQ(c.backend, "cublas");
  EXPECT_TRUE(c.library.version.is("13.0.0"));
  EXPECT_THAT(*c.library.file, HasSubstr("libcublas.so.13"));
  EXPECT_EQ(c.shape, small_request().shape);
  EXPECT_EQ(c.threads, 0);
  EXPECT_TRUE(c.with_transfers_s.known());
  EXPECT_GT(*c.with_transfers_s, 0);
  EXPECT_TRUE(c.first_call.load_s.known());
  EXPECT_THAT(c.flags, Not(Contains("shrunk")));
  EXPECT_THAT(c.flags, Not(Contains("pageable")));
  EXPECT_THAT(c.flags, Not(Contains("tf32-override")));
}

TEST(CublasBackend, OneWrongElementIsCaught) {
  const MeasureAnswer answer = on_fake("wrong-element\n");
  EXPECT_THAT(answer.cases, IsEmpty());
  ASSERT_EQ(answer.errors.size(), 1U);
  EXPECT_TRUE(answer.errors[0].wrong_product);
  EXPECT_EQ(answer.errors[0].why.key, "bench.error.wrong-product");
}

TEST(CublasBackend, OneNanIsCaught) {
  const MeasureAnswer answer = on_fake("nan\n");
  EXPECT_THAT(answer.cases, IsEmpty());
  ASSERT_EQ(answer.errors.size(), 1U);
  EXPECT_TRUE(answer.errors[0].wrong_product);
  EXPECT_EQ(answer.errors[0].why, (Message{"bench.error.non-finite", {"cuda:0", "1", "6912"}}));
}

TEST(CublasBackend, EveryCallThatFailsInTurnIsNamedInTheError) {
  for (const char* call :
       {"cuInit", "cuDeviceGetCount", "cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent",
        "cuMemGetInfo_v2", "cuMemAlloc_v2", "cuMemcpyHtoD_v2", "cuMemsetD8Async",
        "cuCtxSynchronize", "cuEventRecord", "cuEventElapsedTime", "cuMemcpyDtoH_v2"}) {
    const MeasureAnswer answer = on_fake(std::string("fail ") + call + " 999\n");
    EXPECT_THAT(answer.cases, IsEmpty()) << call;
    EXPECT_THAT(errors_of(answer), HasSubstr(std::string(call) + ": CUDA_ERROR_UNKNOWN (999)"));
    EXPECT_FALSE(answer.errors.at(0).wrong_product);
  }
  for (const char* call : {"cublasCreate_v2", "cublasSetMathMode", "cublasSgemm_v2"}) {
    const MeasureAnswer answer = on_fake(std::string("fail ") + call + " 14\n");
    EXPECT_THAT(answer.cases, IsEmpty()) << call;
    EXPECT_THAT(errors_of(answer), HasSubstr(call));
  }
}

TEST(CublasBackend, AGpuThatVanishesWhileItMultipliesGivesNoSpeed) {
  for (const char* on : {"1", "2", "40"}) {
    const MeasureAnswer answer = on_fake(std::string("fail cublasSgemm_v2 13 on ") + on + "\n");
    EXPECT_THAT(answer.cases, IsEmpty()) << on;
    EXPECT_THAT(errors_of(answer), HasSubstr("bench.error.run | cuda:0")) << on;
    EXPECT_THAT(errors_of(answer), HasSubstr("CUBLAS_STATUS_EXECUTION_FAILED (13)")) << on;
  }
}

TEST(CublasBackend, ACrashOfTheLibraryIsSeenByTheParent) {
  const auto host = host::make_real_host();
  const ScriptFile file("crash cublasSgemm_v2\n");
  const auto result = testing::run_measure_once(*host, small_request(), file.environment());
  EXPECT_EQ(result.end, host::End::signalled);
  EXPECT_THAT(result.output, IsEmpty());
}

TEST(CublasBackend, MemoryThatIsTakenByOthersMakesTheProductSmaller) {
  // 1 GiB and a workspace stay free, and half a MiB is left for the matrices.
  const std::int64_t free = (std::int64_t{1056} << 20U) + (1 << 19U);
  MeasureRequest request = small_request();
  request.shape = {400, 400, 400};
  const MeasureAnswer answer =
      on_fake("device\nmemory_free " + std::to_string(free) + "\n", request);
  ASSERT_EQ(answer.cases.size(), 1U) << errors_of(answer);
  EXPECT_THAT(answer.cases[0].flags, Contains("shrunk"));
  EXPECT_LE(bytes_of_all(answer.cases[0].shape), 1 << 19U);
}

TEST(CublasBackend, AnAllocationThatFailsOnceIsTriedAgainWithFewerBuffers) {
  const MeasureAnswer answer = on_fake("fail cuMemAlloc_v2 2 on 3\n");
  ASSERT_EQ(answer.cases.size(), 1U) << errors_of(answer);
  EXPECT_EQ(answer.cases[0].buffer_sets, 1);
  EXPECT_THAT(answer.cases[0].flags, Contains("cache-warm"));
  EXPECT_TRUE(answer.cases[0].verification.passed);
}

TEST(CublasBackend, NoMemoryAtAllIsAnError) {
  EXPECT_THAT(errors_of(on_fake("device\nmemory_free 1000\n")), HasSubstr("bench.error.no-memory"));
  EXPECT_THAT(errors_of(on_fake("fail cuMemAlloc_v2 2\n")), HasSubstr("bench.error.no-memory"));
}

TEST(CublasBackend, OrdinaryMemoryStandsInForPageLocked) {
  const MeasureAnswer answer = on_fake("fail cuMemAllocHost_v2 2\n");
  ASSERT_EQ(answer.cases.size(), 1U) << errors_of(answer);
  EXPECT_THAT(answer.cases[0].flags, Contains("pageable"));
  EXPECT_TRUE(answer.cases[0].with_transfers_s.known());
}

TEST(CublasBackend, PageLockedMemoryIsAtMostAQuarterOfTheBudget) {
  MeasureRequest request = small_request();
  request.backend.host_budget_bytes =
      static_cast<std::int64_t>(4 * bytes_of_all(request.shape)) - 4;
  const MeasureAnswer answer = on_fake("", request);
  ASSERT_EQ(answer.cases.size(), 1U) << errors_of(answer);
  EXPECT_THAT(answer.cases[0].flags, Contains("pageable"));
}

TEST(CublasBackend, WhatTheEnvironmentChangesIsTold) {
  const MeasureAnswer answer =
      on_fake("", small_request(), {{"NVIDIA_TF32_OVERRIDE", "1"}, {"CUDA_LAUNCH_BLOCKING", "1"}});
  ASSERT_EQ(answer.cases.size(), 1U) << errors_of(answer);
  EXPECT_THAT(answer.cases[0].flags, Contains("tf32-override"));
  EXPECT_THAT(answer.cases[0].flags, Contains("launch-blocking"));
}

TEST(CublasBackend, ALibraryNewerThanTheDriverIsNotTaken) {
  const MeasureAnswer answer = on_fake("cuda_version 12040\n");
  ASSERT_EQ(answer.cases.size(), 1U) << errors_of(answer);
  EXPECT_THAT(*answer.cases[0].library.file, HasSubstr("libcublas.so.12"));
  EXPECT_THAT(errors_of(on_fake("cuda_version 10020\n")), HasSubstr("the driver is older"));
}

TEST(CublasBackend, ANamedFileIsTheOneThatIsUsed) {
  MeasureRequest request = small_request();
  request.backend.library_file = std::string(GPUREADY_FAKES_DIR) + "/libcublas.so.12";
  const MeasureAnswer answer = on_fake("", request);
  ASSERT_EQ(answer.cases.size(), 1U) << errors_of(answer);
  EXPECT_TRUE(answer.cases[0].library.file.is(request.backend.library_file));
}

TEST(CublasBackend, ADeviceBeyondTheLastIsAnError) {
  MeasureRequest request = small_request();
  request.backend.device = "cuda:1";
  EXPECT_THAT(errors_of(on_fake("", request)), HasSubstr("no cuda:1: the driver has 1 device(s)"));
  EXPECT_THAT(errors_of(on_fake("no-devices\n")), HasSubstr("bench.error.open"));
}

TEST(CublasBackend, TheSecondDeviceIsMeasuredByItsNumber) {
  MeasureRequest request = small_request();
  request.backend.device = "cuda:1";
  const MeasureAnswer answer = on_fake("device\nname One\ndevice\nname Two\n", request);
  ASSERT_EQ(answer.cases.size(), 1U) << errors_of(answer);
  EXPECT_EQ(answer.cases[0].device_name, "Two");
}

}  // namespace
}  // namespace gpuready::bench
