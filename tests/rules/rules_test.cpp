#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/text.hpp"
#include "gpuready/gpuready.hpp"
#include "rules/ladder.hpp"
#include "rules/rule.hpp"
#include "rules/situation.hpp"
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

/// One of them alone, which takes less time.
Machine one_machine(const std::string& name) {
  auto session = open_session({(source / "tests" / "machines" / (name + ".json")).string(), ""});
  if (!session) ADD_FAILURE() << session.error().text;
  return session ? (*session)->facts(true) : Machine{};
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
        for (const std::string& text : message->args)
          EXPECT_EQ(text.find("{0}"), std::string::npos) << finding.id;
      for (const Evidence& e : finding.evidence) {
        EXPECT_FALSE(e.field.empty()) << finding.id;
        EXPECT_FALSE(e.value.empty()) << finding.id;
      }
    }
  }
}

TEST(Rules, EveryTextOfAFindingIsThereInChineseWithItsValues) {
  for (const Finding& finding : find(one_machine("driver-library-mismatch"), texts())) {
    for (const Message* message : {&finding.title, &finding.meaning}) {
      ASSERT_EQ(message->args.size(), 3U) << finding.id;
      EXPECT_EQ(message->args[1], "zh");
      EXPECT_NE(message->args[0], message->args[2]);
    }
    for (const Fix& fix : finding.fixes) EXPECT_EQ(fix.when.args.size(), 3U) << finding.id;
  }
  const auto findings = find(one_machine("driver-library-mismatch"), texts());
  ASSERT_FALSE(findings.empty());
  EXPECT_TRUE(base::contains(findings[0].meaning.args[2], "内核模块是 "))
      << findings[0].meaning.args[2];
}

TEST(Rules, WhatARecordingSaysIsOneWordOfTheShellInACommand) {
  for (const char* const name : {"rules/jupyter-kernel-elsewhere", "torch-cpu-build",
                                 "rules/nvidia-packages-differ-from-pins"}) {
    Machine machine = one_machine(name);
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
  Machine machine = one_machine("driver-library-mismatch");
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

TEST(Rules, TheCauseTakesThePlaceOfTheRungsOwnGuess) {
  const Machine machine = one_machine("rules/relative-of-arch-drops-gpu");
  Doctor doctor = climb(machine);
  add_findings(find(machine, texts()), doctor);
  EXPECT_EQ(doctor.verdict, Verdict::not_usable);
  EXPECT_EQ(doctor.summary.args[0],
            doctor.findings[0].title.args[0] + " (gpu-too-old-for-driver: 0000:01:00.0)");
  const auto broken = std::ranges::find(doctor.ladder, Outcome::finding, &RungResult::outcome);
  ASSERT_NE(broken, doctor.ladder.end());
  EXPECT_EQ(broken->why, doctor.summary);
}

TEST(Rules, AFindingAboutPythonIsNoCauseOfADeadGpu) {
  const Machine machine = one_machine("module-not-loaded");
  Doctor doctor = climb(machine);
  const Message own = doctor.summary;
  Finding python;
  python.id = "torch-for-other-vendor", python.severity = Severity::blocker;
  python.title = {"", {"another build"}};
  add_findings({python}, doctor);
  EXPECT_EQ(doctor.summary.key, own.key);
}

TEST(Rules, OnePieceOfEvidenceIsShownOnce) {
  Machine two = one_machine("rules/wheel-lacks-kernels");
  two.gpus.push_back(two.gpus.front());
  const auto findings = find(two, texts());
  ASSERT_EQ(findings[0].id, "wheel-lacks-kernels");
  EXPECT_EQ(
      std::ranges::count(findings[0].evidence, "machine.gpus.compute_capability", &Evidence::field),
      1);
}

TEST(Situations, RelativesShareTheFamilyAndImagesDoNot) {
  const auto family = [](const char* name) { return situations(one_machine(name)); };
  const auto has = [](const std::vector<std::string>& list, const char* word) {
    return std::ranges::find(list, word) != list.end();
  };
  EXPECT_TRUE(has(family("rules/relative-of-arch-drops-gpu"), "arch"));
  EXPECT_TRUE(has(family("rules/mint-of-debian"), "debian"));
  EXPECT_TRUE(has(family("rules/arc-with-cuda-build"), "ubuntu"));
  EXPECT_TRUE(has(family("rules/proxmox-without-headers"), "proxmox"));
  EXPECT_TRUE(has(family("rules/old-gpu-on-new-image"), "ostree"));
  EXPECT_FALSE(has(family("rules/old-gpu-on-new-image"), "fedora"));
  EXPECT_TRUE(has(family("rules/truenas-with-open-module"), "truenas"));
  EXPECT_FALSE(has(family("rules/truenas-with-open-module"), "debian"));
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
