/// Offers of each provider: whole machines, disk included, in one vocabulary.

#include <algorithm>

#include "cloud/filter.hpp"
#include "cloud/gpu_names.hpp"
#include "tests/cloud/client_fixture.hpp"

namespace gpuready::cloud {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr double gib = 1073741824.0;

class Offers : public ClientTest {
 protected:
  std::vector<Offer> offers_from(const std::string& name, const OfferQuery& query = {}) {
    const auto offers = client(name)->offers(query);
    if (!offers) ADD_FAILURE() << offers.error().message;
    return offers.value_or(std::vector<Offer>{});
  }
  static const Offer& find(const std::vector<Offer>& offers, const std::string& id) {
    static const Offer none;
    const auto it = std::ranges::find(offers, id, &Offer::id);
    if (it == offers.end()) ADD_FAILURE() << "no offer " << id;
    return it == offers.end() ? none : *it;
  }
  base::Json one(const std::string& name, const base::Json& body) {
    servers_->control(name, "/_control",
                      {{"on", "offers"}, {"fault", "status:200"}, {"body", body}});
    return {};
  }
};

TEST_F(Offers, LambdasPriceIsThatOfTheWholeMachineInCents) {
  const auto offers = offers_from("lambda");
  const Offer& eight = find(offers, "gpu_8x_h100_sxm5@us-south-2");
  EXPECT_EQ(eight.gpu_count, 8);
  EXPECT_DOUBLE_EQ(*eight.usd_per_hour, 31.92);
  EXPECT_DOUBLE_EQ(*eight.disk_usd_per_hour, 0);
  EXPECT_EQ(eight.gpu, "H100 SXM5 80 GB");
  EXPECT_DOUBLE_EQ(static_cast<double>(*eight.vram_bytes_per_gpu), 80 * gib);
  EXPECT_TRUE(*eight.available);
  EXPECT_EQ(eight.region, "us-south-2");
}

TEST_F(Offers, LambdasRegionsAreOffersAndNoneMeansSoldOut) {
  const auto offers = offers_from("lambda");
  EXPECT_EQ(std::ranges::count(offers, "A10", &Offer::gpu), 2);
  const Offer& sold = find(offers, "gpu_1x_rtx6000@");
  EXPECT_TRUE(sold.available.is(false));
  EXPECT_EQ(sold.gpu, "Quadro RTX 6000");
  EXPECT_EQ(sold.region, "");
}

TEST_F(Offers, LambdasMachinesWithoutGpuAreNoOffers) {
  for (const Offer& offer : offers_from("lambda")) EXPECT_GT(offer.gpu_count, 0) << offer.id;
}

TEST_F(Offers, LambdasUnknownMemoryIsSaidAndNotDropped) {
  const auto offers = offers_from("lambda");
  const Offer& next = find(offers, "gpu_1x_next@us-east-1");
  EXPECT_FALSE(next.vram_bytes_per_gpu);
  EXPECT_THAT(next.vram_bytes_per_gpu.missing().detail, HasSubstr("Next"));
  EXPECT_EQ(next.gpu, "Next");
}

TEST_F(Offers, LambdasGraceMachinesAreArm) {
  const auto offers = offers_from("lambda");
  EXPECT_EQ(find(offers, "gpu_1x_gh200@us-east-3").cpu_arch, "aarch64");
  EXPECT_EQ(find(offers, "gpu_1x_gh200@us-east-3").gpu, "GH200 96 GB");
}

TEST_F(Offers, RunpodsPriceIsMultipliedByItsGpusAndHasItsDisk) {
  const auto offers = offers_from("runpod");
  const double disk = 20 * 0.10 / 730;
  const Offer& four = find(offers, "community:4:NVIDIA GeForce RTX 4090");
  EXPECT_EQ(four.kind, "community");
  EXPECT_EQ(four.gpu, "GeForce RTX 4090");
  EXPECT_NEAR(*four.usd_per_hour, 4 * 0.34 + disk, 1e-9);
  EXPECT_NEAR(*four.disk_usd_per_hour, disk, 1e-9);
  const Offer& one = find(offers, "secure:1:NVIDIA GeForce RTX 4090");
  EXPECT_NEAR(*one.usd_per_hour, 0.74 + disk, 1e-9);
  EXPECT_EQ(one.region, "EU-RO-1, US-IL-1");
  EXPECT_EQ(one.stock, "HIGH");
  EXPECT_TRUE(find(offers, "secure:1:NVIDIA H100 PCIe").available.is(false));
}

TEST_F(Offers, RunpodsCloudsWithoutTheTypeAreNoOffers) {
  for (const Offer& offer : offers_from("runpod")) {
    EXPECT_NE(offer.id, "secure:1:NVIDIA GeForce RTX 3090");
    EXPECT_NE(offer.id, "community:1:NVIDIA A40");
    EXPECT_GT(offer.usd_per_hour.value_or(1), 0.05);
  }
}

TEST_F(Offers, RunpodIsAskedForTheWantedCountAlone) {
  for (const Offer& offer : offers_from("runpod", {2, 0})) EXPECT_EQ(offer.gpu_count, 2);
  EXPECT_EQ(seen("runpod", "offers").size(), 2U);
}

TEST_F(Offers, VastsPriceHasTheDiskThatWasAskedFor) {
  const auto small = offers_from("vast", {0, static_cast<std::int64_t>(10 * gib)});
  const auto large = offers_from("vast", {0, static_cast<std::int64_t>(100 * gib)});
  ASSERT_FALSE(small.empty());
  const Offer& one = small.front();
  const Offer& same = find(large, one.id);
  EXPECT_NEAR(*same.disk_usd_per_hour, 10 * *one.disk_usd_per_hour, 1e-9);
  EXPECT_NEAR(*same.usd_per_hour - *one.usd_per_hour,
              *same.disk_usd_per_hour - *one.disk_usd_per_hour, 1e-9);
}

TEST_F(Offers, VastsHostsOfBadNameAreNotAskedFor) {
  for (const Offer& offer : offers_from("vast")) {
    const auto number = std::stoll(offer.id) - 1000;
    EXPECT_NE(number % 9, 8) << "unverified";
    EXPECT_NE(number % 13, 12) << "no direct port";
    EXPECT_NE(number % 11, 10) << "an old driver";
  }
}

TEST_F(Offers, VastsMemoryIsPerGpuAndPricesAreOfAllGpus) {
  const auto offers = offers_from("vast");
  const auto four = std::ranges::find(offers, 4, &Offer::gpu_count);
  ASSERT_NE(four, offers.end());
  EXPECT_EQ(four->gpu, "GeForce RTX 4090");
  EXPECT_EQ(*four->vram_bytes_per_gpu, std::int64_t{24564} << 20U);
  EXPECT_GT(*four->usd_per_hour, 1.36);
}

TEST_F(Offers, VastsCardsOfAnotherMemoryAreNoted) {
  bool found = false;
  for (const Offer& offer : offers_from("vast"))
    if (offer.gpu_as_told == "RTX 4090" &&
        *offer.vram_bytes_per_gpu > static_cast<std::int64_t>(40 * gib)) {
      found = true;
      ASSERT_EQ(offer.notes.size(), 1U);
      EXPECT_EQ(offer.notes[0].key, "cloud.note.other-memory");
    } else if (offer.gpu_as_told == "RTX 4090") {
      EXPECT_TRUE(offer.notes.empty());
    }
  EXPECT_TRUE(found);
}

TEST_F(Offers, VastsMemoryTellsTheTwoA100Apart) {
  std::vector<std::string> names;
  for (const Offer& offer : offers_from("vast"))
    if (offer.gpu_as_told == "A100 SXM4") names.push_back(offer.gpu);
  EXPECT_THAT(names, Contains("A100 SXM4 40 GB"));
  EXPECT_THAT(names, Contains("A100 SXM4 80 GB"));
}

TEST_F(Offers, NumbersMayComeAsStringsAndPlacesAsNull) {
  one("vast", {{"offers",
                {{{"id", "77"},
                  {"gpu_name", "RTX 3090"},
                  {"num_gpus", "1"},
                  {"gpu_ram", "24576"},
                  {"dph_total", "0.25"},
                  {"dph_base", nullptr},
                  {"geolocation", nullptr}}}}});
  const auto offers = offers_from("vast");
  ASSERT_EQ(offers.size(), 1U);
  EXPECT_EQ(offers[0].id, "77");
  EXPECT_DOUBLE_EQ(*offers[0].usd_per_hour, 0.25);
  EXPECT_FALSE(offers[0].disk_usd_per_hour);
  EXPECT_EQ(offers[0].region, "");
}

TEST_F(Offers, APriceThatIsNoneIsAbsent) {
  for (const base::Json& price :
       {base::Json(), base::Json("free"), base::Json(-1), base::Json(0), base::Json(true)}) {
    one("vast",
        {{"offers",
          {{{"id", 77}, {"gpu_name", "RTX 3090"}, {"num_gpus", 1}, {"dph_total", price}}}}});
    const auto offers = offers_from("vast");
    ASSERT_EQ(offers.size(), 1U);
    EXPECT_FALSE(offers[0].usd_per_hour) << price.dump();
  }
}

TEST_F(Offers, AListOfAnotherShapeIsAFault) {
  for (const char* name : {"lambda", "runpod", "vast"})
    for (const char* body : {"{}", "[1]", "{\"data\":[]}", "{\"data\":{\"x\":{}}}", "{\"gpus\":{}}",
                             "{\"gpus\":[{}]}", "{\"offers\":{}}", "{\"offers\":[{\"id\":1}]}"}) {
      servers_->control(name, "/_control",
                        {{"on", "offers"}, {"fault", "status:200"}, {"body", body}});
      const auto offers = client(name)->offers({});
      ASSERT_FALSE(offers) << name << body;
      EXPECT_EQ(offers.error().kind, FaultKind::garbled) << name << body;
      servers_->advance(30);
    }
}

TEST_F(Offers, AreTheSameMachinesThatCreateRents) {
  for (const char* name : {"lambda", "runpod", "vast"}) {
    const auto provider = client(name);
    const auto request = request_for(*provider);
    const auto id = provider->create(request);
    ASSERT_TRUE(id) << id.error().message;
    const auto instance = provider->get(*id);
    ASSERT_TRUE(instance);
    EXPECT_EQ(instance->gpu_count, request.offer.gpu_count);
    EXPECT_NEAR(*instance->usd_per_hour, *request.offer.usd_per_hour, 0.005) << name;
  }
}

}  // namespace
}  // namespace gpuready::cloud
