#include "cloud/filter.hpp"

#include <algorithm>
#include <tuple>

#include "base/text.hpp"
#include "cloud/gpu_names.hpp"

namespace gpuready::cloud {

namespace {

/// The places of "US-KS-2, EU-RO-1" that have the word in their name.
std::string places_with(const std::string& region, const std::string& word) {
  std::vector<std::string> fitting;
  for (const std::string& part : base::split(region, ',')) {
    const std::string place(base::trim(part));
    if (base::contains(base::lower(place), word)) fitting.push_back(place);
  }
  return base::join(fitting, ", ");
}

/// A marketplace's "Sweden, SE" is one place.
std::string narrowed(const Offer& offer, const std::string& region) {
  const std::string word = base::lower(region);
  if (offer.provider == "vast")
    return base::contains(base::lower(offer.region), word) ? offer.region : "";
  return places_with(offer.region, word);
}

bool passes(const Offer& offer, const OfferFilter& filter) {
  if (!filter.gpus.empty() && std::ranges::find(filter.gpus, offer.gpu) == filter.gpus.end() &&
      !is_same_name(filter.gpu_as_said, offer.gpu_as_told))
    return false;
  if (filter.gpu_count > 0 && offer.gpu_count != filter.gpu_count) return false;
  // What is not known is not little: it is shown so, and not rented unseen (available_only).
  const bool unknown_memory = !offer.vram_bytes_per_gpu;
  if (filter.min_vram_bytes > 0 &&
      (unknown_memory ? filter.available_only
                      : static_cast<double>(*offer.vram_bytes_per_gpu) <
                            static_cast<double>(filter.min_vram_bytes) * (1 - memory_slack)))
    return false;
  if (filter.max_usd_per_hour > 0 &&
      (!offer.usd_per_hour || *offer.usd_per_hour > filter.max_usd_per_hour))
    return false;
  if (!filter.kind.empty() && offer.kind != filter.kind) return false;
  return !filter.available_only || offer.available.value_or(true);
}

}  // namespace

std::vector<Offer> filter_offers(std::vector<Offer> offers, const OfferFilter& filter) {
  std::erase_if(offers, [&](Offer& offer) {
    if (!passes(offer, filter)) return true;
    if (filter.region.empty()) return false;
    offer.region = narrowed(offer, filter.region);
    return offer.region.empty();
  });
  return offers;
}

void sort_offers(std::vector<Offer>& offers) {
  const auto rank = [](const Offer& offer) {
    return std::tuple(offer.available.is(false), !offer.usd_per_hour,
                      offer.usd_per_hour.value_or(0), offer.provider, offer.gpu);
  };
  std::ranges::stable_sort(offers,
                           [&](const Offer& a, const Offer& b) { return rank(a) < rank(b); });
}

}  // namespace gpuready::cloud
