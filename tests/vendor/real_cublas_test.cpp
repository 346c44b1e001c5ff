#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/fakes/fakes.hpp"

namespace gpuready::vendor {
namespace {

using ::testing::HasSubstr;

host::CommandResult open_cublas(const std::string& file) {
  return fakes::run_all({fakes::with_fakes({GPUREADY_FAKES_DIR "/open_cublas", file}, "")}).front();
}

TEST(RealCublas, HasEveryFunctionAndSaysNoWithoutADriver) {
  constexpr const char* file = "/usr/local/cuda/lib64/libcublas.so.13";
  const auto host = host::make_real_host();
  if (!host->status(file)) GTEST_SKIP() << "SKIPPED: no " << file;
  const fakes::TemporaryFolder empty;
  const auto driver =
      fakes::answer_of(fakes::run_all({fakes::ask("cuda", "", empty.path())}).front());
  if (driver["library"].is_string()) GTEST_SKIP() << "SKIPPED: this machine has a CUDA driver";
  const auto result = open_cublas(file);
  EXPECT_EQ(result.end, host::End::exited) << result.errors;
  EXPECT_EQ(result.code, 0) << result.output;
  EXPECT_THAT(result.output, ::testing::Not(HasSubstr("missing")));
  EXPECT_THAT(result.output, HasSubstr("CUBLAS_STATUS_NOT_INITIALIZED (1)"));
}

TEST(FakeCublas, SaysNoWithoutADriverAsTheRealOneDoes) {
  for (const char* const file : {"/libcublas.so.13", "/libcublas.so.12"}) {
    const auto result = open_cublas(std::string(GPUREADY_FAKES_DIR) + file);
    EXPECT_EQ(result.output, "CUBLAS_STATUS_NOT_INITIALIZED (1)\n");
  }
}

}  // namespace
}  // namespace gpuready::vendor
