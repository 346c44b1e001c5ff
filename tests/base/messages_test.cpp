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

TEST(Messages, AFinishedTextIsShownInTheLanguageOrElseInEnglish) {
  const Message text{"", {"a cold GPU", "en", "a GPU", "zh", "GPU 很冷"}};
  EXPECT_EQ(Messages::language("en").text(text), "a GPU");
  EXPECT_EQ(Messages::language("en").text(Message{"", {"a cold GPU", "zh", "GPU 很冷"}}),
            "a cold GPU");
  EXPECT_EQ(Messages::language("en").text(Message{"", {"a cold GPU", "en"}}), "a cold GPU");
}

TEST(Messages, ASentenceAroundAFinishedTextHasItsLanguages) {
  const Message around = put_around("ladder.explained", {"", {"cold", "zh", "很冷"}}, {"seen"});
  ASSERT_EQ(around.args.size(), 3U);
  EXPECT_EQ(around.key, "");
  EXPECT_EQ(around.args[0], "cold (seen)");
  EXPECT_EQ(around.args[1], "zh");
  EXPECT_EQ(around.args[2].substr(0, 6), "很冷");
  EXPECT_TRUE(put_around("ladder.explained", {"", {}}, {"seen"}).args.empty());
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
