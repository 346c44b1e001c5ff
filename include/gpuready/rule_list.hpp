#pragma once
/// The rules themselves, as `doctor --list-rules --json` and `doctor --explain ID --json` give
/// them.

#include <string>
#include <vector>

#include "gpuready/findings.hpp"

namespace gpuready {

struct RuleCure {
  std::vector<std::string> situations;
  std::string text;
  std::vector<std::string> commands;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("situations", s.situations, Unit::none, "distributions and places; any for all");
    f("text", s.text, Unit::none, "what to do");
    f("commands", s.commands, Unit::none,
      "commands to paste, with ... for what a machine fills in");
  }
};

struct RuleInfo {
  std::string id, area;
  Severity severity = Severity::info;
  std::string title, meaning, confusions;
  std::vector<RuleCure> fixes;
  std::string sources;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("id", s.id, Unit::none, "permanent name");
    f("area", s.area, Unit::none,
      "hardware, driver, environment, container, python, vendor or health");
    f("severity", s.severity, Unit::none, "blocker, degraded, risk or info");
    f("title", s.title, Unit::none, "a few words");
    f("meaning", s.meaning, Unit::none, "one plain sentence, with ... for what a machine fills in");
    f("confusions", s.confusions, Unit::none, "what it is not to be confused with");
    f("fixes", s.fixes, Unit::none, "cures by situation");
    f("sources", s.sources, Unit::none, "public reports and documents");
  }
};

struct RuleList {
  std::vector<RuleInfo> rules;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("rules", s.rules, Unit::none, "every rule, or the one that was asked for");
  }
};

}  // namespace gpuready
