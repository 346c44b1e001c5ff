#include "catalog/catalog.hpp"

#include <gtest/gtest.h>

#include "base/csv.hpp"
#include "base/embedded.hpp"
#include "base/text.hpp"

namespace gpuready::catalog {
namespace {

TEST(Catalog, TheEmbeddedTablesAreSound) {
  const auto catalog = load_catalog();
  ASSERT_TRUE(catalog) << catalog.error().text;
  EXPECT_GT(catalog->prices.size(), 50U);
  EXPECT_GT(catalog->models.size(), 300U);
}

TEST(Catalog, EveryRowOfEveryTableHasItsSourceAndDate) {
  std::size_t tables = 0;
  for (const base::EmbeddedFile& file : base::embedded_files()) {
    if (!base::ends_with(file.name, ".csv")) continue;
    ++tables;
    const auto rows = base::parse_csv(file.content);
    ASSERT_TRUE(rows) << file.name << rows.error().text;
    for (const base::CsvRow& row : *rows) {
      EXPECT_FALSE(row.at("source").empty()) << file.name;
      EXPECT_FALSE(row.at("as_of").empty()) << file.name;
    }
  }
  EXPECT_GE(tables, 3U);
}

TEST(Catalog, AnOwnTableReplacesTheEmbeddedOne) {
  const auto catalog = load_catalog([](const std::string& name) -> std::optional<std::string> {
    if (name != "prices.csv") return {};
    return "provider,gpu,gpu_count,vram_gib,usd_per_hour,kind,as_of\nx,T4,1,15,0.5,spot,2026-01-"
           "02\n";
  });
  ASSERT_TRUE(catalog) << catalog.error().text;
  ASSERT_EQ(catalog->prices.size(), 1U);
  EXPECT_EQ(catalog->prices[0].usd_per_hour, 0.5);
}

TEST(Catalog, TheErrorNamesFileRecordAndField) {
  const auto catalog = load_catalog([](const std::string& name) -> std::optional<std::string> {
    if (name != "prices.csv") return {};
    return "provider,gpu,gpu_count,vram_gib,usd_per_hour,kind,as_of\nx,T4,1,15,-1,spot,2026-01-"
           "02\n";
  });
  ASSERT_FALSE(catalog);
  EXPECT_EQ(catalog.error().text,
            "prices.csv, record 2: usd_per_hour: expected a number, 0 or more");
}

}  // namespace
}  // namespace gpuready::catalog
