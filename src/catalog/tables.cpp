#include "catalog/tables.hpp"

#include "base/embedded.hpp"
#include "base/text.hpp"

namespace gpuready::catalog {

namespace {

Result<RuleTexts> load_rule_texts(const Override& replaced) {
  constexpr std::string_view data = "data/", folder = "data/rules/", suffix = ".md";
  RuleTexts texts;
  for (const base::EmbeddedFile& file : base::embedded_files()) {
    if (!base::starts_with(file.name, folder) || !base::ends_with(file.name, suffix)) continue;
    const std::string name(file.name.substr(data.size()));
    const std::string id(
        file.name.substr(folder.size(), file.name.size() - folder.size() - suffix.size()));
    const auto own = replaced ? replaced(name) : std::nullopt;
    auto text = parse_rule_text(id, own ? std::string_view(*own) : file.content);
    if (!text) return failure(name + ": " + text.error().text);
    texts.emplace(id, std::move(*text));
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
  auto peaks = load_peak_ops(replaced);
  if (!peaks) return tl::unexpected(peaks.error());
  return Tables{std::move(*wheels), std::move(*xids), std::move(*rules), std::move(*peaks)};
}

const Tables& tables() { return in_use(); }

void use_tables(Tables chosen) { in_use() = std::move(chosen); }

}  // namespace gpuready::catalog
