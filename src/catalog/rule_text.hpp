#pragma once
/// Texts of the diagnosis rules: data/rules/<id>.md, one file per rule.
///
/// Front matter between lines of `---` (severity, title, sources); then the meaning; then sections
/// `## Not to be confused with` and `## Fix: TAG TAG ...`, in which indented lines are commands.
/// {0}, {1}, ... stand for the values that the rule found.
///
/// data/rules/<language>/<id>.md has the same form in another language: the same fixes in the same
/// order for the same situations with the same commands. Its front matter also has `english`, by
/// which tests/arch/rule_translations_test.py knows the text that was translated. Lines are joined
/// with a space: a Chinese paragraph stands on one line.

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
  std::string language = "en";
  std::vector<RuleText> translations;  ///< as many fixes, in the same order

  /// The texts in that language; the English ones where there is no translation.
  [[nodiscard]] const RuleText& in(std::string_view code) const;
};

using RuleTexts = std::map<std::string, RuleText, std::less<>>;

/// The error names the line.
Result<RuleText> parse_rule_text(std::string id, std::string_view text);
/// The compiled-in texts by id; the error names the file.
Result<RuleTexts> load_rule_texts();

}  // namespace gpuready::catalog
