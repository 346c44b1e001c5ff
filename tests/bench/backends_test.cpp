#include "bench/backends.hpp"

#include <gmock/gmock.h>

#include "base/json.hpp"
#include "bench/runner.hpp"
#include "host/real_host.hpp"
#include "host/recorded_host.hpp"
#include "tests/bench/child.hpp"

namespace gpuready::bench {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::measure_in_child;
using ::testing::Not;

std::string open_error(const BackendRequest& request) {
  host::RecordedHost nothing{host::Recording{}};
  const auto opened = open_backend(nothing, request);
  return opened ? "opened" : opened.error().text;
}

TEST(Backends, AnUnknownNameIsToldWhichNamesThereAre) {
  EXPECT_EQ(
      open_error({"cpu", "fortran", "", 1, 0}),
      "unknown backend 'fortran', expected one of openblas, onednn, blis, mkl, cublaslt, cublas, "
      "clblast");
  EXPECT_EQ(open_error({"cpu", "", "", 1, 0}),
            "unknown backend '', expected one of openblas, onednn, blis, mkl, cublaslt, cublas, "
            "clblast");
}

TEST(Backends, ADeviceOfTheWrongKindIsRefused) {
  EXPECT_EQ(open_error({"cuda:0", "openblas", "", 1, 0}), "device 'cuda:0' given, expected cpu");
  EXPECT_EQ(open_error({"cpu", "cublas", "", 1, 0}), "device 'cpu' given, expected cuda:N");
  EXPECT_EQ(open_error({"cuda:0", "clblast", "", 1, 0}),
            "device 'cuda:0' given, expected opencl:N");
  EXPECT_EQ(open_error({"cpu", "openblas", "", 0, 0}), "0 threads given, expected at least 1");
}

TEST(Backends, ALibraryThatIsNotThereIsNamed) {
  EXPECT_THAT(open_error({"cpu", "openblas", "", 1, 0}), HasSubstr("libopenblas.so.0"));
  EXPECT_THAT(open_error({"cpu", "openblas", "/opt/libblas.so", 1, 0}),
              HasSubstr("/opt/libblas.so"));
  EXPECT_THAT(open_error({"cuda:0", "cublas", "", 1, 0}), HasSubstr("libcuda.so.1"));
  EXPECT_THAT(open_error({"opencl:0", "clblast", "", 1, 0}), HasSubstr("libOpenCL.so.1"));
}

TEST(Backends, DeviceNumbersAreReadStrictly) {
  EXPECT_EQ(device_number("cuda:3", "cuda"), 3);
  EXPECT_EQ(device_number("cuda", "cuda"), 0);
  for (const char* wrong :
       {"cuda:", "cuda:-1", "cuda:x", "cuda:1 ", "cuda3", "opencl:0", "", "cuda:99999999999"})
    EXPECT_FALSE(device_number(wrong, "cuda")) << wrong;
}

/// The path of an OpenBLAS that is installed here, or nothing.
std::string installed_openblas(host::Host& host) {
  const auto told = host.env("GPUREADY_TEST_OPENBLAS");
  if (told && !told->empty()) return *told;
  const std::string usual = "/usr/lib/x86_64-linux-gnu/libopenblas.so.0";
  return host.status(usual) ? usual : "";
}

TEST(Backends, AnInstalledOpenblasMultipliesRight) {
  const auto host = host::make_real_host();
  const std::string file = installed_openblas(*host);
  if (file.empty())
    GTEST_SKIP() << "SKIPPED: no OpenBLAS here; set GPUREADY_TEST_OPENBLAS to its file";
  for (const Shape& shape : {Shape{256, 256, 256}, Shape{33, 129, 65}, Shape{1, 1, 1}}) {
    MeasureRequest request;
    request.backend = {"cpu", "openblas", file, 1, 0};
    request.shape = shape;
    request.max_time_s = 0.1;
    const MeasureAnswer answer = measure_in_child(*host, request, {});
    ASSERT_EQ(answer.cases.size(), 1U) << testing::errors_of(answer);
    const Case& c = answer.cases[0];
    EXPECT_TRUE(c.verification.passed);
    EXPECT_GT(c.flops, 0);
    EXPECT_EQ(c.shape, shape);
    EXPECT_EQ(c.threads, 1);
    EXPECT_TRUE(c.library.version.known());
    EXPECT_TRUE(c.library.kernel_target.known());
    EXPECT_TRUE(c.library.file.known());
    EXPECT_TRUE(c.first_call.load_s.known());
    EXPECT_TRUE(c.with_transfers_s.absent_for(Absence::not_applicable));
    EXPECT_FALSE(c.device_name.empty());
  }
}

bool is_absent(const MeasureAnswer& answer, const char* part) {
  return answer.cases.empty() && testing::errors_of(answer).find(part) != std::string::npos;
}

class ClblastOnPocl : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Types, ClblastOnPocl, ::testing::Values("fp32", "fp64"));

TEST_P(ClblastOnPocl, MultipliesRightAndIsNoGpu) {
  const auto host = host::make_real_host();
  MeasureRequest request;
  request.backend = {"opencl:0", "clblast", "", 1, 0};
  request.shape = {256, 250, 120};
  request.max_time_s = 0.2;
  request.cold = GetParam() == "fp32";
  request.backend.dtype = GetParam();
  const MeasureAnswer answer = measure_in_child(*host, request, {});
  if (is_absent(answer, "libOpenCL.so.1") || is_absent(answer, "libclblast.so.1") ||
      is_absent(answer, "OpenCL has 0 device(s)"))
    GTEST_SKIP() << "SKIPPED: no OpenCL device with CLBlast here: " << testing::errors_of(answer);
  ASSERT_EQ(answer.cases.size(), 1U) << testing::errors_of(answer);
  const Case& c = answer.cases[0];
  EXPECT_TRUE(c.verification.passed);
  EXPECT_EQ(c.shape, request.shape);
  EXPECT_EQ(c.device, "opencl:0");
  EXPECT_EQ(c.dtype.name, GetParam());
  EXPECT_TRUE(c.library.file.known());
  const bool on_cpu = std::ranges::find(c.flags, "opencl-on-cpu") != c.flags.end();
  EXPECT_EQ(on_cpu, !c.with_transfers_s.known());
}

TEST(Backends, AnOpenclDeviceBeyondTheLastIsAnError) {
  const auto host = host::make_real_host();
  MeasureRequest request;
  request.backend = {"opencl:99", "clblast", "", 1, 0};
  const MeasureAnswer answer = measure_in_child(*host, request, {});
  ASSERT_THAT(answer.cases, IsEmpty());
  EXPECT_THAT(testing::errors_of(answer), HasSubstr("bench.error.open"));
}

}  // namespace
}  // namespace gpuready::bench
