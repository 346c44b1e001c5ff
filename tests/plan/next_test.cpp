#include "plan/next.hpp"

#include <gtest/gtest.h>

#include "base/messages.hpp"
#include "base/text.hpp"

namespace gpuready::plan {
namespace {

catalog::Catalog prices() {
  catalog::Catalog catalog;
  catalog.prices = {{"a", "RTX 4090", "on-demand", "2026-09-25", 1, 24, 0.34},
                    {"a", "A100", "secure", "2026-11-09", 1, 80, 1.79},
                    {"a", "H100", "secure", "2026-11-10", 1, 80, 3.99},
                    {"b", "RTX 4090", "spot", "2026-11-11", 1, 24, 0.12},
                    {"b", "8 x V100", "on-demand", "2025-H2", 8, 16, 0.85},
                    {"colab", "T4", "on-demand", "2026-08", 1, 15, 0}};
  return catalog;
}

Next next_for(Verdict verdict, const catalog::Catalog& catalog) {
  Doctor doctor;
  doctor.verdict = verdict;
  return next_steps(Machine{}, doctor, DeviceChoice{"cpu", {}}, {}, catalog);
}

TEST(Next, WithoutAGpuTheThreePlacesAreOffered) {
  const Next next = next_for(Verdict::no_gpu, prices());
  ASSERT_EQ(next.places.size(), 3U);
  EXPECT_EQ(next.places[0].where, "local");
  EXPECT_EQ(next.places[1].where, "colab");
  EXPECT_EQ(next.places[2].where, "rented");
}

TEST(Next, TheRentRangeCountsSingleGpusUpToTwoDollarsAndNoSpot) {
  const Place rented = next_for(Verdict::no_gpu, prices()).places[2];
  EXPECT_EQ(*rented.usd_per_hour_low, 0.34);
  EXPECT_EQ(*rented.usd_per_hour_high, 1.79);
  EXPECT_EQ(*rented.price_as_of, "2026-11-11");
}

TEST(Next, AnEmptyPriceTableIsSaidToBeEmpty) {
  const Place rented = next_for(Verdict::no_gpu, {}).places[2];
  EXPECT_EQ(rented.cost.key, "place.rented.cost-unknown");
  EXPECT_FALSE(rented.usd_per_hour_low);
}

TEST(Next, AUsableGpuNeedsNoOtherPlace) {
  EXPECT_TRUE(next_for(Verdict::usable, prices()).places.empty());
}

TEST(Next, ABrokenGpuIsMendedFirst) {
  const Next next = next_for(Verdict::not_usable, prices());
  ASSERT_FALSE(next.steps.empty());
  EXPECT_EQ(next.steps[0].key, "next.mend");
}

TEST(Next, ABrokenGpuIsMendedInTheWordsOfItsRule) {
  Finding finding;
  finding.fixes = {{{"", {"Load it:", "zh", "加载它："}}, {"sudo modprobe nvidia"}}};
  Doctor doctor;
  doctor.verdict = Verdict::not_usable;
  doctor.findings = {finding};
  const Next next = next_steps(Machine{}, doctor, DeviceChoice{"cpu", {}}, {}, prices());
  const Message& step = next.steps[0];
  ASSERT_EQ(step.args.size(), 3U);
  EXPECT_EQ(step.args[0], base::Messages::language("en").text("next.mend-by", {"Load it."}));
  EXPECT_EQ(step.args[1], "zh");
  EXPECT_TRUE(base::starts_with(step.args[2], "加载它。"));
}

}  // namespace
}  // namespace gpuready::plan
