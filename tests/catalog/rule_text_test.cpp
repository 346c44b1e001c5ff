#include "catalog/rule_text.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

#include "catalog/tables.hpp"

namespace gpuready::catalog {
namespace {

constexpr const char* own_text =
    "---\nseverity: info\ntitle: ours\nsources: us\n---\nA meaning.\n\n## Fix: any\nDo it.\n";

/// The compiled-in texts with some of the user's in their place.
Result<Tables> with(const std::map<std::string, std::string>& own) {
  return load_tables([&own](const std::string& name) -> std::optional<std::string> {
    const auto it = own.find(name);
    if (it == own.end()) return {};
    return it->second;
  });
}

TEST(RuleText, EveryRuleIsThereInChineseToo) {
  const auto texts = load_rule_texts();
  ASSERT_TRUE(texts) << texts.error().text;
  for (const auto& [id, text] : *texts) {
    const RuleText& chinese = text.in("zh");
    EXPECT_EQ(chinese.language, "zh") << id;
    EXPECT_NE(chinese.title, text.title) << id;
    EXPECT_EQ(chinese.severity, text.severity) << id;
    ASSERT_EQ(chinese.fixes.size(), text.fixes.size()) << id;
    for (std::size_t i = 0; i < text.fixes.size(); ++i)
      EXPECT_EQ(chinese.fixes[i].commands, text.fixes[i].commands) << id;
  }
}

TEST(RuleText, ALanguageThatIsNotThereIsEnglish) {
  const auto texts = load_rule_texts();
  ASSERT_TRUE(texts);
  EXPECT_EQ(texts->at("nouveau-bound").in("fr").language, "en");
}

TEST(RuleText, AnEnglishTextOfTheUsersHasNoneOfOurTranslations) {
  const auto tables = with({{"rules/nouveau-bound.md", own_text}});
  ASSERT_TRUE(tables) << tables.error().text;
  const RuleText& text = tables->rules.at("nouveau-bound");
  EXPECT_EQ(text.title, "ours");
  EXPECT_TRUE(text.translations.empty());
  EXPECT_EQ(tables->rules.at("nova-bound").in("zh").language, "zh");
}

TEST(RuleText, BothTextsMayBeTheUsers) {
  const auto tables =
      with({{"rules/nouveau-bound.md", own_text}, {"rules/zh/nouveau-bound.md", own_text}});
  ASSERT_TRUE(tables) << tables.error().text;
  EXPECT_EQ(tables->rules.at("nouveau-bound").in("zh").language, "zh");
}

TEST(RuleText, ATranslationWithOtherFixesIsAnErrorThatNamesTheFile) {
  const auto tables = with({{"rules/zh/nouveau-bound.md", own_text}});
  ASSERT_FALSE(tables);
  EXPECT_EQ(tables.error().text,
            "rules/zh/nouveau-bound.md: has 1 fixes, rules/nouveau-bound.md has 8");
}

}  // namespace
}  // namespace gpuready::catalog
