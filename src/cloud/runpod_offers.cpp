#include "cloud/runpod_offers.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace gpuready::cloud {

namespace {

constexpr double gib = 1073741824.0, gb = 1e9;
/// USD per GB and month of a running pod's own disk (RunPod's price list, 2026), and hours of a
/// month: 365 x 24 / 12.
constexpr double disk_usd_per_gb_month = 0.10, month_hours = 730;
constexpr std::int64_t most_gpus = 64;

std::string id_text(const RunpodQuestion& question, const std::string& gpu) {
  return std::string(question.community ? "community:" : "secure:") +
         std::to_string(question.count) + ":" + gpu;
}

/// Data centres that have some, the catalogue's order.
std::string places_of(const Json& type) {
  std::vector<std::string> places;
  const Json& centres = member(type, "dataCenters");
  if (centres.is_array())
    for (const Json& centre : centres)
      if (text_of(centre, "availability") != "NONE") places.push_back(text_of(centre, "id"));
  std::erase(places, "");
  return base::join(places, ", ");
}

Fact<bool> availability_of(const std::string& stock) {
  if (stock == "NONE") return {false, "runpod: availability"};
  if (stock == "LOW" || stock == "MEDIUM" || stock == "HIGH") return {true, "runpod: availability"};
  return Fact<bool>::absent(Absence::not_found, "runpod tells no availability");
}

void set_price(Offer& offer, double per_gpu, const RunpodQuestion& question) {
  const double disk = question.disk_bytes / gb * disk_usd_per_gb_month / month_hours;
  offer.usd_per_hour = Fact<double>(per_gpu * static_cast<double>(question.count) + disk,
                                    "runpod: price of a GPU, times GPUs, and the disk");
  offer.disk_usd_per_hour = Fact<double>(disk, "0.10 USD per GB and month");
  offer.disk_bytes =
      Fact<std::int64_t>(static_cast<std::int64_t>(question.disk_bytes), "as asked for");
}

}  // namespace

std::optional<RunpodOfferId> parse_runpod_offer_id(const std::string& id) {
  const auto parts = base::split(id, ':');
  if (parts.size() != 3 || parts[2].empty()) return {};
  const auto count = base::to_integer(parts[1]);
  if ((parts[0] != "secure" && parts[0] != "community") || !count || *count < 1 ||
      *count > most_gpus)
    return {};
  return RunpodOfferId{parts[0] == "community", *count, parts[2]};
}

std::optional<Offer> runpod_offer(const Json& type, const RunpodQuestion& question,
                                  GpuNames& names) {
  const char* cloud = question.community ? "community" : "secure";
  const Json& offered = member(type, cloud);
  const auto price = number_of(member(type, "price"), cloud);
  const auto most = integer_of(member(type, "maxCount"), cloud);
  // The catalogue fills in prices of clouds that have none of this type; 0 means the same.
  if (!offered.is_boolean() || !offered.get<bool>() || (price && *price <= 0) ||
      (most && *most < question.count))
    return {};
  Offer offer;
  offer.provider = "runpod", offer.kind = cloud;
  offer.id = id_text(question, text_of(type, "id"));
  offer.gpu_count = question.count;
  const auto memory = number_of(type, "memory");
  constexpr double most_gb = 10000;
  if (memory && *memory > 0 && *memory < most_gb)
    offer.vram_bytes_per_gpu =
        Fact<std::int64_t>(static_cast<std::int64_t>(*memory * gib), "runpod: memory");
  else
    offer.vram_bytes_per_gpu =
        Fact<std::int64_t>::absent(Absence::not_found, "runpod tells no memory of this GPU");
  names.fill(offer, text_of(type, "id"));
  if (offer.gpu == offer.gpu_as_told)
    if (const auto* gpu = names.find(text_of(type, "name"), offer.vram_bytes_per_gpu.value_or(0)))
      offer.gpu = gpu->name;
  if (price)
    set_price(offer, *price, question);
  else
    offer.usd_per_hour = Fact<double>::absent(Absence::unreadable, "runpod tells no price");
  offer.stock = text_of(type, "availability");
  offer.available = availability_of(offer.stock);
  offer.region = places_of(type);
  return offer;
}

}  // namespace gpuready::cloud
