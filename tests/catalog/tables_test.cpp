#include "catalog/tables.hpp"

#include <gtest/gtest.h>

namespace gpuready::catalog {
namespace {

/// A folder of a user's that holds one file.
Override only(std::string name, std::string content) {
  return [name = std::move(name),
          content = std::move(content)](const std::string& asked) -> std::optional<std::string> {
    if (asked != name) return {};
    return content;
  };
}

std::string fault(const std::string& name, const std::string& content) {
  const auto loaded = load_tables(only(name, content));
  return loaded ? "" : loaded.error().text;
}

TEST(Tables, TheCompiledInOnesAreInUse) {
  EXPECT_GE(tables().rules.size(), 90U);
  EXPECT_GE(tables().xids.size(), 20U);
  EXPECT_EQ(&tables().wheels, &wheel_tables());
}

TEST(Tables, AUsersFileTakesThePlaceOfOneTableOnly) {
  const auto loaded = load_tables(only("rules/uvm-missing.md",
                                       "---\nseverity: info\ntitle: ours\nsources: us\n---\nWe say "
                                       "so.\n\n## Not to be confused with\n"
                                       "Nothing.\n"));
  ASSERT_TRUE(loaded) << loaded.error().text;
  EXPECT_EQ(loaded->rules.find("uvm-missing")->second.title, "ours");
  EXPECT_EQ(loaded->rules.size(), tables().rules.size());
  EXPECT_EQ(loaded->xids.size(), tables().xids.size());
}

TEST(Tables, AMalformedFileIsNamed) {
  for (const char* name : {"torch_wheels.csv", "cuda_compat.csv", "xid.csv"})
    for (const char* content : {"", "nonsense\n1\n"})
      EXPECT_NE(fault(name, content).find(name), std::string::npos) << name << ": " << content;
  EXPECT_NE(fault("rules/uvm-missing.md", "x").find("rules/uvm-missing.md"), std::string::npos);
}

}  // namespace
}  // namespace gpuready::catalog
