#include "base/table.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace gpuready::base {
namespace {

TEST(Table, AlignsColumnsByCellsNotBytes) {
  EXPECT_EQ(layout_table({{"显存", "a"}, {"GPU", "b"}}, {}, 80), "显存  a\nGPU   b\n");
}

TEST(Table, AlignsToTheRight) {
  EXPECT_EQ(layout_table({{"1", "x"}, {"22", "y"}}, {Align::right}, 80), " 1  x\n22  y\n");
}

TEST(Table, NarrowsTheWidestColumnSoThatNoLineIsTooLong) {
  const std::string long_text = "words and words and words and words and words and words";
  const std::string text = layout_table({{"name", long_text, long_text}}, {}, 60, 2);
  for (const std::string& line : split_lines(text)) EXPECT_LE(display_width(line), 60U);
  EXPECT_EQ(text.rfind("  name  words", 0), 0U);
}

TEST(Table, NothingGivesNothing) { EXPECT_EQ(layout_table({}, {}, 80), ""); }

TEST(Paragraph, HangsItsLaterLines) {
  EXPECT_EQ(layout_paragraph("one two three", 11, 1, 2), " one two\n   three\n");
}

}  // namespace
}  // namespace gpuready::base
