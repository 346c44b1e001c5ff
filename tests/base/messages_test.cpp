#include "base/messages.hpp"

#include <gtest/gtest.h>

#include "base/embedded.hpp"

namespace gpuready::base {
namespace {

TEST(Messages, EnglishIsEmbeddedAndFillsInItsValues) {
  const Messages& english = Messages::language("en");
  EXPECT_EQ(english.text("page.using", {"cuda"}), "Using: cuda");
  EXPECT_EQ(english.raw("page.using"), english.english("page.using"));
}

TEST(Messages, AnUnknownKeyShowsItselfAndMissingValuesAreNoException) {
  const Messages& english = Messages::language("en");
  EXPECT_EQ(english.text("no.such.key"), "[no.such.key]");
  EXPECT_EQ(english.text("page.using"), "[page.using]");
}

TEST(Messages, AnEmptyKeyShowsItsText) {
  EXPECT_EQ(Messages::language("en").text(Message{"", {"as it was {0}"}}), "as it was {0}");
}

TEST(Messages, AnUnknownLanguageIsEnglish) {
  EXPECT_EQ(Messages::language("xx").text("page.gpu"), Messages::language("en").text("page.gpu"));
  EXPECT_EQ(language_from_locale("C"), "en");
  EXPECT_EQ(language_from_locale("en_GB.UTF-8"), "en");
  EXPECT_EQ(language_from_locale(""), "en");
}

TEST(Messages, ChineseIsEmbeddedAndChosenByItsLocale) {
  const Messages& chinese = Messages::language("zh");
  EXPECT_EQ(chinese.text("page.using", {"cuda"}), "使用：cuda");
  EXPECT_EQ(chinese.english("page.using"), "Using: {0}");
  EXPECT_EQ(chinese.keys(), Messages::language("en").keys());
  EXPECT_EQ(language_from_locale("zh_CN.UTF-8"), "zh");
}

TEST(Messages, NoTextHoldsControlCharacters) {
  for (const std::string& language : Messages::languages()) {
    const Messages& messages = Messages::language(language);
    EXPECT_GT(messages.keys().size(), 100U);
    for (const std::string& key : messages.keys())
      for (const char c : messages.raw(key)) EXPECT_FALSE(c >= 0 && c < ' ') << language << key;
  }
}

TEST(Messages, ADamagedCatalogueIsAnError) {
  const std::string_view whole = embedded_file("po/en.mo");
  ASSERT_TRUE(Messages::from_mo(whole));
  EXPECT_FALSE(Messages::from_mo(""));
  EXPECT_FALSE(Messages::from_mo("nonsense that is long enough to hold a header"));
  EXPECT_FALSE(Messages::from_mo(whole.substr(0, whole.size() / 2)));
}

}  // namespace
}  // namespace gpuready::base
