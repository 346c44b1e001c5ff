#include <gtest/gtest.h>

#include <algorithm>

#include "gpuready/gpuready.hpp"
#include "rules/kernel_log_rules.hpp"
#include "rules/rule.hpp"

namespace gpuready::rules {
namespace {

Machine machine_of(const std::string& name) {
  auto session = open_session({GPUREADY_SOURCE_DIR "/tests/machines/" + name + ".json", ""});
  if (!session) {
    ADD_FAILURE() << session.error().text;
    return {};
  }
  return (*session)->facts(true);
}

std::vector<std::string> found_on(const Machine& machine) {
  const auto texts = catalog::load_rule_texts();
  std::vector<std::string> ids;
  for (const Finding& finding : find(machine, *texts)) ids.push_back(finding.id);
  return ids;
}

bool has(const std::vector<std::string>& ids, const char* id) {
  return std::ranges::find(ids, id) != ids.end();
}

void add_event(Machine& machine, KernelEventKind kind, double time_s, std::int64_t xid,
               const std::string& address) {
  KernelEvent event;
  event.kind = kind, event.time_s = {time_s, "/dev/kmsg"};
  event.text = "NVRM: a line";
  if (xid != 0) event.xid = {xid, "/dev/kmsg"};
  if (!address.empty()) event.pci_address = {address, "/dev/kmsg"};
  machine.kernel_log.events.push_back(event);
}

TEST(KernelLogRules, AGpuThatComputesHasNotFallenOffTheBusNorNeedsAReset) {
  Machine machine = machine_of("rtx-4090-workstation");
  add_event(machine, KernelEventKind::xid, 100, 79, "0000:01:00.0");
  add_event(machine, KernelEventKind::xid, 101, 62, "0000:01:00.0");
  add_event(machine, KernelEventKind::bus_loss, 102, 0, "");
  EXPECT_FALSE(gpu_fell_off_the_bus(machine));
  EXPECT_FALSE(xid_reset_needed(machine));
  machine.driver.cuda.devices.at(0).kernel = Missing{Absence::not_tested, "no context", {}};
  EXPECT_TRUE(xid_reset_needed(machine));
}

TEST(KernelLogRules, WhatLiesBeforeTheDriversLastStartOrASleepIsPast) {
  for (const KernelEventKind start : {KernelEventKind::driver_load, KernelEventKind::resume}) {
    Machine machine = machine_of("rules/gpu-fell-off-the-bus");
    EXPECT_TRUE(gpu_fell_off_the_bus(machine));
    EXPECT_FALSE(xid_in_the_past(machine));
    add_event(machine, start, 6000, 0, "");
    EXPECT_FALSE(gpu_fell_off_the_bus(machine));
    const auto past = xid_in_the_past(machine);
    ASSERT_TRUE(past);
    EXPECT_EQ(past->args[4], "31 min ago");
  }
}

TEST(KernelLogRules, ALostGpuOfNvmlIsToldWithoutALogAndOnlyWhereCudaIsDead) {
  Machine machine = machine_of("module-not-loaded");
  EXPECT_FALSE(gpu_fell_off_the_bus(machine));
  machine.driver.nvml.init = Missing{Absence::call_failed, "nvmlInit_v2: GPU is lost (15)", 15};
  EXPECT_TRUE(gpu_fell_off_the_bus(machine));
}

TEST(KernelLogRules, ARecoveryActionOfNoneNeedsNothing) {
  Machine machine = machine_of("rules/xid-ecc-chain");
  const auto wanted = xid_recovery_action(machine);
  ASSERT_TRUE(wanted);
  EXPECT_EQ(wanted->args[3], "GPU Reset Required");
  machine.kernel_log.events.back().text =
      "NVRM: Xid (PCI:0000:07:00): 154, GPU recovery action changed from 0x1 (GPU Reset Required) "
      "to 0x0 (None)";
  EXPECT_FALSE(xid_recovery_action(machine));
}

TEST(KernelLogRules, AClosedLogIsToldOnlyWhereSomethingIsWrong) {
  Machine broken = machine_of("module-not-loaded");
  broken.kernel_log.source = Missing{Absence::permission, "/dev/kmsg: EPERM", 1};
  EXPECT_TRUE(kernel_log_closed(broken));
  Machine healthy = machine_of("rtx-4090-workstation");
  healthy.kernel_log.source = broken.kernel_log.source;
  EXPECT_FALSE(kernel_log_closed(healthy));
}

TEST(HardwareRules, CausesThatTheLogNamesAreToldInPlaceOfTheGeneralOne) {
  for (const char* id : {"gpu-too-old-for-driver", "open-module-on-old-gpu",
                         "closed-module-on-new-gpu", "bar-too-small", "gsp-firmware-fails"}) {
    const auto ids = found_on(machine_of(std::string("rules/") + id));
    EXPECT_TRUE(has(ids, id));
    EXPECT_FALSE(has(ids, "driver-refuses-gpu")) << id;
  }
}

TEST(HardwareRules, NoneSpeaksOfTheModuleInWslOrAContainer) {
  for (const char* name : {"rules/module-present-not-loaded", "rules/driver-not-installed",
                           "rules/module-blacklisted", "rules/module-not-built-for-kernel"}) {
    Machine machine = machine_of(name);
    const auto before = found_on(machine);
    machine.environment.container = {"docker", "/.dockerenv"};
    const auto ids = found_on(machine);
    for (const char* id : {"module-not-loaded", "driver-not-installed", "module-blacklisted",
                           "module-not-built-for-kernel"})
      EXPECT_FALSE(has(ids, id)) << name;
    EXPECT_NE(before, ids) << name;
  }
}

}  // namespace
}  // namespace gpuready::rules
