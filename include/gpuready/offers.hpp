#pragma once
/// What can be rented now: one offer per kind of machine and place, with its price.

#include <cstdint>
#include <string>
#include <vector>

#include "gpuready/fact.hpp"
#include "gpuready/message.hpp"
#include "gpuready/units.hpp"

namespace gpuready {

/// A machine that a provider rents. Prices are of the whole machine with its disk, per hour.
struct Offer {
  std::string provider;  ///< lambda, runpod, vast
  /// What the provider needs to create it, unique within the provider.
  std::string id;
  std::string gpu;          ///< as gpus.csv names it; the provider's own name where it has none
  std::string gpu_as_told;  ///< the provider's own name
  std::int64_t gpu_count = 1;
  Fact<std::int64_t> vram_bytes_per_gpu;
  Fact<double> usd_per_hour;
  Fact<double> disk_usd_per_hour;
  Fact<std::int64_t> disk_bytes;
  std::string region;
  std::string kind;  ///< on-demand, spot, community, secure
  Fact<bool> available;
  std::string stock;     ///< the provider's own word for how many there are; may be empty
  std::string cpu_arch;  ///< x86_64, aarch64; empty: not told
  std::vector<Message> notes;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("provider", s.provider, Unit::none, "lambda, runpod or vast");
    f("id", s.id, Unit::none, "what the provider calls it");
    f("gpu", s.gpu, Unit::none, "name of the GPU as in the table of GPUs, else as told");
    f("gpu_as_told", s.gpu_as_told, Unit::none, "name of the GPU as the provider tells it");
    f("gpu_count", s.gpu_count, Unit::count, "GPUs in the machine");
    f("vram_bytes_per_gpu", s.vram_bytes_per_gpu, Unit::bytes, "memory of each GPU");
    f("usd_per_hour", s.usd_per_hour, Unit::usd_per_hour, "the whole machine, disk included");
    f("disk_usd_per_hour", s.disk_usd_per_hour, Unit::usd_per_hour, "the part that is its disk");
    f("disk_bytes", s.disk_bytes, Unit::bytes, "size of the disk in that price");
    f("region", s.region, Unit::none, "where it stands");
    f("kind", s.kind, Unit::none, "on-demand, spot, community or secure");
    f("available", s.available, Unit::none, "whether it can be had now");
    f("stock", s.stock, Unit::none, "the provider's own word for how many there are");
    f("cpu_arch", s.cpu_arch, Unit::none, "x86_64 or aarch64; empty where not told");
    f("notes", s.notes, Unit::none, "what to know before renting it");
  }
};

/// Why a provider could not be asked or said no; never holds a secret.
struct ProviderError {
  std::string provider;
  /// no-key, bad-key, forbidden, no-capacity, no-money, rate-limited, too-old, refused, gone,
  /// network, garbled, server
  std::string code;
  std::string message;  ///< one line: what happened and the next step

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("provider", s.provider, Unit::none, "who");
    f("code", s.code, Unit::none,
      "no-key, bad-key, forbidden, no-capacity, no-money, rate-limited, too-old, refused, gone, "
      "network, garbled or server");
    f("message", s.message, Unit::none, "what happened, and the next step");
  }
};

struct OfferList {
  std::vector<Offer> offers;
  std::vector<ProviderError> errors;  ///< of providers that could not be asked
  std::int64_t considered = 0;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("offers", s.offers, Unit::none, "what can be rented, cheapest first");
    f("errors", s.errors, Unit::none, "providers that could not be asked, and why");
    f("considered", s.considered, Unit::count, "offers before the filters");
  }
};

}  // namespace gpuready
