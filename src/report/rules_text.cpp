#include "report/rules_text.hpp"

#include "base/table.hpp"
#include "base/text.hpp"

namespace gpuready::report {

namespace {

/// The values that a rule fills in are not known here; they show as "...".
std::string without_values(std::string text) {
  for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at)) {
    const std::size_t end = text.find('}', at);
    if (end != at + 2) {
      ++at;
      continue;
    }
    text.replace(at, 3, "...");
  }
  return text;
}

std::string_view word_of(Severity severity) {
  return EnumNames<Severity>::list[static_cast<std::size_t>(severity)];
}

std::string severity_of(const Context& c, const catalog::RuleText& text) {
  return c.text("rules.severity." + std::string(word_of(text.severity)));
}

/// A full-width colon brings its own space.
std::string after(const std::string& label, const std::string& text) {
  return label + (base::ends_with(label, "：") ? "" : " ") + text;
}

std::string fix_text(const catalog::RuleFix& fix, std::size_t width) {
  std::string out = base::layout_paragraph(
      "[" + base::join(fix.tags, ", ") + "] " + without_values(fix.text), width, 2, 2);
  for (const std::string& command : fix.commands) out += "      " + without_values(command) + "\n";
  return out;
}

}  // namespace

std::string explain_rule(const RuleEntry& rule, const Context& c) {
  const catalog::RuleText& text = rule.text->in(c.style.language);
  const std::size_t width = c.style.width;
  std::string out =
      heading(c, text.id + " (" + severity_of(c, text) + "): " + without_values(text.title)) + "\n";
  out += base::layout_paragraph(without_values(text.meaning), width, 2);
  if (!text.confusions.empty())
    out += "\n" + base::layout_paragraph(
                      after(c.text("rules.confusions"), without_values(text.confusions)), width, 2);
  if (!text.fixes.empty()) out += "\n" + c.text("rules.fixes") + "\n";
  for (const catalog::RuleFix& fix : text.fixes) out += fix_text(fix, width);
  return out + "\n" +
         base::layout_paragraph(after(c.text("rules.sources"), text.sources), width, 2);
}

RuleInfo rule_info(const RuleEntry& rule) {
  const catalog::RuleText& text = *rule.text;
  RuleInfo info{text.id,
                std::string(rule.area),
                text.severity,
                without_values(text.title),
                without_values(text.meaning),
                without_values(text.confusions),
                {},
                text.sources};
  for (const catalog::RuleFix& fix : text.fixes) {
    RuleCure cure{fix.tags, without_values(fix.text), {}};
    for (const std::string& command : fix.commands)
      cure.commands.push_back(without_values(command));
    info.fixes.push_back(std::move(cure));
  }
  return info;
}

std::string list_rules(const std::vector<RuleEntry>& rules, const Context& c) {
  std::vector<std::vector<std::string>> rows;
  for (const RuleEntry& rule : rules)
    rows.push_back({rule.text->id, severity_of(c, *rule.text),
                    without_values(rule.text->in(c.style.language).title)});
  return base::layout_table(rows, {}, c.style.width);
}

std::string rules_page(const std::vector<RuleEntry>& rules) {
  std::string out =
      "# Rules\n\nMade from `data/rules/` by the test `Schemas.TheCommittedFilesAreCurrent`. "
      "`gpuready doctor --explain ID` shows one.\n";
  std::string_view area;
  for (const RuleEntry& rule : rules) {
    if (rule.area != area) {
      area = rule.area;
      out += "\n## " + std::string(area) + "\n\n| rule | severity | what | sources |\n";
      out += "| --- | --- | --- | --- |\n";
    }
    out += "| `" + rule.text->id + "` | " + std::string(word_of(rule.text->severity)) + " | " +
           without_values(rule.text->meaning) + " | " + rule.text->sources + " |\n";
  }
  return out;
}

}  // namespace gpuready::report
