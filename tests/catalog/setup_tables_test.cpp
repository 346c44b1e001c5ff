#include "catalog/setup_tables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

namespace gpuready::catalog {
namespace {

SetupTables embedded() {
  auto tables = load_setup_tables(Override{});
  EXPECT_TRUE(tables) << tables.error().text;
  return tables.value_or(SetupTables{});
}

std::string fault_of(const std::string& file, const std::string& content) {
  const auto tables = load_setup_tables([&](const std::string& name) {
    return name == file ? std::optional<std::string>(content) : std::nullopt;
  });
  return tables ? "" : tables.error().text;
}

/// Device ids as public lists (the PCI ID repository, lspci outputs) give them.
TEST(Chips, RealDevicesAreOfTheirGeneration) {
  const SetupTables tables = embedded();
  const std::vector<std::tuple<std::int64_t, const char*, const char*>> devices{
      {0x06d1, "Fermi", "2.0"},       // Tesla C2050
      {0x0fc6, "Kepler", "3.0"},      // GTX 650
      {0x1004, "Kepler", "3.5"},      // GTX 780
      {0x102d, "Kepler", "3.7"},      // Tesla K80
      {0x1140, "Fermi", "2.1"},       // GT 620M
      {0x1287, "Kepler", "3.5"},      // GT 730
      {0x1381, "Maxwell", "5.0"},     // GTX 750
      {0x13c2, "Maxwell", "5.2"},     // GTX 970
      {0x15f8, "Pascal", "6.0"},      // Tesla P100
      {0x17c8, "Maxwell", "5.2"},     // GTX 980 Ti
      {0x1b80, "Pascal", "6.1"},      // GTX 1080
      {0x1d01, "Pascal", "6.1"},      // GT 1030
      {0x1db1, "Volta", "7.0"},       // V100-SXM2
      {0x1e04, "Turing", "7.5"},      // RTX 2080 Ti
      {0x1eb8, "Turing", "7.5"},      // T4
      {0x1f82, "Turing", "7.5"},      // GTX 1650
      {0x20b0, "Ampere", "8.0"},      // A100-SXM4
      {0x2184, "Turing", "7.5"},      // GTX 1660, above A100
      {0x2204, "Ampere", "8.6"},      // RTX 3090
      {0x2330, "Hopper", "9.0"},      // H100-SXM5, between GA102 and GA104
      {0x2484, "Ampere", "8.6"},      // RTX 3070
      {0x2684, "Ada", "8.9"},         // RTX 4090
      {0x27b8, "Ada", "8.9"},         // L4
      {0x2901, "Blackwell", "10.0"},  // B200
      {0x2b85, "Blackwell", "12.0"},  // RTX 5090
      {0x2d04, "Blackwell", "12.0"},  // RTX 5060 Ti
      {0x2e12, "Blackwell", "12.1"},  // GB10
      {0x2f04, "Blackwell", "12.0"},  // RTX 5070
      {0x3182, "Blackwell", "10.3"},  // B300
  };
  for (const auto& [id, generation, sm] : devices) {
    const Chip* chip = find_chip(tables, id);
    ASSERT_NE(chip, nullptr) << std::hex << id;
    EXPECT_EQ(chip->generation, generation) << std::hex << id;
    EXPECT_EQ(chip->sm.text(), sm) << std::hex << id;
  }
}

TEST(Chips, AnIdOutsideTheTableIsNotGuessed) {
  const SetupTables tables = embedded();
  for (const std::int64_t id : {0x0000, 0x0040, 0x2a00, 0x2e80, 0x4000, 0xffff})
    EXPECT_EQ(find_chip(tables, id), nullptr) << std::hex << id;
}

TEST(Chips, RangesDoNotOverlapAndEachGenerationIsInTheTableOfToolkits) {
  SetupTables tables = embedded();
  for (std::size_t i = 1; i < tables.chips.size(); ++i)
    EXPECT_LT(tables.chips[i - 1].last, tables.chips[i].first) << tables.chips[i].name;
  for (const Chip& chip : tables.chips)
    EXPECT_TRUE(std::ranges::any_of(tables.wheels.generations, [&](const SmSupport& row) {
      return row.sm == chip.sm;
    })) << chip.name;
}

TEST(SetupTables, ADistributionWithoutRowIsNotKnown) {
  const SetupTables tables = embedded();
  ASSERT_NE(find_distro_driver(tables, "debian", "12"), nullptr);
  EXPECT_EQ(find_distro_driver(tables, "debian", "12")->driver.first(), 535);
  EXPECT_EQ(find_distro_driver(tables, "debian", "99"), nullptr);
}

TEST(SetupTables, ABrokenCellIsNamed) {
  const std::string chips = "first,last,chip,generation,sm,source,as_of\n";
  for (const char* row :
       {"1e00,0x1eff,TU10x,Turing,7.5,x,2026\n", "0x1e00,0x1dff,TU10x,Turing,7.5,x,2026\n",
        "0x1e00,0x1eff,TU10x,Turing,new,x,2026\n", "0x1e00,0x1eff,,Turing,7.5,x,2026\n"})
    EXPECT_NE(fault_of("nvidia_chips.csv", chips + row).find("nvidia_chips.csv"), std::string::npos)
        << row;
  EXPECT_NE(fault_of("distro_drivers.csv",
                     "distribution,release,driver,source,as_of\ndebian,12,new,x,2026\n")
                .find("distro_drivers.csv"),
            std::string::npos);
}

}  // namespace
}  // namespace gpuready::catalog
