#pragma once
/// Texts of the diagnosis rules: data/rules/<id>.md, one file per rule.
///
/// Front matter between lines of `---` (severity, title, sources); then the meaning; then sections
/// `## Not to be confused with` and `## Fix: TAG TAG ...`, in which indented lines are commands.
/// {0}, {1}, ... stand for the values that the rule found.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gpuready/findings.hpp"
#include "gpuready/result.hpp"

namespace gpuready::catalog {

/// A cure; `tags` name the situations that it is for (see rules/situation.hpp), "any" for all.
struct RuleFix {
  std::vector<std::string> tags;
  std::string text;
  std::vector<std::string> commands;
};

struct RuleText {
  std::string id, title, meaning, confusions, sources;
  Severity severity = Severity::info;
  std::vector<RuleFix> fixes;
};

using RuleTexts = std::map<std::string, RuleText, std::less<>>;

/// The error names the line.
Result<RuleText> parse_rule_text(std::string id, std::string_view text);
/// The compiled-in texts by id; the error names the file.
Result<RuleTexts> load_rule_texts();

}  // namespace gpuready::catalog
