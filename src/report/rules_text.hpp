#pragma once
/// The rules themselves as text: one explained, all listed, and the page docs/rules.md.

#include <string>
#include <string_view>
#include <vector>

#include "catalog/rule_text.hpp"
#include "gpuready/rule_list.hpp"
#include "report/report.hpp"

namespace gpuready::report {

struct RuleEntry {
  std::string_view area;
  const catalog::RuleText* text;
};

std::string explain_rule(const RuleEntry& rule, const Context& context);
std::string list_rules(const std::vector<RuleEntry>& rules, const Context& context);
RuleInfo rule_info(const RuleEntry& rule);
std::string rules_page(const std::vector<RuleEntry>& rules);

}  // namespace gpuready::report
