#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <string>
#include <utility>

#include "probe/probe.hpp"
#include "tests/probe/recorded_machine.hpp"

namespace gpuready::probe {
namespace {

using host::End;

/// A machine whose three children all end in the given way.
Machine probe_with(const host::CommandResult& result, const ProbeOptions& options = {}) {
  host::Recording recording;
  for (const char* const what : {"nvml", "cuda", "opencl"})
    recording.commands.push_back({{"self", "__probe", what}, result});
  host::RecordedHost host(std::move(recording));
  Machine machine;
  probe_vendors(host, options, machine);
  return machine;
}

TEST(ProbeVendors, AHangBecomesTimedOut) {
  ProbeOptions options;
  options.deadline = std::chrono::seconds(7);
  const Machine machine = probe_with({End::timed_out, 0, "", ""}, options);
  EXPECT_TRUE(machine.driver.nvml.init.absent_for(Absence::timed_out));
  EXPECT_TRUE(machine.driver.cuda.library.absent_for(Absence::timed_out));
  EXPECT_TRUE(machine.opencl_loader.absent_for(Absence::timed_out));
  EXPECT_EQ(machine.driver.nvml.init.missing().detail, "gave no answer within 7 s");
}

TEST(ProbeVendors, ACrashCarriesItsSignalAndTheChildsLastWords) {
  const Machine machine =
      probe_with({End::signalled, SIGSEGV, R"({"answer":{"init":tr)", "one\n\x1b[31mtwo\n"});
  const Missing& why = machine.driver.cuda.init.missing();
  EXPECT_EQ(why.reason, Absence::crashed);
  EXPECT_EQ(why.code, SIGSEGV);
  EXPECT_NE(why.detail.find("; two"), std::string::npos);
}

TEST(ProbeVendors, GarbageIsUnreadable) {
  for (const char* const output :
       {"", "hello", "[]", "{}", R"({"answer":7})", R"({"answer":{"init":"yes"}})",
        R"({"answer":{"devices":[{"index":-0.5}]}})", R"({"answer":{"devices":{}},"sources":3})"}) {
    const Machine machine = probe_with({End::exited, 0, output, ""});
    EXPECT_TRUE(machine.driver.nvml.init.absent_for(Absence::unreadable)) << output;
    EXPECT_TRUE(machine.driver.nvml.devices.empty()) << output;
  }
}

TEST(ProbeVendors, AFailedExitWithoutAnAnswerSaysHowItEnded) {
  const Machine machine = probe_with({End::exited, 70, "", "no such probe"});
  EXPECT_EQ(machine.driver.nvml.init.missing().detail, "exited with status 70; no such probe");
}

TEST(ProbeVendors, AChildThatCannotStartLeavesTheFactsUntested) {
  host::RecordedHost host{host::Recording{}};
  Machine machine;
  probe_vendors(host, {}, machine);
  EXPECT_TRUE(machine.driver.nvml.init.absent_for(Absence::not_tested));
}

TEST(ProbeVendors, WhatIsNotAskedForIsNotTested) {
  ProbeOptions options;
  options.cuda = false;
  const Machine machine = probe_with({End::timed_out, 0, "", ""}, options);
  EXPECT_TRUE(machine.driver.cuda.init.absent_for(Absence::not_tested));
  EXPECT_TRUE(machine.driver.nvml.init.absent_for(Absence::timed_out));
}

TEST(ProbeVendors, AnswersKeepTheirSources) {
  const Machine machine = probe_with(
      {End::exited, 0,
       R"({"answer":{"init":true,"devices":[{"index":0,"name":"X"}]},"sources":{"init":"call","devices[0].name":"other"}})",
       ""});
  EXPECT_EQ(machine.driver.nvml.init.source(), "call");
  EXPECT_EQ(machine.driver.nvml.devices.at(0).name.source(), "other");
}

}  // namespace
}  // namespace gpuready::probe
