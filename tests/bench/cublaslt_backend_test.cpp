#include <gmock/gmock.h>

#include <algorithm>

#include "bench/dtypes.hpp"
#include "host/real_host.hpp"
#include "tests/bench/child.hpp"

namespace gpuready::bench {
namespace {

using ::testing::Contains;
using testing::errors_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ScriptFile;

MeasureRequest request_for(const std::string& dtype, const Shape& shape = {96, 64, 128}) {
  MeasureRequest request;
  request.backend = {"cuda:0", "cublaslt", "", 1, 0, dtype};
  request.shape = shape;
  request.max_time_s = 0.1;
  return request;
}

MeasureAnswer on_fake(const std::string& script, const MeasureRequest& request) {
  const auto host = host::make_real_host();
  const ScriptFile file(script);
  return testing::measure_in_child(*host, request, file.environment());
}

TEST(CublasLtBackend, ProductsOfEveryTypePass) {
  for (const std::string& dtype : dtype_names()) {
    const MeasureAnswer answer = on_fake("device\nname NVIDIA Test GPU\n", request_for(dtype));
    ASSERT_EQ(answer.cases.size(), 1U) << dtype << ": " << errors_of(answer);
    const Case& c = answer.cases[0];
    EXPECT_TRUE(c.verification.passed) << dtype;
    EXPECT_EQ(dtype_name(c.dtype), dtype);
    EXPECT_EQ(c.backend, "cublaslt");
    EXPECT_EQ(c.device_name, "NVIDIA Test GPU");
    EXPECT_TRUE(c.library.version.is("13.0.0"));
    EXPECT_EQ(c.algorithm.candidates, 2) << "the third one's state says that it can't be used";
    EXPECT_TRUE(c.algorithm.workspace_bytes.known());
    EXPECT_GE(c.buffer_sets, 2);
    EXPECT_TRUE(c.with_transfers_s.known());
  }
}

TEST(CublasLtBackend, SidesThatAreNotSquareAreNotMixedUp) {
  for (const char* dtype : {"fp32", "tf32", "bf16"}) {
    const MeasureAnswer answer = on_fake("device\n", request_for(dtype, {33, 70, 129}));
    ASSERT_EQ(answer.cases.size(), 1U) << dtype << ": " << errors_of(answer);
    EXPECT_EQ(answer.cases[0].shape, (Shape{33, 70, 129}));
  }
}

TEST(CublasLtBackend, Fp32IsNotTakenForTf32) {
  const MeasureAnswer answer = on_fake("tf32\n", request_for("fp32"));
  EXPECT_THAT(answer.cases, IsEmpty());
  ASSERT_EQ(answer.errors.size(), 1U);
  EXPECT_TRUE(answer.errors[0].wrong_product);
  EXPECT_EQ(answer.errors[0].why.key, "bench.error.reduced-precision");
  const MeasureAnswer asked = on_fake("tf32\n", request_for("tf32"));
  ASSERT_EQ(asked.cases.size(), 1U) << errors_of(asked);
  EXPECT_EQ(asked.cases[0].verification.fingerprint, "tf32 or fp16");
}

TEST(CublasLtBackend, TypesThatTheGpuLacksAreSaidToBeMissing) {
  const MeasureAnswer old =
      on_fake("device\ncapability_major 7\ncapability_minor 5\n", request_for("fp8"));
  EXPECT_THAT(old.cases, IsEmpty());
  EXPECT_THAT(errors_of(old), HasSubstr("cuBLASLt has no way to multiply fp8"));
  const MeasureAnswer odd = on_fake("device\n", request_for("fp8", {96, 65, 128}));
  EXPECT_THAT(errors_of(odd), HasSubstr("has no way to multiply fp8 of 96 x 65 x 128"));
}

TEST(CublasLtBackend, WrongElementsAndNanAreCaught) {
  for (const char* dtype : {"fp64", "fp32", "bf16", "fp8", "int8"}) {
    const MeasureAnswer wrong = on_fake("wrong-element\n", request_for(dtype));
    ASSERT_EQ(wrong.errors.size(), 1U) << dtype;
    EXPECT_TRUE(wrong.errors[0].wrong_product) << dtype;
  }
  for (const char* dtype : {"fp64", "fp32", "bf16", "fp16"}) {
    const MeasureAnswer nan = on_fake("nan\n", request_for(dtype));
    ASSERT_EQ(nan.errors.size(), 1U) << dtype;
    EXPECT_EQ(nan.errors[0].why.key, "bench.error.non-finite") << dtype;
  }
}

TEST(CublasLtBackend, EveryCallThatFailsInTurnIsNamedInTheError) {
  for (const char* call : {"cublasLtCreate", "cublasLtMatmulDescCreate",
                           "cublasLtMatmulDescSetAttribute", "cublasLtMatrixLayoutCreate",
                           "cublasLtMatmulPreferenceCreate", "cublasLtMatmulPreferenceSetAttribute",
                           "cublasLtMatmulAlgoGetHeuristic", "cublasLtMatmul"}) {
    const MeasureAnswer answer =
        on_fake(std::string("fail ") + call + " 14\n", request_for("bf16"));
    EXPECT_THAT(answer.cases, IsEmpty()) << call;
    EXPECT_THAT(errors_of(answer), HasSubstr(call));
  }
}

TEST(CublasLtBackend, ADriverThatCannotHoldTheStreamBackMeasuresAllTheSame) {
  for (const char* call : {"cuMemHostAlloc", "cuMemHostGetDevicePointer_v2",
                           "cuStreamWaitValue32_v2", "cuStreamWaitValue32_v2 801 on 2"}) {
    const std::string code = std::string(call).find(' ') == std::string::npos ? " 801" : "";
    const MeasureAnswer answer =
        on_fake(std::string("fail ") + call + code + "\n", request_for("fp16"));
    ASSERT_EQ(answer.cases.size(), 1U) << call << ": " << errors_of(answer);
    EXPECT_TRUE(answer.cases[0].verification.passed);
  }
}

TEST(CublasLtBackend, HeldBackBatchesAgreeWithTheWallClock) {
  const MeasureAnswer answer = on_fake("device\n", request_for("fp32"));
  ASSERT_EQ(answer.cases.size(), 1U) << errors_of(answer);
  EXPECT_THAT(answer.cases[0].flags, Not(Contains("event-clock-doubtful")));
}

}  // namespace
}  // namespace gpuready::bench
