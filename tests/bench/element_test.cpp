#include "bench/element.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace gpuready::bench {
namespace {

double one_way_and_back(Element element, double value) {
  std::byte stored[8];
  encode(element, &value, 1, stored);
  double found = 0;
  decode(element, stored, 1, &found);
  return found;
}

TEST(Element, EveryStoredNumberComesBackAsItself) {
  for (const Element element : {Element::fp16, Element::bf16, Element::fp8_e4m3, Element::int8}) {
    const std::size_t count = size_of(element) == 1 ? 256 : 65536;
    std::vector<std::byte> codes(count * size_of(element));
    for (std::size_t i = 0; i < count; ++i) {
      codes[i * size_of(element)] = static_cast<std::byte>(i & 0xFFU);
      if (size_of(element) == 2) codes[2 * i + 1] = static_cast<std::byte>(i >> 8U);
    }
    std::vector<double> values(count);
    decode(element, codes.data(), count, values.data());
    std::vector<std::byte> again(codes.size());
    encode(element, values.data(), count, again.data());
    std::vector<double> twice(count);
    decode(element, again.data(), count, twice.data());
    for (std::size_t i = 0; i < count; ++i) {
      if (std::isnan(values[i])) {
        EXPECT_TRUE(std::isnan(twice[i]));
      } else {
        EXPECT_EQ(values[i], twice[i]) << i;
      }
    }
  }
}

TEST(Element, KnownValues) {
  EXPECT_EQ(one_way_and_back(Element::fp16, 65504), 65504);
  EXPECT_EQ(one_way_and_back(Element::fp16, 65520), std::numeric_limits<double>::infinity());
  EXPECT_EQ(one_way_and_back(Element::fp16, 0x1p-24), 0x1p-24);
  EXPECT_EQ(one_way_and_back(Element::fp16, 0x1p-26), 0);
  EXPECT_EQ(one_way_and_back(Element::fp16, 1 + 0x1p-11), 1);  // a tie goes to the even one
  EXPECT_EQ(one_way_and_back(Element::fp16, 1 + 3 * 0x1p-11), 1 + 0x1p-9);
  EXPECT_EQ(one_way_and_back(Element::bf16, 1 + 0x1p-8), 1);
  EXPECT_EQ(one_way_and_back(Element::bf16, 1 + 3 * 0x1p-8), 1 + 0x1p-6);
  EXPECT_EQ(one_way_and_back(Element::bf16, -3.0), -3.0);
  EXPECT_EQ(one_way_and_back(Element::fp8_e4m3, 448), 448);
  EXPECT_EQ(one_way_and_back(Element::fp8_e4m3, 1e9), 448);
  EXPECT_EQ(one_way_and_back(Element::fp8_e4m3, -0x1p-9), -0x1p-9);
  EXPECT_EQ(one_way_and_back(Element::fp8_e4m3, 17), 16);
  EXPECT_EQ(one_way_and_back(Element::fp8_e4m3, 19), 20);
  EXPECT_EQ(one_way_and_back(Element::int8, -200), -128);
  EXPECT_EQ(one_way_and_back(Element::int32, 2e9), 2e9);
}

TEST(Element, NanAndInfinityAreCounted) {
  const std::vector<double> values{1, std::nan(""), std::numeric_limits<double>::infinity(), -2};
  for (const Element element : {Element::fp64, Element::fp32, Element::fp16, Element::bf16}) {
    std::vector<std::byte> stored(values.size() * size_of(element));
    encode(element, values.data(), values.size(), stored.data());
    EXPECT_EQ(count_non_finite(element, stored.data(), values.size()), 2);
  }
}

TEST(Element, NamesAreThoseOfTheTypes) {
  EXPECT_EQ(element_named("fp8-e4m3"), Element::fp8_e4m3);
  EXPECT_FALSE(element_named("fp4"));
}

}  // namespace
}  // namespace gpuready::bench
