#include <algorithm>

#include "base/json.hpp"
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

/// Ids that hold the word, or begin with the same letters; case and underscores don't count.
std::string near_ids(const std::string& typed) {
  std::string id = base::lower(typed);
  std::ranges::replace(id, '_', '-');
  std::vector<std::string> near;
  if (id.empty()) return "doctor --list-rules lists them";
  constexpr std::size_t most = 5, prefix = 4;
  for (const auto& [other, text] : texts()) {
    const bool similar = base::contains(other, id) || base::contains(id, other) ||
                         base::starts_with(other, id.substr(0, prefix));
    if (similar && near.size() < most) near.push_back(other);
  }
  return near.empty() ? "doctor --list-rules lists them" : "near: " + base::join(near, ", ");
}

Result<report::RuleEntry> find_entry(const std::string& id) {
  const auto all = entries();
  const auto it = std::ranges::find_if(
      all, [&](const report::RuleEntry& entry) { return entry.text->id == id; });
  if (it != all.end()) return *it;
  return failure("no rule is called '" + base::printable(id) + "' (" + near_ids(id) + ")");
}

}  // namespace

Result<std::string> explain_rule(const std::string& id, const Style& style) {
  const auto entry = find_entry(id);
  if (!entry) return tl::unexpected(entry.error());
  return report::explain_rule(*entry, context(style));
}

Result<std::string> rules_as_json(const std::string& id, const std::string& at) {
  RuleList list;
  if (!id.empty()) {
    const auto entry = find_entry(id);
    if (!entry) return tl::unexpected(entry.error());
    list.rules.push_back(report::rule_info(*entry));
  } else {
    for (const report::RuleEntry& entry : entries()) list.rules.push_back(report::rule_info(entry));
  }
  base::JsonWriter writer([](const Message& message) { return message.key; });
  base::Json json{{"schema", "gpuready.rules/1"}, {"tool", {{"version", version()}}}, {"at", at}};
  writer.add_fields(list, json);
  return base::dump_json(json, true) + "\n";
}

std::string list_rules(const Style& style) { return report::list_rules(entries(), context(style)); }

std::string rules_documentation() { return report::rules_page(entries()); }

}  // namespace gpuready
