#include "catalog/phrases.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "catalog/tables.hpp"

namespace gpuready::catalog {
namespace {

const PhraseBook book{{"zh",
                       {{"at an unknown time", "时间未知", "x", "x"},
                        {"{0} h {1} min ago", "{0} 小时 {1} 分钟前", "x", "x"},
                        {"{0} min ago", "{0} 分钟前", "x", "x"},
                        {"no {0} for {1}", "{1} 没有 {0}", "x", "x"}}}};

std::string chinese(const std::string& phrase) { return translate_phrase(book, "zh", phrase); }

TEST(Phrases, WhatVariesIsPutIntoItsPlace) {
  EXPECT_EQ(chinese("at an unknown time"), "时间未知");
  EXPECT_EQ(chinese("1 h 29 min ago"), "1 小时 29 分钟前");
  EXPECT_EQ(chinese("31 min ago"), "31 分钟前");
  EXPECT_EQ(chinese("no build for this GPU"), "this GPU 没有 build");
}

TEST(Phrases, WhatIsNoPhraseOfOursStaysAsItIs) {
  for (const char* const other : {"", "at an unknown time.", "it failed 31 min ago", " min ago",
                                  "no  for ", "no for", "NVRM: Xid (PCI:0000:07:00): 999"})
    EXPECT_EQ(chinese(other), other);
  EXPECT_EQ(translate_phrase(book, "fr", "at an unknown time"), "at an unknown time");
  EXPECT_EQ(translate_phrase(book, "en", "at an unknown time"), "at an unknown time");
}

TEST(Phrases, EveryMeaningAndActionOfTheXidTableIsThere) {
  for (const Xid& xid : tables().xids) {
    for (const std::string& text : {xid.meaning, xid.action})
      EXPECT_NE(translate_phrase(tables().phrases, "zh", text), text) << xid.code;
  }
}

TEST(Phrases, AnOwnTableReplacesOursAndItsFaultsAreNamed) {
  const auto load = [](const std::string& text) {
    return load_phrases([&text](const std::string& name) -> std::optional<std::string> {
      if (name != "rules/zh/phrases.csv") return {};
      return text;
    });
  };
  const auto own = load("english,translation,source,as_of\na,b,us,2026\n");
  ASSERT_TRUE(own) << own.error().text;
  EXPECT_EQ(translate_phrase(*own, "zh", "a"), "b");
  const auto wordless = load("english,translation,source,as_of\n{0}{1},b,us,2026\n");
  ASSERT_FALSE(wordless);
  EXPECT_EQ(wordless.error().text, "rules/zh/phrases.csv, record 2: english: expected words");
}

}  // namespace
}  // namespace gpuready::catalog
