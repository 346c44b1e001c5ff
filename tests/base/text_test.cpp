#include "base/text.hpp"

#include <gtest/gtest.h>

namespace gpuready::base {
namespace {

TEST(Text, SplitsKeepingEmptyParts) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_TRUE(split("", ',').empty());
}

TEST(Text, CpuListsAreParsedAndNonsenseIsRefused) {
  EXPECT_EQ(parse_cpu_list("0-2,8\n"), (std::vector<int>{0, 1, 2, 8}));
  EXPECT_FALSE(parse_cpu_list("3-1"));
  EXPECT_FALSE(parse_cpu_list("0-99999999999"));
  EXPECT_FALSE(parse_cpu_list("a"));
  EXPECT_FALSE(parse_cpu_list("0-65535,0-65535"));  // no machine; a list of such would fill memory
}

TEST(Text, ChineseCharactersTakeTwoCells) {
  EXPECT_EQ(display_width("GPU"), 3U);
  EXPECT_EQ(display_width("显存 8"), 6U);
  EXPECT_EQ(display_width("e\xCC\x81"), 1U);
}

TEST(Text, EscapeSequencesAndControlCharactersAreNotPrintable) {
  EXPECT_EQ(printable("a\x1b[31mb\x1b]0;title\a\x07"
                      "c\n"),
            "abc ");
  EXPECT_EQ(printable("\xff"), "\xEF\xBF\xBD");
}

TEST(Text, AWordOfTheShellIsQuotedWhereItMust) {
  EXPECT_EQ(shell_word("/usr/bin/python3.12"), "/usr/bin/python3.12");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("$(reboot)"), "'$(reboot)'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("-rf"), "'-rf'");
}

TEST(Text, WrapsAtSpacesAndBetweenWideCharacters) {
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("显存驱动", 5), (std::vector<std::string>{"显存", "驱动"}));
  EXPECT_EQ(wrap("abcdefgh", 3), (std::vector<std::string>{"abc", "def", "gh"}));
}

TEST(Text, WrapsChineseWithItsPunctuation) {
  EXPECT_EQ(wrap("驱动已加载，可用", 10), (std::vector<std::string>{"驱动已加", "载，可用"}));
  EXPECT_EQ(wrap("显存（空闲）", 6), (std::vector<std::string>{"显存", "（空", "闲）"}));
  EXPECT_EQ(wrap("“慢”：见日志。", 8), (std::vector<std::string>{"“慢”：见", "日志。"}));
  EXPECT_EQ(wrap("请重启nvidia模块", 12), (std::vector<std::string>{"请重启nvidia", "模块"}));
  EXPECT_EQ(wrap("请重启nvidia模块", 11), (std::vector<std::string>{"请重启", "nvidia模块"}));
  EXPECT_EQ(wrap("显e\xCC\x81存", 3), (std::vector<std::string>{"显e\xCC\x81", "存"}));
  EXPECT_EQ(wrap("显存\uFE0F存", 4), (std::vector<std::string>{"显存\uFE0F", "存"}));
  EXPECT_EQ(wrap("显存（GPU 0）", 7), (std::vector<std::string>{"显存", "（GPU", "0）"}));
}

}  // namespace
}  // namespace gpuready::base
