#include "base/cost.hpp"

#include <gtest/gtest.h>

namespace gpuready::base {
namespace {

TEST(Cost, HoursAreShownInTheUnitThatSuits) {
  EXPECT_EQ(show_hours(5.0 / 3600), "5 s");
  EXPECT_EQ(show_hours(0.42), "25 min");
  EXPECT_EQ(show_hours(1.92), "1.9 h");
  EXPECT_EQ(show_hours(8), "8 h");
  EXPECT_EQ(show_hours(76.8), "3.2 days");
  EXPECT_EQ(show_hours(24 * 365.25 * 3), "3 years");
}

TEST(Cost, ARangeNamesItsUnitOnceWhereItIsOne) {
  EXPECT_EQ(show_hours_range(7.6, 18), "7.6 to 18 h");
  EXPECT_EQ(show_hours_range(1.0 / 3, 7.6), "20 min to 7.6 h");
}

TEST(Cost, MoneyHasCentsBelowAHundredDollars) {
  EXPECT_EQ(show_usd(0), "$0");
  EXPECT_EQ(show_usd(0.001), "$0.01");
  EXPECT_EQ(show_usd(2.4), "$2.40");
  EXPECT_EQ(show_usd(1250.4), "$1250");
  EXPECT_EQ(show_usd(1e12), "$1.0e+12");
}

TEST(Cost, AmountsLoseThePlusOfTheirExponent) {
  EXPECT_EQ(show_amount(8192), "8192");
  EXPECT_EQ(show_amount(1e7), "1e7");
  EXPECT_EQ(show_amount(4.98e17), "4.98e17");
  EXPECT_EQ(show_amount(3.8e25), "3.8e25");
}

}  // namespace
}  // namespace gpuready::base
