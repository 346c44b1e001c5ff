#include <gtest/gtest.h>

#include <filesystem>

#include "gpuready/gpuready.hpp"
#include "tests/golden.hpp"

namespace gpuready {
namespace {

const std::filesystem::path source = GPUREADY_SOURCE_DIR;

TEST(Schemas, TheCommittedFilesAreCurrent) {
  for (const auto& [name, text] : json_schemas())
    testing::expect_golden(source / "schemas" / ("gpuready." + name + ".json"), text);
  testing::expect_golden(source / "docs" / "json.md", json_documentation());
  testing::expect_golden(source / "docs" / "rules.md", rules_documentation());
}

TEST(Schemas, NoFileIsLeftOver) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source / "schemas"))
    files += entry.path().extension() == ".json" ? 1 : 0;
  EXPECT_EQ(files, json_schemas().size());
}

}  // namespace
}  // namespace gpuready
