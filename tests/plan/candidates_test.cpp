#include "plan/candidates.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/plan/plan_places.hpp"

namespace gpuready::plan {
namespace {

Market dated() {
  Market market;
  market.today = *day_of("2026-12-01");
  return market;
}

Offer offer(const std::string& provider, const std::string& gpu, double usd_per_hour) {
  Offer o;
  o.provider = provider, o.gpu = o.gpu_as_told = gpu, o.id = gpu + "-1", o.kind = "on-demand";
  o.usd_per_hour = Fact<double>(usd_per_hour, "test");
  o.available = Fact<bool>(true, "test");
  return o;
}

std::vector<Candidate> of(const Gathered& gathered, const std::string& where) {
  std::vector<Candidate> list = gathered.candidates;
  std::erase_if(list, [&](const Candidate& c) { return c.where != where; });
  return list;
}

std::int64_t left_out_for(const Gathered& gathered, const std::string& reason) {
  return std::ranges::count(gathered.left_out, reason, &LeftOut::reason);
}

TEST(Days, AreCountedFromDatesMonthsAndHalves) {
  EXPECT_EQ(*day_of("1970-01-01"), 0);
  EXPECT_EQ(*day_of("2026-12-01") - *day_of("2026-11-09"), 22);
  EXPECT_EQ(day_of("2026-09"), day_of("2026-09-01"));
  EXPECT_EQ(day_of("2025-H2"), day_of("2025-07-01"));
  for (const char* wrong : {"", "2026", "2026-13-01", "2026-02-30", "soon", "2026-09-25-1"})
    EXPECT_FALSE(day_of(wrong)) << wrong;
}

TEST(Gather, ThisCpuColabAndEveryProviderOfTheTableAreConsidered) {
  const Gathered all = gather({}, Machine{}, tables(), dated());
  for (const char* where : {"this-cpu", "colab", "lambda", "runpod", "vast"})
    EXPECT_FALSE(of(all, where).empty()) << where;
  EXPECT_EQ(left_out_for(all, "unknown-gpu"), 0);
  EXPECT_EQ(static_cast<std::size_t>(all.considered), tables().prices.size());
}

TEST(Gather, SpotMachinesAreLeftOutAndSaidSo) {
  const Gathered all = gather({}, Machine{}, tables(), dated());
  EXPECT_EQ(left_out_for(all, "spot"), 2);
  for (const Candidate& c : all.candidates) EXPECT_NE(c.kind, "spot");
}

TEST(Gather, OfPricesForTheSameMachineTheNewestCounts) {
  // Vast's H100 SXM: 6.1489 on 7 October, 2.4024 on 19 October.
  const Gathered all = gather({}, Machine{}, tables(), dated());
  for (const Candidate& c : of(all, "vast"))
    if (c.gpu == "H100 SXM5 80 GB") {
      EXPECT_DOUBLE_EQ(*c.usd_per_hour, 2.4024);
      EXPECT_EQ(*c.price_as_of, "2026-10-19");
    }
  EXPECT_GE(left_out_for(all, "same"), 2);
}

TEST(Gather, ANameOfSeveralGpusCountsAsTheSlowestAndSaysSo) {
  const NamedRow h100 = row_of(tables().gpus, "H100", 80);
  ASSERT_NE(h100.row, nullptr);
  EXPECT_EQ(h100.row->name, "H100 PCIe 80 GB");
  EXPECT_FALSE(h100.certain);
  EXPECT_TRUE(row_of(tables().gpus, "GeForce RTX 4090", 24).certain);
  EXPECT_EQ(row_of(tables().gpus, "RTX 9999", 24).row, nullptr);
}

TEST(Gather, TheOptionsOfTheRequestLeaveTheRestOut) {
  PlanRequest request;
  request.gpu = "RTX 4090", request.max_price_usd_per_hour = 0.5;
  request.providers = {"runpod", "vast"};
  const Gathered some = gather(request, Machine{}, tables(), dated());
  EXPECT_FALSE(some.candidates.empty());
  for (const Candidate& c : some.candidates) {
    EXPECT_EQ(c.gpu, "GeForce RTX 4090");
    EXPECT_LE(*c.usd_per_hour, 0.5);
    EXPECT_TRUE(c.where == "runpod" || c.where == "vast");
  }
  EXPECT_GT(left_out_for(some, "gpu"), 0);
  EXPECT_GT(left_out_for(some, "max-price"), 0);
  EXPECT_GT(left_out_for(some, "providers"), 0);
}

TEST(Gather, LivePricesWinOverTheTableOfTheSameProvider) {
  Market market = dated();
  market.asked = {"runpod"};
  market.live.offers = {offer("runpod", "GeForce RTX 4090", 0.5), offer("runpod", "L4", 0.4)};
  market.live.offers.push_back(offer("runpod", "GeForce RTX 4090", 0.3));
  const Gathered all = gather({}, Machine{}, tables(), market);
  const auto runpod = of(all, "runpod");
  ASSERT_EQ(runpod.size(), 2U);
  for (const Candidate& c : runpod) {
    EXPECT_TRUE(c.live);
    EXPECT_EQ(c.price_part.high, 1);
    if (c.gpu == "GeForce RTX 4090") {
      EXPECT_DOUBLE_EQ(*c.usd_per_hour, 0.3);
    }
  }
  for (const Candidate& c : of(all, "vast")) EXPECT_FALSE(c.live);
}

TEST(Gather, AProviderThatAnsweredWithNothingHasNothing) {
  Market market = dated();
  market.asked = {"lambda"};
  EXPECT_TRUE(of(gather({}, Machine{}, tables(), market), "lambda").empty());
}

TEST(Gather, OffersWithoutPriceOrSoldOutOrOfUnknownGpusAreLeftOutWithTheirReason) {
  Market market = dated();
  market.asked = {"vast"};
  Offer sold = offer("vast", "L4", 0.4), unpriced = offer("vast", "A40", 0.4);
  sold.available = Fact<bool>(false, "test");
  unpriced.usd_per_hour = Fact<double>::absent(Absence::unreadable, "text");
  market.live.offers = {sold, unpriced, offer("vast", "Banana 9000", 0.1), offer("vast", "L40", 0),
                        offer("vast", "L40S", -1)};
  const Gathered all = gather({}, Machine{}, tables(), market);
  EXPECT_TRUE(of(all, "vast").empty());
  EXPECT_EQ(left_out_for(all, "unavailable"), 1);
  EXPECT_EQ(left_out_for(all, "unknown-price"), 3);
  EXPECT_EQ(left_out_for(all, "unknown-gpu"), 1);
}

TEST(Gather, OldAndMarketPricesMayHaveMovedFurther) {
  const Gathered all = gather({}, Machine{}, tables(), dated());
  for (const Candidate& c : all.candidates) {
    if (c.where == "vast") {
      EXPECT_DOUBLE_EQ(c.price_part.high, 1.6);
    }
    if (c.where == "lambda") {
      EXPECT_DOUBLE_EQ(c.price_part.high, 1.5);
    }
    if (c.where == "colab") {
      EXPECT_DOUBLE_EQ(c.price_part.high, 1);
    }
  }
}

Gpu own_gpu(const std::string& name, bool usable, std::int64_t index) {
  Gpu gpu;
  gpu.name = Fact<std::string>(name, "test");
  gpu.kernel = Fact<bool>(usable, "test");
  gpu.cuda_index = Fact<std::int64_t>(index, "test");
  return gpu;
}

TEST(Gather, OnlyUsableGpusOfThisMachineCountAndSeveralAlsoTogether) {
  Machine machine;
  machine.gpus = {own_gpu("NVIDIA A10", true, 0), own_gpu("NVIDIA A10", true, 1),
                  own_gpu("Tesla T4", false, 2)};
  PlanRequest request;
  request.flops = 1e18;
  const Gathered all = gather(request, machine, tables(), dated());
  const auto own = of(all, "this-gpu");
  ASSERT_EQ(own.size(), 2U);
  EXPECT_EQ(own[0].gpu_count, 1);
  EXPECT_EQ(own[1].gpu_count, 2);
  EXPECT_EQ(own[0].device, "cuda:0");
  EXPECT_EQ(left_out_for(all, "not-usable"), 1);
}

TEST(Gather, WorkToldByCpuHoursUsesOneGpu) {
  PlanRequest request;
  request.cpu_hours = 8;
  const Gathered all = gather(request, Machine{}, tables(), dated());
  for (const Candidate& c : all.candidates) EXPECT_LE(c.gpu_count, 1);
  EXPECT_GT(left_out_for(all, "one-gpu"), 0);
}

TEST(Gather, OnColabItselfColabIsNoOtherPlace) {
  Machine machine;
  machine.environment.colab = Fact<std::string>("release-colab", "test");
  EXPECT_TRUE(of(gather({}, machine, tables(), dated()), "colab").empty());
}

}  // namespace
}  // namespace gpuready::plan
