#include <algorithm>
#include <array>
#include <utility>

#include "base/messages.hpp"
#include "base/text.hpp"
#include "catalog/tables.hpp"
#include "rules/rule.hpp"
#include "rules/situation.hpp"

namespace gpuready::rules {

namespace {

struct Speaking {
  const Rule* rule;
  Sighting sighting;
};

/// One value of a text, ready to be put in.
using PutIn = std::string (*)(std::string_view rest, std::size_t at, const std::string& value);

std::string for_people(std::string_view /*rest*/, std::size_t /*at*/, const std::string& value) {
  return base::printable(value);
}

/// A value in a command is one word of the shell, whatever a recording says. What makes a whole
/// command, or its front, was composed by a rule.
std::string for_the_shell(std::string_view rest, std::size_t at, const std::string& value) {
  const bool program = base::starts_with(rest, " -m ") || base::starts_with(rest, " -c ");
  const std::string text = base::printable(value);
  return at == 0 && !program ? text : base::shell_word(text);
}

/// The text with the rule's values in place of {0}, {1}, ...
std::string fill_in(std::string_view text, const std::vector<std::string>& args, PutIn put_in) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    const bool mark = rest.size() > 2 && rest[0] == '{' && rest[2] == '}';
    const auto number = base::to_integer(mark ? rest.substr(1, 1) : std::string_view());
    if (number && std::cmp_less(*number, args.size())) {
      out += put_in(rest.substr(3), at, args[static_cast<std::size_t>(*number)]);
      at += 2;
    } else {
      out += text[at];
    }
  }
  return out;
}

bool is_wide(char c) { return static_cast<unsigned char>(c) >= 0x80; }

/// Without the spaces that part letters and wide characters where a value begins or ends with a
/// wide character: between two of these stands none.
std::string close_up(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool between = text[at] == ' ' && at > 0 && at + 1 < text.size();
    if (between && is_wide(text[at - 1]) && is_wide(text[at + 1])) continue;
    out += text[at];
  }
  return out;
}

/// A text in that language, with the values that are phrases of ours in it, too.
std::string fill_in_for(std::string_view language, std::string_view text,
                        std::vector<std::string> args) {
  for (std::string& arg : args)
    arg = catalog::translate_phrase(catalog::tables().phrases, language, arg);
  return close_up(fill_in(text, args, for_people));
}

/// A text of the rule in every language that it has (a Message without key, see base::Messages);
/// `part` takes it from the rule's texts in one language.
template <class Part>
Message in_words(const catalog::RuleText& text, const std::vector<std::string>& args, Part part) {
  Message words{"", {fill_in(part(text), args, for_people)}};
  for (const catalog::RuleText& other : text.translations) {
    words.args.push_back(other.language);
    words.args.push_back(fill_in_for(other.language, part(other), args));
  }
  return words;
}

bool is_for(const catalog::RuleFix& fix, const std::string& situation) {
  return std::ranges::find(fix.tags, situation) != fix.tags.end();
}

}  // namespace

std::vector<Fix> fixes_for(const catalog::RuleText& text, const std::vector<std::string>& args,
                           const Machine& machine) {
  std::vector<Fix> fixes;
  for (const std::string& situation : situations(machine)) {
    for (std::size_t at = 0; at < text.fixes.size(); ++at) {
      const catalog::RuleFix& fix = text.fixes[at];
      if (!is_for(fix, situation)) continue;
      Fix chosen{in_words(text, args, [at](const auto& one) { return one.fixes[at].text; }), {}};
      for (const std::string& command : fix.commands)
        chosen.commands.push_back(fill_in(command, args, for_the_shell));
      fixes.push_back(std::move(chosen));
    }
    if (!fixes.empty()) break;
  }
  return fixes;
}

namespace {

/// Two GPUs of one kind give one and the same piece of evidence.
bool is_among(const std::vector<Evidence>& list, const Evidence& one) {
  return std::ranges::any_of(list, [&](const Evidence& other) {
    return other.field == one.field && other.value == one.value && other.source == one.source;
  });
}

bool is_silenced(const Rule& rule, const std::vector<Speaking>& speaking) {
  return std::ranges::any_of(speaking, [&](const Speaking& other) {
    return std::ranges::find(rule.silenced_by, other.rule->id) != rule.silenced_by.end();
  });
}

}  // namespace

std::vector<Finding> find(const Machine& machine, const catalog::RuleTexts& texts) {
  std::vector<Speaking> speaking;
  for (const Rule& rule : all_rules())
    if (auto sighting = rule.check(machine)) speaking.push_back({&rule, std::move(*sighting)});
  std::vector<Finding> findings;
  for (const Speaking& one : speaking) {
    const auto text = texts.find(one.rule->id);
    if (text == texts.end() || is_silenced(*one.rule, speaking)) continue;
    Finding finding;
    finding.id = one.rule->id, finding.severity = text->second.severity;
    const std::vector<std::string>& args = one.sighting.args;
    finding.title = in_words(text->second, args, [](const auto& words) { return words.title; });
    finding.meaning = in_words(text->second, args, [](const auto& words) { return words.meaning; });
    for (const Evidence& seen : one.sighting.evidence)
      if (!is_among(finding.evidence, seen)) finding.evidence.push_back(seen);
    finding.fixes = fixes_for(text->second, args, machine);
    findings.push_back(std::move(finding));
  }
  std::ranges::stable_sort(findings, {}, &Finding::severity);
  return findings;
}

namespace {

/// Whether the finding can be why the GPU itself does not work; what is about Python's packages, or
/// another vendor's stack, cannot.
bool is_about_the_gpu(const Finding& finding) {
  const auto& rules = all_rules();
  const auto it = std::ranges::find(rules, finding.id, &Rule::id);
  return it != rules.end() && it->area != "python" && it->area != "vendor";
}

/// Sentences of rungs that can only guess why, and so may advise what does not help here.
constexpr std::array<std::string_view, 14> guesses{
    "ladder.kernel-driver.not-loaded", "ladder.kernel-driver.refused",  "ladder.versions.mismatch",
    "ladder.device-nodes.missing",     "ladder.device-nodes.container", "ladder.nvml.failed",
    "ladder.cuda-init.code-3",         "ladder.cuda-init.code-802",     "ladder.cuda-init.code-803",
    "ladder.cuda-init.code-999",       "ladder.cuda-init.failed",       "ladder.device-count.none",
    "ladder.context.failed",           "ladder.kernel.failed"};

/// Where a rule knows the cause, it takes the place of a rung's guess; what the rung saw stays.
void put_cause_first(Doctor& doctor) {
  const auto cause = std::ranges::find_if(doctor.findings, [](const Finding& finding) {
    return finding.severity == Severity::blocker && is_about_the_gpu(finding);
  });
  const auto broken = std::ranges::find(doctor.ladder, Outcome::finding, &RungResult::outcome);
  if (cause == doctor.findings.end() || broken == doctor.ladder.end()) return;
  if (std::ranges::find(guesses, broken->why.key) == guesses.end()) return;
  std::string seen = cause->id;
  if (!broken->why.args.empty()) seen += ": " + base::join(broken->why.args, ", ");
  broken->why = base::put_around("ladder.explained", cause->title, {seen});
  doctor.summary = broken->why;
}

}  // namespace

void add_findings(std::vector<Finding> findings, Doctor& doctor) {
  doctor.findings = std::move(findings);
  if (doctor.verdict == Verdict::not_usable) put_cause_first(doctor);
  if (doctor.verdict != Verdict::usable || doctor.findings.empty()) return;
  const Finding& worst = doctor.findings.front();
  if (worst.severity > Severity::degraded) return;
  doctor.verdict = Verdict::degraded;
  doctor.summary = worst.title;
}

}  // namespace gpuready::rules
