#pragma once
/// Vast's marketplace as offers, and its instances in the common vocabulary.

#include <cstdint>
#include <optional>
#include <string>

#include "cloud/fields.hpp"
#include "cloud/gpu_names.hpp"
#include "cloud/provider.hpp"

namespace gpuready::cloud {

/// At most so many offers are asked for; a marketplace of more is told, not cut.
inline constexpr std::int64_t most_vast_offers = 10000;
inline constexpr std::int64_t usual_vast_disk_gib = 20;

/// The search's body: verified machines of good name, with direct ports and a driver that runs our
/// image; the disk is part of the price.
Json vast_search(const OfferQuery& query);
/// Nothing where the row has no id or GPU.
std::optional<Offer> vast_offer(const Json& row, const OfferQuery& query, GpuNames& names);
Instance vast_instance(const Json& row);

}  // namespace gpuready::cloud
