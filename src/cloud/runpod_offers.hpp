#pragma once
/// RunPod's catalogue of GPUs as offers.

#include <cstdint>
#include <optional>
#include <string>

#include "cloud/fields.hpp"
#include "cloud/gpu_names.hpp"
#include "gpuready/offers.hpp"

namespace gpuready::cloud {

/// "secure:2:NVIDIA A40", the id of an offer.
struct RunpodOfferId {
  bool community = false;
  std::int64_t count = 1;
  std::string gpu;
};
std::optional<RunpodOfferId> parse_runpod_offer_id(const std::string& id);

/// What the catalogue was asked for.
struct RunpodQuestion {
  bool community;
  std::int64_t count;
  double disk_bytes;
};

/// Nothing where the type is not offered so.
std::optional<Offer> runpod_offer(const Json& type, const RunpodQuestion& question,
                                  GpuNames& names);

}  // namespace gpuready::cloud
