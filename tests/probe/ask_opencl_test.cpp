#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/fakes/fault_loop.hpp"
#include "vendor/opencl.hpp"

namespace gpuready::probe {
namespace {

using ::testing::HasSubstr;

constexpr const char* fake_folder = GPUREADY_FAKES_DIR "/opencl";

const fakes::Probe opencl_probe{"opencl", GPUREADY_FAKES_DIR "/opencl/libOpenCL.so.1",
                                "libOpenCL.so.1", "device\nname First\ndevice\nname Second\n"};

base::Json fake_answer(const std::string& script) {
  const fakes::TemporaryFolder folder;
  return fakes::answer_of(
      fakes::run_all({fakes::ask("opencl", folder.write("script", script), fake_folder)}).front());
}

TEST(AskOpenCl, TellsTheDevicesOfAllPlatforms) {
  const auto answer =
      fake_answer("device\nname First\nmemory_total 8000\nsm_count 20\ndevice\nname Second\n");
  ASSERT_EQ(answer["devices"].size(), 2U);
  const auto& device = answer["devices"][0];
  EXPECT_EQ(device["platform"], "Fake OpenCL");
  EXPECT_EQ(device["name"], "First");
  EXPECT_EQ(device["type"], "gpu");
  EXPECT_EQ(device["version"], "OpenCL 3.0 CUDA");
  EXPECT_EQ(device["memory_bytes"], 8000);
  EXPECT_EQ(device["max_allocation_bytes"], 2000);
  EXPECT_EQ(device["compute_units"], 20);
  EXPECT_EQ(answer["devices"][1]["index"], 1);
}

TEST(AskOpenCl, KnowsALoaderThatHasNoPlatform) {
  const auto answer = fake_answer("fail clGetPlatformIDs -1001\n");
  EXPECT_THAT(answer["loader"].get<std::string>(), HasSubstr("libOpenCL.so.1"));
  EXPECT_EQ(answer["devices"].size(), 0U);
}

TEST(AskOpenCl, KnowsAPlatformThatHasNoDevice) {
  const auto answer = fake_answer("no-devices\n");
  EXPECT_TRUE(answer["loader"].is_string());
  EXPECT_EQ(answer["devices"].size(), 0U);
}

TEST(AskOpenCl, TellsALoaderThatFails) {
  const auto answer = fake_answer("fail clGetPlatformIDs -6\n");
  EXPECT_EQ(fakes::at(answer, "/loader/absent"), "call-failed");
  EXPECT_EQ(fakes::at(answer, "/loader/detail"), "clGetPlatformIDs: CL_OUT_OF_HOST_MEMORY (-6)");
}

TEST(AskOpenCl, ListsAPlatformThatFailsAfterTheRealDevices) {
  // The first call, of the first platform, fails; the second platform is empty.
  const auto answer = fake_answer("device\nfail clGetDeviceIDs -5 on 1\n");
  ASSERT_EQ(answer["devices"].size(), 1U);
  EXPECT_EQ(fakes::at(answer, "/devices/0/platform"), "Fake OpenCL");
  EXPECT_EQ(fakes::at(answer, "/devices/0/name/code"), -5);
}

TEST(AskOpenCl, TellsWhatOneDeviceDoesNotAnswer) {
  const auto answer = fake_answer(opencl_probe.script + "fail clGetDeviceInfo -33 on 1\n");
  EXPECT_EQ(fakes::at(answer, "/devices/0/name/code"), -33);
  EXPECT_EQ(fakes::at(answer, "/devices/0/type"), "gpu");
  EXPECT_EQ(fakes::at(answer, "/devices/1/name"), "Second");
}

TEST(AskOpenCl, NeedsEachSymbolThatTellsOfDevices) {
  auto symbols = fakes::symbols_of<vendor::OpenCl>();
  std::erase_if(symbols, [](const auto& one) { return one.need == vendor::Need::optional; });
  EXPECT_EQ(symbols.size(), 4U);
  const auto answers = fakes::answers_without(opencl_probe, symbols);
  for (std::size_t i = 0; i < symbols.size(); ++i)
    EXPECT_EQ(fakes::at(answers[i], "/loader/absent"), "symbol-missing") << symbols[i].name;
}

TEST(AskOpenCl, IsEndedWhereverTheLoaderHangsOrCrashes) {
  const std::vector<fakes::Affected> calls{{"clGetPlatformIDs", ""},
                                           {"clGetPlatformInfo", ""},
                                           {"clGetDeviceIDs", ""},
                                           {"clGetDeviceInfo", ""}};
  const fakes::TemporaryFolder folder;
  std::vector<host::Command> commands;
  for (const char* const fault : {"hang ", "crash "})
    for (const auto& one : calls) {
      commands.push_back(fakes::ask(
          "opencl", folder.write(std::to_string(commands.size()), fault + one.call + "\n"),
          fake_folder));
      if (commands.size() <= calls.size())
        commands.back().deadline = std::chrono::milliseconds(300);
    }
  const auto results = fakes::run_all(commands);
  for (std::size_t i = 0; i < results.size(); ++i)
    EXPECT_EQ(results[i].end, i < calls.size() ? host::End::timed_out : host::End::signalled);
}

TEST(AskOpenCl, FindsThePortableComputingLanguagesCpu) {
  const auto real = host::make_real_host();
  if (!real->open_library("libOpenCL.so.1") || !real->open_library("libpocl.so.2"))
    GTEST_SKIP() << "SKIPPED: no OpenCL loader with PoCL on this machine";
  const fakes::TemporaryFolder empty;
  const auto answer =
      fakes::answer_of(fakes::run_all({fakes::ask("opencl", "", empty.path())}).front());
  ASSERT_GE(answer["devices"].size(), 1U);
  const auto is_cpu = [](const base::Json& device) { return device["type"] == "cpu"; };
  const auto& devices = answer["devices"];
  const auto cpu = std::ranges::find_if(devices, is_cpu);
  ASSERT_NE(cpu, devices.end());
  EXPECT_GT((*cpu)["memory_bytes"], 0);
  EXPECT_GT((*cpu)["compute_units"], 0);
  EXPECT_THAT((*cpu)["version"].get<std::string>(), HasSubstr("OpenCL"));
}

}  // namespace
}  // namespace gpuready::probe
