#include "base/csv.hpp"

#include <gtest/gtest.h>

namespace gpuready::base {
namespace {

TEST(Csv, ReadsQuotesCommasAndLinesInsideCells) {
  const auto rows = parse_csv("a,b\n\"x, \"\"y\"\"\",\"1\n2\"\n\nplain,z\r\n");
  ASSERT_TRUE(rows) << rows.error().text;
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ((*rows)[0].at("a"), "x, \"y\"");
  EXPECT_EQ((*rows)[0].at("b"), "1\n2");
  EXPECT_EQ((*rows)[1].at("b"), "z");
}

TEST(Csv, NamesTheRecordThatIsWrong) {
  EXPECT_EQ(parse_csv("a,b\n1\n").error().text, "record 2: 1 cells, expected 2");
  EXPECT_FALSE(parse_csv("a\n\"open\n"));
}

}  // namespace
}  // namespace gpuready::base
