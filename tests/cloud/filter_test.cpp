#include "cloud/filter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuready::cloud {
namespace {

using ::testing::ElementsAre;

constexpr std::int64_t gib = 1 << 30;

Offer offer(const std::string& id, const std::string& gpu, std::int64_t count, double usd) {
  Offer out;
  out.provider = "runpod", out.id = id, out.gpu = gpu, out.gpu_count = count, out.kind = "secure";
  out.vram_bytes_per_gpu = Fact<std::int64_t>(24 * gib, "");
  out.usd_per_hour = Fact<double>(usd, "");
  out.available = Fact<bool>(true, "");
  out.region = "EU-RO-1, US-KS-2";
  return out;
}

std::vector<std::string> ids(const std::vector<Offer>& offers) {
  std::vector<std::string> out;
  for (const Offer& one : offers) out.push_back(one.id);
  return out;
}

std::vector<Offer> some() {
  return {offer("a", "A", 1, 2), offer("b", "B", 2, 1), offer("c", "A", 2, 3)};
}

TEST(Filter, EachConditionLeavesWhatFitsIt) {
  OfferFilter filter;
  EXPECT_THAT(ids(filter_offers(some(), filter)), ElementsAre("a", "b", "c"));
  filter.gpus = {"A", "X"};
  EXPECT_THAT(ids(filter_offers(some(), filter)), ElementsAre("a", "c"));
  filter.gpu_count = 2;
  EXPECT_THAT(ids(filter_offers(some(), filter)), ElementsAre("c"));
  filter = {};
  filter.max_usd_per_hour = 2;
  EXPECT_THAT(ids(filter_offers(some(), filter)), ElementsAre("a", "b"));
  filter.kind = "spot";
  EXPECT_TRUE(filter_offers(some(), filter).empty());
}

TEST(Filter, AReported24564MiBAreACardOf24GiBAndNotOf48) {
  auto offers = some();
  offers[0].vram_bytes_per_gpu = Fact<std::int64_t>(std::int64_t{24564} << 20U, "");
  OfferFilter filter;
  filter.min_vram_bytes = 24 * gib;
  EXPECT_EQ(filter_offers(offers, filter).size(), 3U);
  filter.min_vram_bytes = 32 * gib;
  EXPECT_TRUE(filter_offers(offers, filter).empty());
}

TEST(Filter, APriceThatIsNotKnownPassesNoLimitAndUnknownMemoryIsShownButNotRented) {
  auto offers = some();
  offers[0].usd_per_hour = Fact<double>::absent(Absence::unreadable, "");
  offers[1].vram_bytes_per_gpu = Fact<std::int64_t>::absent(Absence::not_found, "");
  OfferFilter filter;
  filter.max_usd_per_hour = 100;
  EXPECT_THAT(ids(filter_offers(offers, filter)), ElementsAre("b", "c"));
  filter.max_usd_per_hour = 0, filter.min_vram_bytes = 1;
  EXPECT_THAT(ids(filter_offers(offers, filter)), ElementsAre("a", "b", "c"));
  filter.available_only = true;
  EXPECT_THAT(ids(filter_offers(offers, filter)), ::testing::Not(::testing::Contains("b")));
}

TEST(Filter, ANameThatTheTableHasTwiceFitsAsItIsSaid) {
  auto offers = some();
  offers[0].gpu = offers[0].gpu_as_told = "NVIDIA H200";
  OfferFilter filter;
  filter.gpus = {"H200 SXM 141 GB", "H200 NVL"}, filter.gpu_as_said = "h200";
  EXPECT_THAT(ids(filter_offers(offers, filter)), ElementsAre("a"));
}

TEST(Filter, ARegionLeavesThePlacesThatFit) {
  OfferFilter filter;
  filter.region = "us-";
  const auto offers = filter_offers(some(), filter);
  ASSERT_EQ(offers.size(), 3U);
  EXPECT_EQ(offers[0].region, "US-KS-2");
  filter.region = "asia";
  EXPECT_TRUE(filter_offers(some(), filter).empty());
}

TEST(Filter, CheapestComesFirstAndWhatCannotBeHadLast) {
  auto offers = some();
  offers[1].available = Fact<bool>(false, "");
  offers.push_back(offer("d", "D", 1, 0));
  offers.back().usd_per_hour = Fact<double>::absent(Absence::unreadable, "");
  sort_offers(offers);
  EXPECT_THAT(ids(offers), ElementsAre("a", "c", "d", "b"));
}

}  // namespace
}  // namespace gpuready::cloud
