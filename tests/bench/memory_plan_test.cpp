#include "bench/memory_plan.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace gpuready::bench {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

TEST(MemoryPlan, AShapeThatFitsIsLeftAsItIs) {
  const Shape odd{1001, 3, 7};
  EXPECT_EQ(largest_that_fits(odd, [](const Shape&) { return true; }), odd);
}

TEST(MemoryPlan, AShapeShrinksInProportionToMultiplesOfEight) {
  const auto found = largest_that_fits(
      {4000, 2000, 1000}, [](const Shape& shape) { return bytes_of_all(shape) <= 1e6; });
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (Shape{536, 264, 128}));
}

TEST(MemoryPlan, ASideThatIsShortAlreadyStays) {
  const auto found = largest_that_fits(
      {100'000, 4, 100'000}, [](const Shape& shape) { return bytes_of_all(shape) <= 4e6; });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->n, 4);
  EXPECT_LE(bytes_of_all(*found), 4e6);
  EXPECT_GE(bytes_of_all(*found), 3.8e6);
}

TEST(MemoryPlan, NothingFitsWhereThereIsNoMemory) {
  EXPECT_FALSE(largest_that_fits({100, 100, 100}, [](const Shape&) { return false; }));
}

TEST(MemoryPlan, EveryLimitCounts) {
  const Shape shape{100, 50, 20};  // A 8000, B 4000, C 20000 bytes
  EXPECT_TRUE(fits(shape, {32000, 20000, 100}, 100));
  EXPECT_FALSE(fits(shape, {31999, unlimited, unlimited}, 0));
  EXPECT_FALSE(fits(shape, {unlimited, 19999, unlimited}, 0));
  EXPECT_FALSE(fits(shape, {unlimited, unlimited, 99}, 100));
}

}  // namespace
}  // namespace gpuready::bench
