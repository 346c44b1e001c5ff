#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/fakes/fault_loop.hpp"
#include "vendor/cuda.hpp"

namespace gpuready::probe {
namespace {

using ::testing::HasSubstr;

const fakes::Probe cuda_probe{"cuda", GPUREADY_FAKES_DIR "/libcuda.so.1", "libcuda.so.1",
                              "device\nname First\ndevice\nname Second\npci 0000:02:00.0\n"};

/// Every call that ask_cuda() makes and that a fact hangs on.
const std::vector<fakes::Affected> cuda_calls{
    {"cuInit", "/init"},
    {"cuDriverGetVersion", "/version"},
    {"cuDeviceGetCount", "/device_count"},
    {"cuDeviceGet", "/devices/0/context"},
    {"cuDeviceGetName", "/devices/0/name"},
    {"cuDeviceGetUuid_v2", "/devices/0/uuid"},
    {"cuDeviceGetPCIBusId", "/devices/0/pci_address"},
    {"cuDeviceGetAttribute", "/devices/0/sm_count"},
    {"cuDeviceTotalMem_v2", "/devices/0/memory_total_bytes"},
    {"cuDevicePrimaryCtxRetain", "/devices/0/context"},
    {"cuCtxSetCurrent", "/devices/0/context"},
    {"cuMemGetInfo_v2", "/devices/0/memory_free_bytes"},
    {"cuModuleLoadData", "/devices/0/kernel"},
    {"cuModuleGetFunction", "/devices/0/kernel"},
    {"cuMemAlloc_v2", "/devices/0/kernel"},
    {"cuMemcpyHtoD_v2", "/devices/0/kernel"},
    {"cuLaunchKernel", "/devices/0/kernel"},
    {"cuCtxSynchronize", "/devices/0/kernel"},
    {"cuMemcpyDtoH_v2", "/devices/0/kernel"},
};

/// Calls that clean up: their failure takes no fact.
const std::vector<fakes::Affected> cuda_cleanup{
    {"cuMemFree_v2", ""}, {"cuModuleUnload", ""}, {"cuDevicePrimaryCtxRelease_v2", ""}};

TEST(AskCuda, TellsWhatTheDriverSaysOfADevice) {
  const auto answer = fakes::answer_with("cuda", R"(cuda_version 12040
device
  name NVIDIA GeForce RTX 4090
  uuid 0123456789abcdef0123456789abcdef
  pci 0000:0A:00.0
  capability_major 8
  capability_minor 9
  memory_total 25757220864
  memory_free 25000000000
  sm_count 128
  l2 75497472
  clock_max_mhz 2520
)");
  EXPECT_EQ(answer["version"], "12.4");
  EXPECT_EQ(answer["device_count"], 1);
  const auto& device = answer["devices"][0];
  EXPECT_EQ(device["name"], "NVIDIA GeForce RTX 4090");
  EXPECT_EQ(device["uuid"], "GPU-01234567-89ab-cdef-0123-456789abcdef");
  EXPECT_EQ(device["pci_address"], "0000:0a:00.0");
  EXPECT_EQ(device["compute_capability"], "8.9");
  EXPECT_EQ(device["memory_total_bytes"], 25757220864);
  EXPECT_EQ(device["memory_free_bytes"], 25000000000);
  EXPECT_EQ(device["sm_count"], 128);
  EXPECT_EQ(device["l2_bytes"], 75497472);
  EXPECT_EQ(device["clock_hz"], 2.52e9);
  EXPECT_EQ(device["integrated"], false);
  EXPECT_EQ(device["context"], true);
  EXPECT_EQ(device["kernel"], true);
}

TEST(AskCuda, GivesTheUuidOfAMigDeviceItsPrefix) {
  const auto answer = fakes::answer_with("cuda",
                                         "device\nname NVIDIA A100-SXM4-40GB MIG 1g.5gb\n"
                                         "uuid 0123456789abcdef0123456789abcdef\n");
  EXPECT_EQ(answer["devices"][0]["uuid"], "MIG-01234567-89ab-cdef-0123-456789abcdef");
}

TEST(AskCuda, SaysFalseWhereTheKernelComputesWrong) {
  const auto answer = fakes::answer_with("cuda", "kernel-wrong\n");
  EXPECT_EQ(answer["devices"][0]["context"], true);
  EXPECT_EQ(answer["devices"][0]["kernel"], false);
}

TEST(AskCuda, SaysWhyWithoutADevice) {
  const auto answer = fakes::answer_with("cuda", "no-devices\n");
  EXPECT_EQ(fakes::at(answer, "/init/absent"), "call-failed");
  EXPECT_EQ(fakes::at(answer, "/init/code"), 100);
  EXPECT_EQ(fakes::at(answer, "/init/detail"), "cuInit: CUDA_ERROR_NO_DEVICE (100)");
  EXPECT_EQ(fakes::at(answer, "/device_count/absent"), "not-tested");
  EXPECT_EQ(answer["devices"].size(), 0U);
}

TEST(AskCuda, RefusesACountThatNoMachineHas) {
  const auto answer = fakes::answer_with("cuda", "cuda_count 100000\n");
  EXPECT_EQ(fakes::at(answer, "/device_count/absent"), "unreadable");
  EXPECT_EQ(answer["devices"].size(), 0U);
}

TEST(AskCuda, GoesOnWithTheNextDeviceAfterABrokenOne) {
  const auto answer =
      fakes::answer_with("cuda", cuda_probe.script + "fail cuDevicePrimaryCtxRetain 46 on 1\n");
  EXPECT_EQ(fakes::at(answer, "/devices/0/context/code"), 46);
  EXPECT_EQ(fakes::at(answer, "/devices/0/context/detail"),
            "cuDevicePrimaryCtxRetain: CUDA_ERROR_DEVICE_UNAVAILABLE (46)");
  EXPECT_EQ(fakes::at(answer, "/devices/0/kernel/absent"), "not-tested");
  EXPECT_EQ(fakes::at(answer, "/devices/0/memory_free_bytes/absent"), "not-tested");
  EXPECT_EQ(fakes::at(answer, "/devices/0/name"), "First");
  EXPECT_EQ(fakes::at(answer, "/devices/1/name"), "Second");
  EXPECT_EQ(fakes::at(answer, "/devices/1/kernel"), true);
}

TEST(AskCuda, GivesAnUnreachableDevicesReasonToEachOfItsFacts) {
  const auto answer = fakes::answer_with("cuda", cuda_probe.script + "fail cuDeviceGet 101 on 1\n");
  EXPECT_EQ(fakes::at(answer, "/devices/0/name/code"), 101);
  EXPECT_EQ(fakes::at(answer, "/devices/0/kernel/absent"), "not-tested");
  EXPECT_EQ(fakes::at(answer, "/devices/1/kernel"), true);
}

TEST(AskCuda, SaysThatMemoryForTheKernelRanOut) {
  const auto answer = fakes::answer_with("cuda", "device\nmemory_free 100\n");
  EXPECT_EQ(fakes::at(answer, "/devices/0/kernel/code"), 2);
  EXPECT_EQ(fakes::at(answer, "/devices/0/context"), true);
}

TEST(AskCuda, TakesOutWhatATerminalWouldObey) {
  const auto answer = fakes::answer_with("cuda", "device\nname Evil\x1b[2JGPU\n");
  EXPECT_THAT(answer["devices"][0]["name"].get<std::string>(), HasSubstr("GPU"));
  EXPECT_EQ(answer["devices"][0]["name"].get<std::string>().find('\x1b'), std::string::npos);
}

TEST(AskCuda, SaysWhereItLookedForALibraryThatIsNotThere) {
  const fakes::TemporaryFolder empty;
  const auto answer =
      fakes::answer_of(fakes::run_all({fakes::ask("cuda", "", empty.path())}).front());
  if (answer["library"].is_string()) GTEST_SKIP() << "SKIPPED: this machine has a CUDA driver";
  EXPECT_EQ(fakes::at(answer, "/library/absent"), "library-missing");
  EXPECT_THAT(fakes::at(answer, "/library/detail").get<std::string>(), HasSubstr("libcuda.so.1"));
  EXPECT_EQ(fakes::at(answer, "/init/absent"), "not-tested");
}

TEST(AskCuda, AnswersWithoutEachSymbolInTurn) {
  const auto symbols = fakes::symbols_of<vendor::Cuda>();
  const auto answers = fakes::answers_without(cuda_probe, symbols);
  ASSERT_EQ(answers.size(), symbols.size());
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    SCOPED_TRACE(symbols[i].name);
    if (symbols[i].need == vendor::Need::required) {
      EXPECT_EQ(fakes::at(answers[i], "/library/absent"), "symbol-missing");
      EXPECT_THAT(fakes::at(answers[i], "/library/detail").get<std::string>(),
                  HasSubstr(symbols[i].name));
      EXPECT_EQ(fakes::at(answers[i], "/init/absent"), "not-tested");
    } else {
      EXPECT_EQ(fakes::at(answers[i], "/devices/0/kernel"), true);
      EXPECT_EQ(fakes::at(answers[i], "/devices/1/kernel"), true);
    }
  }
}

TEST(AskCuda, NamesTheOptionalSymbolThatAFactNeeded) {
  const std::vector<fakes::Affected> list{{"cuDeviceGetName", "/devices/0/name"},
                                          {"cuDeviceGetPCIBusId", "/devices/0/pci_address"},
                                          {"cuDeviceTotalMem_v2", "/devices/0/memory_total_bytes"},
                                          {"cuMemGetInfo_v2", "/devices/0/memory_free_bytes"}};
  std::vector<fakes::Symbol> symbols;
  for (const auto& one : list) symbols.push_back({one.call, vendor::Need::optional});
  const auto answers = fakes::answers_without(cuda_probe, symbols);
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(fakes::at(answers[i], list[i].path + "/absent"), "symbol-missing");
    EXPECT_THAT(fakes::at(answers[i], list[i].path + "/detail").get<std::string>(),
                HasSubstr(list[i].call));
  }
}

TEST(AskCuda, AsksForTheOlderUuidWhereTheNewerIsMissing) {
  const auto answer =
      fakes::answers_without(cuda_probe, {{"cuDeviceGetUuid_v2", vendor::Need::optional}})[0];
  EXPECT_EQ(fakes::at(answer, "/devices/0/uuid"), "GPU-00000000-0000-0000-0000-000000000000");
}

TEST(AskCuda, NamesACodeItselfWhereTheDriverCannot) {
  const fakes::Probe failing{cuda_probe.what, cuda_probe.library, cuda_probe.soname,
                             "fail cuInit 802\n"};
  const auto answer =
      fakes::answers_without(failing, {{"cuGetErrorName", vendor::Need::optional}})[0];
  EXPECT_EQ(fakes::at(answer, "/init/detail"), "cuInit: CUDA_ERROR_SYSTEM_NOT_READY (802)");
}

TEST(AskCuda, TellsEachCallsFailureWithItsCodeAndGoesOn) {
  for (const int code : {2, 46, 999}) {
    const auto calls = fakes::calls_of(cuda_calls);
    const auto results = fakes::results_with(cuda_probe, "fail @ " + std::to_string(code), calls,
                                             std::chrono::seconds(60));
    for (std::size_t i = 0; i < results.size(); ++i) {
      SCOPED_TRACE(calls[i]);
      const auto answer = fakes::answer_of(results[i]);
      EXPECT_EQ(fakes::at(answer, cuda_calls[i].path + "/absent"), "call-failed");
      EXPECT_EQ(fakes::at(answer, cuda_calls[i].path + "/code"), code);
      EXPECT_THAT(fakes::at(answer, cuda_calls[i].path + "/detail").get<std::string>(),
                  HasSubstr(calls[i]));
    }
  }
}

TEST(AskCuda, TellsEveryCodeOfCuInitThatUsersMeet) {
  const std::vector<int> codes{1,   2,   3,   34,  35,  36,  46,  100, 101, 102,
                               200, 209, 214, 218, 222, 304, 700, 719, 800, 801,
                               802, 803, 804, 805, 806, 807, 808, 809, 810, 999};
  const fakes::TemporaryFolder folder;
  std::vector<host::Command> commands;
  for (const int code : codes) {
    const std::string number = std::to_string(code);
    commands.push_back(fakes::ask("cuda", folder.write(number, "fail cuInit " + number + "\n")));
  }
  const auto results = fakes::run_all(commands);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const auto answer = fakes::answer_of(results[i]);
    EXPECT_EQ(fakes::at(answer, "/init/code"), codes[i]);
    EXPECT_EQ(fakes::at(answer, "/version"), "13.0");
  }
}

TEST(AskCuda, LosesNoFactToACleanupThatFails) {
  const auto results = fakes::results_with(cuda_probe, "fail @ 999", fakes::calls_of(cuda_cleanup),
                                           std::chrono::seconds(60));
  for (const auto& result : results) {
    const auto answer = fakes::answer_of(result);
    EXPECT_EQ(fakes::at(answer, "/devices/0/kernel"), true);
    EXPECT_EQ(fakes::at(answer, "/devices/1/kernel"), true);
  }
}

TEST(AskCuda, IsEndedAtItsDeadlineWhereverItHangs) {
  fakes::expect_each_hang_to_time_out(cuda_probe, cuda_calls);
}

TEST(AskCuda, CrashesAloneWhereverTheDriverCrashes) {
  fakes::expect_each_crash_to_be_seen(cuda_probe, cuda_calls);
}

}  // namespace
}  // namespace gpuready::probe
