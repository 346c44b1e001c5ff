#include "vendor/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/recorded_host.hpp"
#include "tests/fakes/fakes.hpp"
#include "vendor/cblas.hpp"
#include "vendor/clblast.hpp"
#include "vendor/cublas.hpp"
#include "vendor/cuda.hpp"
#include "vendor/nvml.hpp"
#include "vendor/opencl.hpp"

namespace gpuready::vendor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

host::Recording machine_with(const std::vector<std::string>& files) {
  host::Recording recording;
  for (const std::string& file : files) recording.statuses[file] = host::FileStatus{};
  return recording;
}

TEST(VendorCandidates, AreSearchedInOrderAndOnlyWhereThereIsAFile) {
  auto recording = machine_with({"/two/liba.so.1", "/known/liba.so.1"});
  recording.environment["GPUREADY_LIBRARY_PATH"] = "/one:/two";
  host::RecordedHost machine(recording);
  EXPECT_THAT(candidates(machine, {"liba.so.1"}, {"/known", "/other"}),
              ElementsAre("/two/liba.so.1", "liba.so.1", "/known/liba.so.1"));
}

TEST(VendorLoad, TellsEveryFailureOfTheLoader) {
  host::RecordedHost machine{host::Recording{}};
  const auto none = load_cuda(machine);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().reason, Absence::library_missing);
  EXPECT_THAT(none.error().detail, HasSubstr("libcuda.so.1"));
  EXPECT_FALSE(load_nvml(machine));
  EXPECT_FALSE(load_opencl(machine));
  EXPECT_FALSE(load_clblast(machine));
}

TEST(VendorLoad, TellsTheLibraryThatLacksWhatIsRequired) {
  const auto machine = host::make_real_host();
  const auto library = machine->open_library("libc.so.6");
  ASSERT_TRUE(library);
  const auto wrong = bind_blas<Cblas>(*machine, *library);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().reason, Absence::symbol_missing);
  EXPECT_THAT(wrong.error().detail, HasSubstr("libc.so.6 lacks the function cblas_sgemm"));
}

TEST(VendorErrors, ShowTheNumberOfACodeThatNobodyKnows) {
  EXPECT_EQ(cuda_error(Cuda{}, 12345), "error 12345");
  EXPECT_EQ(nvml_error(Nvml{}, 12345), "error 12345");
  EXPECT_EQ(cublas_error(Cublas{}, 12345), "error 12345");
  EXPECT_EQ(opencl_error(-12345), "error -12345");
  EXPECT_EQ(clblast_error(-4), "CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)");
}

TEST(VendorErrors, PreferTheLibrarysOwnWords) {
  Cuda cuda{};
  cuda.cuGetErrorName = [](int, const char** name) { return *name = "CUDA_ERROR_NEW", 0; };
  EXPECT_EQ(cuda_error(cuda, 12345), "CUDA_ERROR_NEW (12345)");
  Nvml nvml{};
  nvml.nvmlErrorString = [](int) { return "Driver Not Loaded"; };
  EXPECT_EQ(nvml_error(nvml, 9), "Driver Not Loaded (9)");
  Cublas cublas{};
  cublas.cublasGetStatusString = [](int) { return "something new"; };
  EXPECT_EQ(cublas_error(cublas, 77), "something new (77)");
}

TEST(VendorErrors, SurviveALibraryThatAnswersNothing) {
  Cuda cuda{};
  cuda.cuGetErrorName = [](int, const char**) { return 1; };
  EXPECT_EQ(cuda_error(cuda, 100), "CUDA_ERROR_NO_DEVICE (100)");
  Nvml nvml{};
  nvml.nvmlErrorString = [](int) -> const char* { return nullptr; };
  EXPECT_EQ(nvml_error(nvml, 18), "driver and library versions differ (18)");
}

TEST(VendorLoad, BindsOpenBlasWithThePrefixOfTheWheel) {
#ifdef GPUREADY_OPENBLAS_LIBRARY
  const auto machine = host::make_real_host();
  const auto library = machine->open_library(GPUREADY_OPENBLAS_LIBRARY);
  ASSERT_TRUE(library) << library.error().text;
  EXPECT_TRUE(bind_blas<Cblas>(*machine, *library));
  const auto wheel = bind_blas<OpenBlas>(*machine, *library);
  ASSERT_TRUE(wheel) << wheel.error().detail;
  EXPECT_THAT(wheel->missing_optional, ::testing::IsEmpty());
  EXPECT_THAT(wheel->api.openblas_get_config(), HasSubstr("OpenBLAS"));
#else
  GTEST_SKIP() << "SKIPPED: no scipy-openblas32 (set GPUREADY_PYTHON to a Python with it)";
#endif
}

TEST(VendorLoad, BindsTheSystemsClBlast) {
  const auto machine = host::make_real_host();
  if (!machine->open_library("libclblast.so.1"))
    GTEST_SKIP() << "SKIPPED: no CLBlast on this machine";
  EXPECT_TRUE(load_clblast(*machine));
}

}  // namespace
}  // namespace gpuready::vendor
