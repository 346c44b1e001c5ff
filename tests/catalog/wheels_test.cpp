#include "catalog/wheels.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gpuready::catalog {
namespace {

const std::string header =
    "vendor,tag,os,arch,torch_min,torch_max,python_min,python_max,sm_list,ptx,driver_min,cuda,"
    "cudnn,status,source,as_of\n";

std::string fault_of(const std::string& row) {
  const auto tables = load_wheel_tables([&](const std::string& name) {
    return name == "torch_wheels.csv" ? std::optional<std::string>(header + row) : std::nullopt;
  });
  return tables ? "" : tables.error().text;
}

TEST(WheelTables, TheEmbeddedOnesAreSound) {
  const auto tables = load_wheel_tables(Override{});
  ASSERT_TRUE(tables) << tables.error().text;
  EXPECT_GE(tables->wheels.size(), 40U);
  EXPECT_EQ(tables->majors.size(), 3U);
  EXPECT_GE(tables->toolkits.size(), 25U);
  EXPECT_GE(tables->generations.size(), 20U);
  EXPECT_EQ(tables->as_of, "2026-09");
  EXPECT_EQ(wheel_tables().wheels.size(), tables->wheels.size());
}

TEST(WheelTables, RangesRunUpwardsAndTheFloorIsThatOfTheCudaMajor) {
  for (const Wheel& wheel : wheel_tables().wheels) {
    EXPECT_LE(wheel.torch_min, wheel.torch_max) << wheel.tag;
    EXPECT_LE(wheel.python_min, wheel.python_max) << wheel.tag;
    if (wheel.vendor != "nvidia") continue;
    bool found = false;
    for (const CudaDriverFloor& floor : wheel_tables().majors)
      if (floor.cuda.first() == wheel.cuda->first()) found = floor.driver == *wheel.driver_min;
    EXPECT_TRUE(found) << wheel.tag << ": " << wheel.driver_min->text();
  }
}

TEST(WheelTables, WhatIsEmptyIsNotKnown) {
  EXPECT_EQ(fault_of("nvidia,cu150,linux,x86_64,,,,,,,900.1,15.0,,stable,s,2027-01\n"), "");
  const auto tables = load_wheel_tables([](const std::string& name) {
    return name == "torch_wheels.csv"
               ? std::optional<std::string>(
                     header + "intel,xpu,linux,x86_64,,,,,,,,,,experimental,s,2027-01\n")
               : std::nullopt;
  });
  ASSERT_TRUE(tables);
  const Wheel& wheel = tables->wheels.at(0);
  EXPECT_FALSE(wheel.torch_min || wheel.python_max || wheel.ptx || wheel.driver_min);
  EXPECT_TRUE(wheel.targets.empty());
  EXPECT_TRUE(wheel.experimental);
}

TEST(WheelTables, TheErrorNamesFileRecordAndField) {
  EXPECT_EQ(fault_of("nvidia,cu150,linux,x86_64,x,,,,,,900.1,15.0,,stable,s,2027-01\n"),
            "torch_wheels.csv, record 2: torch_min: expected a version, as 12.8, or nothing");
  EXPECT_EQ(fault_of("nvidia,cu150,linux,x86_64,,,,,,,900.1,15.0,,old,s,2027-01\n"),
            "torch_wheels.csv, record 2: status: expected stable, experimental or last");
  EXPECT_EQ(fault_of("nvidia,cu150,linux,x86_64,,,,,,,,,,stable,s,2027-01\n"),
            "torch_wheels.csv, record 2: driver_min: expected a driver and a CUDA version for "
            "NVIDIA");
}

TEST(VersionNumber, IsComparedNumberByNumber) {
  EXPECT_LT((VersionNumber{2, 9}), (VersionNumber{2, 14}));
  EXPECT_EQ((VersionNumber{2, 14}), (VersionNumber{2, 14, 0}));
  EXPECT_GT((VersionNumber{580, 65, 6}), (VersionNumber{580}));
  EXPECT_EQ(VersionNumber::parse("2.9.1+cu130")->text(), "2.9.1");
  EXPECT_EQ(VersionNumber::parse("580.65.06")->text(), "580.65.06");
  EXPECT_FALSE(VersionNumber::parse("abc"));
  EXPECT_FALSE(VersionNumber::parse(""));
}

}  // namespace
}  // namespace gpuready::catalog
