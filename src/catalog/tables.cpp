#include "catalog/tables.hpp"

#include <set>
#include <string>
#include <utility>

#include "base/embedded.hpp"
#include "base/text.hpp"

namespace gpuready::catalog {

namespace {

constexpr std::string_view rules_folder = "rules/";

/// What stands in one file below data/rules: "nouveau-bound", or "zh/nouveau-bound".
struct RuleFile {
  std::string language, id;
  bool own = false;  ///< the user's
  RuleText text;
};

bool is_rule_file(std::string_view name) {
  return base::starts_with(name, "data/rules/") && base::ends_with(name, ".md");
}

Result<RuleFile> read_rule_file(const base::EmbeddedFile& file, const Override& replaced) {
  constexpr std::string_view data = "data/", suffix = ".md";
  const std::string name(file.name.substr(data.size()));
  const std::string path =
      name.substr(rules_folder.size(), name.size() - rules_folder.size() - suffix.size());
  const std::size_t slash = path.find('/');
  RuleFile read;
  read.language = slash == std::string::npos ? "en" : path.substr(0, slash);
  read.id = slash == std::string::npos ? path : path.substr(slash + 1);
  const auto own = replaced ? replaced(name) : std::nullopt;
  read.own = own.has_value();
  auto text = parse_rule_text(read.id, own ? std::string_view(*own) : file.content);
  if (!text) return failure(name + ": " + text.error().text);
  read.text = std::move(*text);
  read.text.language = read.language;
  return read;
}

/// Nothing where the user has replaced the English text and not this translation of it.
Result<void> add_translation(RuleFile& file, const std::set<std::string>& own, RuleTexts& texts) {
  const std::string name = std::string(rules_folder) + file.language + "/" + file.id + ".md";
  const auto english = texts.find(file.id);
  if (english == texts.end()) return failure(name + ": there is no rules/" + file.id + ".md");
  if (!file.own && own.count(file.id) != 0) return {};
  if (file.text.fixes.size() != english->second.fixes.size())
    return failure(name + ": has " + std::to_string(file.text.fixes.size()) + " fixes, rules/" +
                   file.id + ".md has " + std::to_string(english->second.fixes.size()));
  english->second.translations.push_back(std::move(file.text));
  return {};
}

Result<RuleTexts> load_rule_texts(const Override& replaced) {
  RuleTexts texts;
  std::vector<RuleFile> translations;
  std::set<std::string> own;
  for (const base::EmbeddedFile& file : base::embedded_files()) {
    if (!is_rule_file(file.name)) continue;
    auto read = read_rule_file(file, replaced);
    if (!read) return tl::unexpected(read.error());
    if (read->language != "en") {
      translations.push_back(std::move(*read));
      continue;
    }
    if (read->own) own.insert(read->id);
    texts.emplace(read->id, std::move(read->text));
  }
  for (RuleFile& file : translations) {
    const auto added = add_translation(file, own, texts);
    if (!added) return tl::unexpected(added.error());
  }
  return texts;
}

/// The compiled-in tables, which tests show to be sound, until others are chosen.
Tables& in_use() {
  static Tables chosen = load_tables(Override{}).value_or(Tables{});
  return chosen;
}

}  // namespace

Result<RuleTexts> load_rule_texts() { return load_rule_texts(Override{}); }

Result<Tables> load_tables(const Override& replaced) {
  auto wheels = load_wheel_tables(replaced);
  if (!wheels) return tl::unexpected(wheels.error());
  auto xids = load_xids(replaced);
  if (!xids) return tl::unexpected(xids.error());
  auto rules = load_rule_texts(replaced);
  if (!rules) return tl::unexpected(rules.error());
  auto phrases = load_phrases(replaced);
  if (!phrases) return tl::unexpected(phrases.error());
  auto peaks = load_peak_ops(replaced);
  if (!peaks) return tl::unexpected(peaks.error());
  return Tables{std::move(*wheels), std::move(*xids), std::move(*rules), std::move(*phrases),
                std::move(*peaks)};
}

const Tables& tables() { return in_use(); }

void use_tables(Tables chosen) { in_use() = std::move(chosen); }

}  // namespace gpuready::catalog
