/// Every CPU library that this machine has, brought along or its own, against fp64.

#include <gmock/gmock.h>

#include <algorithm>

#include "api/cpu_plan.hpp"
#include "bench/cblas_library.hpp"
#include "bench/cpu_backend.hpp"
#include "bench/onednn_library.hpp"
#include "host/real_host.hpp"
#include "host/recorded_host.hpp"
#include "probe/probe.hpp"
#include "tests/bench/child.hpp"

namespace gpuready::bench {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::measure_in_child;
using ::testing::Not;

Machine this_machine(host::Host& host) {
  Machine machine;
  machine.libraries = probe::probe_libraries(host, {});
  return machine;
}

MeasureRequest request_for(const api::CpuLibrary& library, const std::string& dtype,
                           const Shape& shape) {
  MeasureRequest request;
  request.backend = {"cpu", library.backend, library.file, 1, 0, dtype};
  request.shape = shape;
  request.max_time_s = 0.05;
  return request;
}

void expect_right(const Case& c, const Shape& shape, const std::string& dtype) {
  EXPECT_TRUE(c.verification.passed);
  EXPECT_EQ(c.shape, shape);
  EXPECT_EQ(c.dtype.name, dtype);
  EXPECT_EQ(c.threads, 1);
  EXPECT_GT(c.flops, 0);
  EXPECT_TRUE(c.library.version.known());
  EXPECT_TRUE(c.library.file.known());
  EXPECT_TRUE(c.with_transfers_s.absent_for(Absence::not_applicable));
  EXPECT_FALSE(c.device_name.empty());
}

bool is_unsupported(const MeasureAnswer& answer) {
  const std::string errors = testing::errors_of(answer);
  return answer.cases.empty() && (errors.find("does not multiply") != std::string::npos ||
                                  errors.find("multiplies") != std::string::npos);
}

class EveryCpuLibrary : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryCpuLibrary, MultipliesRightOrSaysThatItDoesNot) {
  const auto host = host::make_real_host();
  const std::string dtype = GetParam();
  const auto libraries = api::cpu_libraries(this_machine(*host), dtype, "");
  if (libraries.empty()) GTEST_SKIP() << "SKIPPED: no CPU library for " << dtype << " here";
  for (const api::CpuLibrary& library : libraries)
    for (const Shape& shape : {Shape{1, 1, 1}, Shape{33, 129, 65}, Shape{200, 96, 300}}) {
      const MeasureAnswer answer = measure_in_child(*host, request_for(library, dtype, shape), {});
      const std::string what = library.file + ": " + testing::errors_of(answer);
      if (is_unsupported(answer)) continue;
      ASSERT_EQ(answer.cases.size(), 1U) << what;
      SCOPED_TRACE(what);
      expect_right(answer.cases[0], shape, dtype);
    }
}

INSTANTIATE_TEST_SUITE_P(Types, EveryCpuLibrary,
                         ::testing::Values("fp32", "fp64", "bf16", "fp16", "int8"),
                         [](const auto& type) { return std::string(type.param); });

std::string open_error(const BackendRequest& request) {
  host::RecordedHost nothing{host::Recording{}};
  const auto opened = open_backend(nothing, request);
  return opened ? "opened" : opened.error().text;
}

TEST(CpuBackends, RefuseTypesThatTheyNeverMultiply) {
  EXPECT_EQ(open_error({"cpu", "openblas", "", 1, 0, "bf16"}),
            "openblas does not multiply bf16 on cpu");
  EXPECT_EQ(open_error({"cpu", "onednn", "", 1, 0, "fp64"}),
            "onednn does not multiply fp64 on cpu");
  EXPECT_THAT(open_error({"cpu", "mkl", "", 1, 0, "fp64"}), HasSubstr("libmkl_rt.so.2"));
  EXPECT_THAT(open_error({"cpu", "blis", "", 1, 0}), HasSubstr("libblis.so.4"));
  EXPECT_THAT(open_error({"cpu", "onednn", "", 1, 0}), HasSubstr("libdnnl.so.3"));
}

TEST(CpuBackends, ALibraryOfAnotherKindIsRefused) {
  const auto host = host::make_real_host();
  const auto wrong = open_blas(*host, "blis", "libc.so.6");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().text, HasSubstr("cblas_sgemm"));
}

TEST(CpuBackends, OnednnTellsWhichTypesTheCpuMultipliesItself) {
  OneDnnLibrary library;
  library.version = "2.6.3";
  library.isa = 0xe7;
  EXPECT_EQ(multiplies_itself(library, "fp32"), true);
  EXPECT_THAT(multiplies_itself(library, "bf16").error().text,
              HasSubstr("oneDNN 2.6.3 multiplies bf16 only from version 3 on"));
  library.api.dnnl_matmul_primitive_desc_create = [](auto...) { return 0; };
  library.api.dnnl_memory_desc_create_with_strides = [](auto...) { return 0; };
  library.api.dnnl_memory_desc_destroy = [](auto...) { return 0; };
  EXPECT_EQ(multiplies_itself(library, "bf16"), true);
  EXPECT_EQ(multiplies_itself(library, "int8"), true);
  library.isa = 0x27;
  EXPECT_EQ(multiplies_itself(library, "bf16"), false);
  EXPECT_EQ(multiplies_itself(library, "int8").error().code, unsupported_code);
  EXPECT_THAT(multiplies_itself(library, "int8").error().text, HasSubstr("AVX512"));
}

TEST(CpuBackends, ReadVersionsAndKernelsFromWhatLibrariesTell) {
  EXPECT_TRUE(openblas_version("OpenBLAS 0.3.31 DYNAMIC_ARCH").is("0.3.31"));
  EXPECT_TRUE(openblas_version("GotoBLAS").absent_for(Absence::unreadable));
  EXPECT_TRUE(mkl_version("Intel(R) oneAPI Math Kernel Library Version 2026.2-Product Build 1")
                  .is("2026.2"));
  EXPECT_TRUE(mkl_version("none").absent_for(Absence::unreadable));
  EXPECT_TRUE(mkl_kernels("7f-7f r-xp 0 08:01 1 /opt/lib/libmkl_core.so.3\n"
                          "7f-7f r-xp 0 08:01 1 /opt/lib/libmkl_avx2.so.3\n")
                  .is("avx2"));
  EXPECT_TRUE(mkl_kernels("/lib/libmkl_rt.so.2").absent_for(Absence::not_found));
  EXPECT_EQ(isa_name(0xe7), "AVX512-BF16");
  EXPECT_EQ(isa_name(0x7fff), "instruction set 0x7fff");
  EXPECT_EQ(onednn_error("dnnl_sgemm", 3), "dnnl_sgemm: unimplemented (3)");
}

/// Four processors, two of them under each of two last caches.
TEST(CpuBackends, CountEachInstanceOfTheLastCacheOnce) {
  host::Recording recording;
  const std::string folder = "/sys/devices/system/cpu";
  recording.folders.insert_or_assign(
      folder, std::vector<std::string>{"cpu0", "cpu1", "cpu2", "cpu3", "cpufreq", "online"});
  for (int cpu = 0; cpu < 4; ++cpu) {
    const std::string caches = folder + "/cpu" + std::to_string(cpu) + "/cache";
    recording.folders.insert_or_assign(caches,
                                       std::vector<std::string>{"index0", "index3", "uevent"});
    recording.files.insert_or_assign(caches + "/index0/size", std::string("48K\n"));
    recording.files.insert_or_assign(caches + "/index3/size", std::string("32M\n"));
    recording.files.insert_or_assign(caches + "/index3/shared_cpu_list",
                                     std::string(cpu < 2 ? "0-1\n" : "2-3\n"));
  }
  host::RecordedHost host(std::move(recording));
  EXPECT_EQ(last_level_cache_bytes(host), 64.0 * 1024 * 1024);
  host::RecordedHost nothing{host::Recording{}};
  EXPECT_EQ(last_level_cache_bytes(nothing), 0);
}

}  // namespace
}  // namespace gpuready::bench
