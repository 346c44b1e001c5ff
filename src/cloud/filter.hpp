#pragma once
/// Which offers a user wants, and in which order.

#include <cstdint>
#include <string>
#include <vector>

#include "gpuready/offers.hpp"

namespace gpuready::cloud {

struct OfferFilter {
  std::vector<std::string> gpus;  ///< names of gpus.csv (resolve_gpu()); empty: any
  /// As the user said it: fits an offer told in the same words, which the table has twice (H200).
  std::string gpu_as_said;
  std::int64_t gpu_count = 0;
  std::int64_t min_vram_bytes = 0;  ///< of each GPU, nominal
  double max_usd_per_hour = 0;      ///< 0: any
  std::string region;               ///< part of its name, in any case
  std::string kind;
  bool available_only = false;
};

/// Those that pass, in their order. An unknown price or memory does not pass a limit on it. A
/// region leaves in each offer only the places that fit it.
std::vector<Offer> filter_offers(std::vector<Offer> offers, const OfferFilter& filter);
/// Cheapest first; what is sold out, or has no price, last.
void sort_offers(std::vector<Offer>& offers);

}  // namespace gpuready::cloud
