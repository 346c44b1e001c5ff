#include <algorithm>

#include "base/text.hpp"
#include "catalog/tables.hpp"
#include "gpuready/gpuready.hpp"
#include "report/rules_text.hpp"
#include "rules/rule.hpp"

namespace gpuready {

namespace {

const catalog::RuleTexts& texts() { return catalog::tables().rules; }

std::vector<report::RuleEntry> entries() {
  std::vector<report::RuleEntry> list;
  for (const rules::Rule& rule : rules::all_rules()) {
    const auto text = texts().find(rule.id);
    if (text != texts().end()) list.push_back({rule.area, &text->second});
  }
  return list;
}

report::Context context(const Style& style) {
  return {base::Messages::language(style.language), style};
}

/// Ids that hold the word, or begin with the same letters.
std::string near_ids(const std::string& id) {
  std::vector<std::string> near;
  constexpr std::size_t most = 5, prefix = 4;
  for (const auto& [other, text] : texts()) {
    const bool similar = base::contains(other, id) || base::contains(id, other) ||
                         base::starts_with(other, id.substr(0, prefix));
    if (similar && near.size() < most) near.push_back(other);
  }
  return near.empty() ? "doctor --list-rules lists them" : "near: " + base::join(near, ", ");
}

}  // namespace

Result<std::string> explain_rule(const std::string& id, const Style& style) {
  const auto all = entries();
  const auto it = std::ranges::find_if(
      all, [&](const report::RuleEntry& entry) { return entry.text->id == id; });
  if (it == all.end())
    return failure("no rule is called '" + base::printable(id) + "' (" + near_ids(id) + ")");
  return report::explain_rule(*it, context(style));
}

std::string list_rules(const Style& style) { return report::list_rules(entries(), context(style)); }

std::string rules_documentation() { return report::rules_page(entries()); }

}  // namespace gpuready
