#include "catalog/xid.hpp"

#include <gtest/gtest.h>

#include <set>

#include "catalog/rule_text.hpp"

namespace gpuready::catalog {
namespace {

TEST(Xids, TheTableHasEachNumberOnceAndARuleForEach) {
  const auto table = load_xids();
  ASSERT_TRUE(table) << table.error().text;
  const auto texts = load_rule_texts();
  ASSERT_TRUE(texts) << texts.error().text;
  std::set<std::int64_t> codes;
  for (const Xid& xid : *table) {
    EXPECT_TRUE(codes.insert(xid.code).second) << xid.code;
    const auto text = texts->find(xid.rule);
    ASSERT_NE(text, texts->end()) << xid.code << ": " << xid.rule;
    EXPECT_EQ(EnumNames<Severity>::list[static_cast<std::size_t>(text->second.severity)],
              xid.severity)
        << xid.code;
  }
  EXPECT_EQ(codes.size(), 50U);
}

TEST(Xids, AreFoundByNumberAndNewerOnesAreNot) {
  ASSERT_NE(find_xid(79), nullptr);
  EXPECT_EQ(find_xid(79)->rule, "gpu-fell-off-the-bus");
  EXPECT_EQ(find_xid(9999), nullptr);
}

}  // namespace
}  // namespace gpuready::catalog
