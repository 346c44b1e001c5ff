#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/fakes/fault_loop.hpp"
#include "vendor/nvml.hpp"

namespace gpuready::probe {
namespace {

using ::testing::HasSubstr;

/// MIG is on, so that every call is made.
const fakes::Probe nvml_probe{"nvml", GPUREADY_FAKES_DIR "/libnvidia-ml.so.1", "libnvidia-ml.so.1",
                              "device\nname First\nmig 1\nmig_instances 2\necc 1\nremap_pending 0\n"
                              "fabric_state 3\nnvlinks 4\nvirtualization 2\n"
                              "device\nname Second\n"};

const std::vector<fakes::Affected> nvml_calls{
    {"nvmlInit_v2", "/init"},
    {"nvmlSystemGetDriverVersion", "/driver_version"},
    {"nvmlSystemGetCudaDriverVersion_v2", "/cuda_version"},
    {"nvmlDeviceGetCount_v2", "/device_count"},
    {"nvmlDeviceGetHandleByIndex_v2", "/devices/0/name"},
    {"nvmlDeviceGetName", "/devices/0/name"},
    {"nvmlDeviceGetUUID", "/devices/0/uuid"},
    {"nvmlDeviceGetPciInfo_v3", "/devices/0/pci_address"},
    {"nvmlDeviceGetCudaComputeCapability", "/devices/0/compute_capability"},
    {"nvmlDeviceGetMemoryInfo_v2", "/devices/0/memory_reserved_bytes"},
    {"nvmlDeviceGetClockInfo", "/devices/0/sm_clock_hz"},
    {"nvmlDeviceGetMaxClockInfo", "/devices/0/memory_clock_max_hz"},
    {"nvmlDeviceGetTemperature", "/devices/0/temperature_c"},
    {"nvmlDeviceGetPowerUsage", "/devices/0/power_w"},
    {"nvmlDeviceGetEnforcedPowerLimit", "/devices/0/power_limit_w"},
    {"nvmlDeviceGetPowerManagementDefaultLimit", "/devices/0/power_default_limit_w"},
    {"nvmlDeviceGetCurrPcieLinkGeneration", "/devices/0/pcie_generation"},
    {"nvmlDeviceGetMaxPcieLinkGeneration", "/devices/0/pcie_generation_max"},
    {"nvmlDeviceGetCurrPcieLinkWidth", "/devices/0/pcie_width"},
    {"nvmlDeviceGetMaxPcieLinkWidth", "/devices/0/pcie_width_max"},
    {"nvmlDeviceGetMigMode", "/devices/0/mig_enabled"},
    {"nvmlDeviceGetMaxMigDeviceCount", "/devices/0/mig_instances"},
    {"nvmlDeviceGetMigDeviceHandleByIndex", "/devices/0/mig_instances"},
    {"nvmlDeviceGetEccMode", "/devices/0/ecc_enabled"},
    {"nvmlDeviceGetPersistenceMode", "/devices/0/persistence"},
    {"nvmlDeviceGetComputeMode", "/devices/0/compute_mode"},
    {"nvmlDeviceGetRemappedRows", "/devices/0/remap_pending"},
    {"nvmlDeviceGetComputeRunningProcesses_v3", "/devices/0/processes"},
    {"nvmlDeviceGetGraphicsRunningProcesses_v3", "/devices/0/processes"},
    {"nvmlDeviceGetNvLinkState", "/devices/0/nvlinks"},
    {"nvmlDeviceGetGpuFabricInfo", "/devices/0/fabric_state"},
    {"nvmlDeviceGetVirtualizationMode", "/devices/0/virtualization"},
    {"nvmlDeviceGetGridLicensableFeatures_v4", "/devices/0/vgpu_license"},
};

TEST(AskNvml, TellsWhatNvmlSaysOfADevice) {
  const auto answer = fakes::answer_with("nvml", R"(driver_version 550.54.15
cuda_version 12040
device
  name NVIDIA H200
  uuid 0123456789abcdef0123456789abcdef
  pci 0000:1B:00.0
  capability_major 9
  capability_minor 0
  memory_total 150754820096
  memory_free 150000000000
  memory_reserved 500000000
  power_mw 75125
  power_limit_mw 600000
  power_default_mw 700000
  temperature 33
  clock_mhz 345
  memory_clock_max_mhz 3201
  pcie_generation 5
  pcie_width 8
  mig 1
  mig_pending 0
  mig_instances 3
  ecc 1
  persistence 1
  compute_mode 3
  clock_reasons 4
)");
  EXPECT_EQ(answer["driver_version"], "550.54.15");
  EXPECT_EQ(answer["cuda_version"], "12.4");
  const auto& device = answer["devices"][0];
  EXPECT_EQ(device["name"], "NVIDIA H200");
  EXPECT_EQ(device["uuid"], "GPU-01234567-89ab-cdef-0123-456789abcdef");
  EXPECT_EQ(device["pci_address"], "0000:1b:00.0");
  EXPECT_EQ(device["compute_capability"], "9.0");
  EXPECT_EQ(device["memory_total_bytes"], 150754820096);
  EXPECT_EQ(device["memory_free_bytes"], 150000000000);
  EXPECT_EQ(device["memory_used_bytes"], 254820096);
  EXPECT_EQ(device["memory_reserved_bytes"], 500000000);
  EXPECT_EQ(device["power_w"], 75.125);
  EXPECT_EQ(device["power_limit_w"], 600.0);
  EXPECT_EQ(device["power_default_limit_w"], 700.0);
  EXPECT_EQ(device["temperature_c"], 33.0);
  EXPECT_EQ(device["sm_clock_hz"], 345e6);
  EXPECT_EQ(device["memory_clock_max_hz"], 3201e6);
  EXPECT_EQ(device["pcie_generation"], 5);
  EXPECT_EQ(device["pcie_width"], 8);
  EXPECT_EQ(device["mig_enabled"], true);
  EXPECT_EQ(device["mig_pending"], false);
  EXPECT_EQ(device["mig_instances"], 3);
  EXPECT_EQ(device["ecc_enabled"], true);
  EXPECT_EQ(device["persistence"], true);
  EXPECT_EQ(device["compute_mode"], "exclusive-process");
  EXPECT_EQ(device["clock_event_reasons"], 4);
}

TEST(AskNvml, TellsOfHealthAndOfWhoUsesTheDevice) {
  const auto answer = fakes::answer_with("nvml", R"(device
  remap_pending 1
  remap_failed 1
  compute_processes 2
  graphics_processes 3
  nvlinks 18
  nvlinks_active 17
  fabric_state 2
  virtualization 2
  license_state 3
)");
  const auto& device = answer["devices"][0];
  EXPECT_EQ(device["remap_pending"], true);
  EXPECT_EQ(device["remap_failed"], true);
  EXPECT_EQ(device["processes"], 5);
  EXPECT_EQ(device["nvlinks"], 18);
  EXPECT_EQ(device["nvlinks_active"], 17);
  EXPECT_EQ(device["fabric_state"], "in-progress");
  EXPECT_EQ(device["virtualization"], "vgpu");
  EXPECT_EQ(device["vgpu_license"], "unlicensed-restricted");
}

TEST(AskNvml, AsksForALicenceOnlyOnAVgpu) {
  const auto answer = fakes::answer_with("nvml", "device\n");
  EXPECT_EQ(fakes::at(answer, "/devices/0/virtualization"), "none");
  EXPECT_EQ(fakes::at(answer, "/devices/0/vgpu_license/absent"), "not-applicable");
  EXPECT_EQ(fakes::at(answer, "/devices/0/nvlinks/absent"), "not-applicable");
  EXPECT_EQ(fakes::at(answer, "/devices/0/processes"), 0);
}

TEST(AskNvml, CallsWhatADeviceDoesNotSupportNotApplicable) {
  const auto answer = fakes::answer_with(
      "nvml",
      "device\nfail nvmlDeviceGetMemoryInfo_v2 3\nfail nvmlDeviceGetMemoryInfo 3\n"
      "fail nvmlDeviceGetPowerUsage 4\n");
  EXPECT_EQ(fakes::at(answer, "/devices/0/memory_total_bytes/absent"), "not-applicable");
  EXPECT_EQ(fakes::at(answer, "/devices/0/memory_total_bytes/code"), 3);
  EXPECT_EQ(fakes::at(answer, "/devices/0/ecc_enabled/absent"), "not-applicable");
  EXPECT_EQ(fakes::at(answer, "/devices/0/mig_instances/absent"), "not-applicable");
  EXPECT_EQ(fakes::at(answer, "/devices/0/power_w/absent"), "permission");
}

TEST(AskNvml, CountsNoInstancesWhereMigIsOff) {
  const auto answer = fakes::answer_with("nvml", "device\nmig 0\n");
  EXPECT_EQ(fakes::at(answer, "/devices/0/mig_enabled"), false);
  EXPECT_EQ(fakes::at(answer, "/devices/0/mig_instances"), 0);
}

TEST(AskNvml, FallsBackToTheOlderMemoryCall) {
  const auto answer = fakes::answer_with("nvml",
                                         "device\nmemory_total 1000\nmemory_free 400\n"
                                         "fail nvmlDeviceGetMemoryInfo_v2 25\n");
  EXPECT_EQ(fakes::at(answer, "/devices/0/memory_used_bytes"), 600);
  EXPECT_EQ(fakes::at(answer, "/devices/0/memory_reserved_bytes/code"), 25);
}

TEST(AskNvml, FallsBackToTheOlderNameOfTheClockReasons) {
  const auto answer = fakes::answers_without(
      nvml_probe, {{"nvmlDeviceGetCurrentClocksEventReasons", vendor::Need::optional}})[0];
  EXPECT_EQ(fakes::at(answer, "/devices/0/clock_event_reasons"), 1);
}

TEST(AskNvml, RefusesAModeItDoesNotKnow) {
  const auto answer = fakes::answer_with("nvml", "device\ncompute_mode 7\n");
  EXPECT_EQ(fakes::at(answer, "/devices/0/compute_mode/absent"), "unreadable");
}

TEST(AskNvml, RefusesACountThatNoMachineHas) {
  const auto answer = fakes::answer_with("nvml", "nvml_count 4000000000\n");
  EXPECT_EQ(fakes::at(answer, "/device_count/absent"), "unreadable");
  EXPECT_EQ(answer["devices"].size(), 0U);
}

TEST(AskNvml, AnswersOnAMachineWithoutGpus) {
  const auto answer = fakes::answer_with("nvml", "no-devices\n");
  EXPECT_EQ(answer["init"], true);
  EXPECT_EQ(answer["device_count"], 0);
}

TEST(AskNvml, GoesOnWithTheNextGpuAfterALostOne) {
  const auto answer = fakes::answer_with(
      "nvml", nvml_probe.script + "fail nvmlDeviceGetHandleByIndex_v2 15 on 1\n");
  EXPECT_EQ(fakes::at(answer, "/devices/0/name/code"), 15);
  EXPECT_EQ(fakes::at(answer, "/devices/0/power_w/detail"),
            "nvmlDeviceGetHandleByIndex_v2: GPU is lost (15)");
  EXPECT_EQ(fakes::at(answer, "/devices/1/name"), "Second");
}

TEST(AskNvml, AnswersWithoutEachSymbolInTurn) {
  const auto symbols = fakes::symbols_of<vendor::Nvml>();
  const auto answers = fakes::answers_without(nvml_probe, symbols);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    SCOPED_TRACE(symbols[i].name);
    if (symbols[i].need == vendor::Need::required) {
      EXPECT_EQ(fakes::at(answers[i], "/library/absent"), "symbol-missing");
      continue;
    }
    EXPECT_EQ(fakes::at(answers[i], "/init"), true);
    for (const auto& one : nvml_calls) {
      if (one.call != symbols[i].name) continue;
      EXPECT_EQ(fakes::at(answers[i], one.path + "/absent"), "symbol-missing");
      EXPECT_THAT(fakes::at(answers[i], one.path + "/detail").get<std::string>(),
                  HasSubstr(one.call));
    }
  }
}

TEST(AskNvml, TellsEachCallsFailureWithItsCode) {
  const std::vector<std::pair<int, std::string>> codes{
      {3, "not-applicable"}, {4, "permission"}, {15, "call-failed"}, {999, "call-failed"}};
  for (const auto& [code, absence] : codes) {
    const auto calls = fakes::calls_of(nvml_calls);
    const auto results = fakes::results_with(nvml_probe, "fail @ " + std::to_string(code), calls,
                                             std::chrono::seconds(60));
    for (std::size_t i = 0; i < results.size(); ++i) {
      SCOPED_TRACE(calls[i]);
      const auto answer = fakes::answer_of(results[i]);
      EXPECT_EQ(fakes::at(answer, nvml_calls[i].path + "/absent"), absence);
      EXPECT_EQ(fakes::at(answer, nvml_calls[i].path + "/code"), code);
    }
  }
}

TEST(AskNvml, TellsEveryCodeOfNvmlInit) {
  const std::vector<int> codes{1,  3,  4,  6,  8,  9,  10, 12, 13, 14, 15, 16,
                               17, 18, 19, 20, 21, 22, 23, 25, 26, 28, 999};
  const fakes::TemporaryFolder folder;
  std::vector<host::Command> commands;
  for (const int code : codes) {
    const std::string number = std::to_string(code);
    commands.push_back(
        fakes::ask("nvml", folder.write(number, "fail nvmlInit_v2 " + number + "\n")));
  }
  const auto results = fakes::run_all(commands);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const auto answer = fakes::answer_of(results[i]);
    EXPECT_EQ(fakes::at(answer, "/init/code"), codes[i]);
    EXPECT_EQ(fakes::at(answer, "/device_count/absent"), "not-tested");
  }
}

TEST(AskNvml, IsEndedAtItsDeadlineWhereverItHangs) {
  fakes::expect_each_hang_to_time_out(nvml_probe, nvml_calls);
}

TEST(AskNvml, CrashesAloneWhereverNvmlCrashes) {
  fakes::expect_each_crash_to_be_seen(nvml_probe, nvml_calls);
}

}  // namespace
}  // namespace gpuready::probe
