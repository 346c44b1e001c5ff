#include "cli/apply.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gpuready::cli {
namespace {

/// A machine on which each command ends as its text says.
class ScriptedSession : public Session {
 public:
  std::vector<std::string> ran;

  [[nodiscard]] bool recorded() const override { return false; }
  Machine facts(const FactsRequest& /*request*/) override { return {}; }
  Machine cuda_facts(bool /*with_python*/) override { return {}; }
  Result<BenchAnswer> bench(const Machine& /*machine*/, const Doctor& /*doctor*/,
                            const BenchRequest& /*request*/,
                            const ProgressSink& /*progress*/) override {
    return failure("not in this test");
  }
  [[nodiscard]] Run new_run(std::string_view /*command*/) const override { return {}; }
  Result<Fit> fit(const Machine& /*machine*/) override { return failure("not in this test"); }
  Result<Estimate> estimate(const Machine& /*machine*/, const FitRequest& /*request*/) override {
    return failure("not in this test");
  }
  Result<FitList> list_fits(const Machine& /*machine*/, const FitRequest& /*request*/) override {
    return failure("not in this test");
  }
  Result<Next> next(const Machine& /*machine*/, const Doctor& /*doctor*/,
                    const DeviceChoice& /*torch_device*/, const Bench& /*bench*/) override {
    return failure("not in this test");
  }
  Setup setup(const Machine& /*machine*/, const Doctor& /*doctor*/) override { return {}; }
  Result<CommandEnd> run_command(const std::string& command, bool /*output_to_errors*/) override {
    ran.push_back(command);
    if (command == "fail") return CommandEnd{false, 0, "exited with status 7"};
    if (command == "interrupted") return CommandEnd{false, 2, "killed by signal 2"};
    return CommandEnd{true, 0, "exited with status 0"};
  }
  Result<std::string> record(const FactsRequest& /*request*/) override {
    return failure("not in this test");
  }
};

SetupStep step(const std::string& id, std::vector<std::string> commands, bool done = false) {
  SetupStep made;
  made.id = id, made.commands = std::move(commands), made.done = done;
  made.what = {"", {id}};
  return made;
}

using Commands = std::vector<std::string>;

TEST(Apply, ARestartEndsTheRunAndIsNotOursToDo) {
  ScriptedSession session;
  gpuready::Setup setup;
  setup.steps = {step("driver", {"install"}), step("restart", {"sudo reboot"}),
                 step("torch", {"pip"})};
  EXPECT_EQ(apply_setup(session, {}, {}, true, setup), 1);
  EXPECT_EQ(session.ran, Commands{"install"});
}

TEST(Apply, TheFirstFailureEndsTheRun) {
  ScriptedSession session;
  gpuready::Setup setup;
  setup.steps = {step("driver", {"one", "fail", "three"}), step("torch", {"pip"})};
  EXPECT_EQ(apply_setup(session, {}, {}, true, setup), 4);
  EXPECT_EQ(session.ran, (Commands{"one", "fail"}));
  ASSERT_EQ(setup.applied.size(), 2U);
  EXPECT_TRUE(setup.applied[0].succeeded);
  EXPECT_FALSE(setup.applied[1].succeeded);
  EXPECT_EQ(setup.applied[1].ended, "exited with status 7");
}

TEST(Apply, CtrlCEndsTheRun) {
  ScriptedSession session;
  gpuready::Setup setup;
  setup.steps = {step("torch", {"interrupted", "pip"})};
  EXPECT_EQ(apply_setup(session, {}, {}, true, setup), 130);
  EXPECT_EQ(session.ran, Commands{"interrupted"});
}

TEST(Apply, WhatIsDoneIsNotRunAndDoctorIsOurs) {
  ScriptedSession session;
  gpuready::Setup setup;
  setup.steps = {step("driver", {"install"}, true), step("torch", {"pip"}),
                 step("check", {"product", "gpuready doctor"})};
  EXPECT_EQ(apply_setup(session, {}, {}, true, setup), std::nullopt);
  EXPECT_EQ(session.ran, (Commands{"pip", "product"}));
}

TEST(Apply, TheCheckWaitsForWhatIsToBeDoneByHand) {
  ScriptedSession session;
  gpuready::Setup setup;
  setup.steps = {step("driver", {}), step("torch", {"pip"}), step("check", {"product"})};
  EXPECT_EQ(apply_setup(session, {}, {}, true, setup), std::nullopt);
  EXPECT_EQ(session.ran, Commands{"pip"});
}

}  // namespace
}  // namespace gpuready::cli
