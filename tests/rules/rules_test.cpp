#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/text.hpp"
#include "gpuready/gpuready.hpp"
#include "rules/ladder.hpp"
#include "rules/rule.hpp"
#include "tests/golden.hpp"

namespace gpuready::rules {
namespace {

namespace fs = std::filesystem;
const fs::path source = GPUREADY_SOURCE_DIR;

/// Every recorded machine by name: whole ones, and those made for a rule.
const std::map<std::string, Machine>& machines() {
  static const std::map<std::string, Machine> all = [] {
    std::map<std::string, Machine> found;
    for (const auto& entry : fs::recursive_directory_iterator(source / "tests" / "machines")) {
      if (entry.path().extension() != ".json") continue;
      auto session = open_session({entry.path().string(), ""});
      if (!session) {
        ADD_FAILURE() << session.error().text;
        continue;
      }
      found[fs::relative(entry.path(), source / "tests" / "machines").replace_extension("")] =
          (*session)->facts(true);
    }
    return found;
  }();
  return all;
}

const catalog::RuleTexts& texts() {
  static const auto loaded = catalog::load_rule_texts();
  if (!loaded) ADD_FAILURE() << loaded.error().text;
  static const catalog::RuleTexts none;
  return loaded ? *loaded : none;
}

TEST(Rules, EveryRuleHasItsTextsAndEveryTextItsRule) {
  std::set<std::string> ids;
  for (const Rule& rule : all_rules()) {
    EXPECT_TRUE(ids.insert(std::string(rule.id)).second) << rule.id << " stands twice";
    EXPECT_EQ(texts().count(rule.id), 1U) << rule.id;
    EXPECT_EQ(rule.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
              std::string_view::npos)
        << rule.id;
  }
  for (const auto& [id, text] : texts()) {
    EXPECT_EQ(ids.count(id), 1U) << id << " has texts but no rule";
    EXPECT_TRUE(text.severity == Severity::info || !text.fixes.empty()) << id << " has no fix";
  }
}

TEST(Rules, EveryRuleSpeaksOnOneMachineAndKeepsSilentOnAnother) {
  for (const Rule& rule : all_rules()) {
    std::size_t speaks = 0;
    for (const auto& [name, machine] : machines()) speaks += rule.check(machine) ? 1 : 0;
    EXPECT_GE(speaks, 1U) << rule.id << " speaks on no recorded machine";
    EXPECT_LT(speaks, machines().size()) << rule.id << " speaks on every recorded machine";
  }
}

TEST(Rules, EverySilencerIsARule) {
  for (const Rule& rule : all_rules()) {
    for (const std::string_view other : rule.silenced_by) {
      EXPECT_TRUE(std::ranges::any_of(all_rules(), [&](const Rule& r) { return r.id == other; }))
          << rule.id << " is silenced by " << other;
    }
  }
}

TEST(Rules, TheFindingsOfEveryRecordedMachineAreFrozen) {
  std::string text;
  for (const auto& [name, machine] : machines()) {
    text += name + ":";
    for (const Finding& finding : find(machine, texts())) text += " " + finding.id;
    text += "\n";
  }
  testing::expect_golden(source / "tests" / "golden" / "findings.txt", text);
}

TEST(Rules, HealthyMachinesHaveNeitherBlockersNorDegradations) {
  for (const auto& [name, machine] : machines()) {
    const bool made_for_a_rule = base::starts_with(name, "rules/");
    if (made_for_a_rule || climb(machine).verdict != Verdict::usable) continue;
    for (const Finding& finding : find(machine, texts()))
      EXPECT_GE(finding.severity, Severity::risk) << name << ": " << finding.id;
  }
}

TEST(Rules, NoPlaceholderIsLeftInAFindingAndNoEvidenceIsEmpty) {
  for (const auto& [name, machine] : machines()) {
    for (const Finding& finding : find(machine, texts())) {
      EXPECT_FALSE(finding.evidence.empty()) << finding.id;
      for (const Message* message : {&finding.title, &finding.meaning})
        EXPECT_EQ(message->args[0].find("{0}"), std::string::npos) << finding.id;
      for (const Evidence& e : finding.evidence) {
        EXPECT_FALSE(e.field.empty()) << finding.id;
        EXPECT_FALSE(e.value.empty()) << finding.id;
      }
    }
  }
}

TEST(Rules, WhatARecordingSaysIsOneWordOfTheShellInACommand) {
  for (const char* const name : {"rules/jupyter-kernel-elsewhere", "torch-cpu-build",
                                 "rules/nvidia-packages-differ-from-pins"}) {
    Machine machine = machines().at(name);
    for (PythonEnvironment& python : machine.python) python.executable = "/tmp/$(reboot)/python";
    std::size_t commands = 0;
    for (const Finding& finding : find(machine, texts())) {
      for (const Fix& fix : finding.fixes) {
        for (const std::string& command : fix.commands) {
          if (!base::contains(command, "reboot)")) continue;
          EXPECT_TRUE(base::contains(command, "'/tmp/$(reboot)/python'")) << command;
          ++commands;
        }
      }
    }
    EXPECT_GT(commands, 0U) << name;
  }
}

TEST(Rules, AValueIsNotSearchedForPlacesOfOtherValues) {
  Machine machine = machines().at("driver-library-mismatch");
  machine.driver.module.version = Fact<std::string>("{1}{0}", "test");
  const auto findings = find(machine, texts());
  ASSERT_FALSE(findings.empty());
  EXPECT_TRUE(base::contains(findings[0].meaning.args[0], "{1}{0}"));
}

TEST(Rules, ADegradationUnderAUsableGpuDegradesTheVerdict) {
  Doctor doctor;
  doctor.verdict = Verdict::usable;
  Finding info, degraded;
  info.severity = Severity::info;
  degraded.severity = Severity::degraded, degraded.title = {"", {"fewer lanes"}};
  add_findings({info}, doctor);
  EXPECT_EQ(doctor.verdict, Verdict::usable);
  add_findings({degraded, info}, doctor);
  EXPECT_EQ(doctor.verdict, Verdict::degraded);
  EXPECT_EQ(doctor.summary.args[0], "fewer lanes");
  EXPECT_EQ(doctor.findings.size(), 2U);
}

TEST(RuleTexts, WhatIsMalformedNamesItsLine) {
  const auto fault = [](const char* text) {
    const auto parsed = catalog::parse_rule_text("x", text);
    return parsed ? "" : parsed.error().text;
  };
  EXPECT_EQ(fault("text"), "line 1: expected ---");
  EXPECT_EQ(fault("---\nseverity: fatal\n"), "line 2: severity 'fatal' is not known");
  EXPECT_EQ(fault("---\nseverity: info\n---\n## Cure\n"),
            "line 4: '## Cure' is not a known heading");
  EXPECT_NE(fault("---\nseverity: info\n---\nmeaning\n"), "");
}

}  // namespace
}  // namespace gpuready::rules
