#pragma once
/// A rule is a pure check of the facts. Its texts stand in data/rules/<id>.md; its row stands in
/// the table of its area, and the areas stand in all_rules.cpp.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/rule_text.hpp"
#include "gpuready/findings.hpp"
#include "gpuready/machine.hpp"

namespace gpuready::rules {

/// What a rule saw: the values for {0}, {1}, ... of its texts, and the facts that it rests on.
struct Sighting {
  std::vector<std::string> args;
  std::vector<Evidence> evidence;
};

struct Rule {
  std::string_view id;    ///< permanent, kebab-case
  std::string_view area;  ///< hardware, driver, environment, container, python, vendor or health
  std::optional<Sighting> (*check)(const Machine&);
  /// Rules whose finding explains this one: where one of them speaks, this one keeps silent.
  std::vector<std::string_view> silenced_by = {};
};

/// Every rule, area by area.
const std::vector<Rule>& all_rules();

/// The fixes of a rule for the first of the machine's situations that has any.
std::vector<Fix> fixes_for(const catalog::RuleText& text, const std::vector<std::string>& args,
                           const Machine& machine);

/// The findings on a machine, most severe first, with the fixes for its situation.
std::vector<Finding> find(const Machine& machine, const catalog::RuleTexts& texts);

/// Adds the findings to what the ladder judged: where the GPU is not usable and the broken rung can
/// only guess why, the first finding that can be the cause takes the place of its words; a usable
/// GPU with a blocker or a degradation is degraded, and the worst finding says why.
void add_findings(std::vector<Finding> findings, Doctor& doctor);

}  // namespace gpuready::rules
