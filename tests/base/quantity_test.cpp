#include "base/quantity.hpp"

#include <gtest/gtest.h>

#include "base/time.hpp"

namespace gpuready::base {
namespace {

TEST(Quantity, ShowsSizesInGib) {
  EXPECT_EQ(show_bytes(25249710080), "23.5 GiB");
  EXPECT_EQ(show_bytes(536870912), "512 MiB");
  EXPECT_EQ(show_bytes(100), "100 B");
}

TEST(Quantity, ShowsTimesWithThreeDigits) {
  EXPECT_EQ(show_seconds(1.234), "1.23 s");
  EXPECT_EQ(show_seconds(0.00456), "4.56 ms");
  EXPECT_EQ(show_seconds(123.4), "123 s");
  EXPECT_EQ(show_seconds(0.9996), "1.00 s");
}

TEST(Quantity, ShowsRatesAndParameters) {
  EXPECT_EQ(show_flops(352e9), "352 GFLOP/s");
  EXPECT_EQ(show_flops(54.2e12), "54.2 TFLOP/s");
  EXPECT_EQ(show_parameters(11700000000), "11.7 B");
  EXPECT_EQ(show_parameters(350000000), "350 M");
}

TEST(Quantity, GbAndGibAreNeverMixed) {
  EXPECT_EQ(parse_bytes("24GiB").value(), 25769803776);
  EXPECT_EQ(parse_bytes("24 GB").value(), 24000000000);
  EXPECT_EQ(parse_bytes("1.5gib").value(), 1610612736);
}

TEST(Quantity, RefusesSizesThatMeanNothing) {
  for (const char* text : {"", "24", "GiB", "-3GiB", "nanGiB", "1e40GiB", "24 bytes", "0GiB"})
    EXPECT_FALSE(parse_bytes(text)) << text;
}

TEST(Time, IsIso8601InUtc) {
  EXPECT_EQ(iso8601(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(iso8601(1796177403), "2026-12-02T02:10:03Z");
}

}  // namespace
}  // namespace gpuready::base
