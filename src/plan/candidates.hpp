#pragma once
/// Every place where the work could run, before it is judged. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"
#include "gpuready/plan.hpp"

namespace gpuready::plan {

/// What fit says of the model on a place.
struct Memory {
  PlanFits fits = PlanFits::not_asked;
  Fact<std::int64_t> needed_bytes, usable_bytes;
  FitSpeed speed;
};

struct Candidate {
  std::string where, gpu;
  const catalog::Gpu* row = nullptr;  ///< of the table; null: a CPU, or a GPU that it has not
  std::string device;                 ///< of this machine: cpu, cuda:0
  std::int64_t gpu_count = 0;
  double vram_gib = 0;  ///< of each GPU, nominal; 0: as the table says
  std::string kind, region, offer, cpu_arch;
  Fact<double> usd_per_hour;
  PlanRange price_part{1, 1, 1};  ///< what the price may have become since, as a part of it
  Fact<std::string> price_as_of;
  bool live = false;
  std::vector<Message> notes;
  Memory memory;
};

struct Gathered {
  std::vector<Candidate> candidates;
  std::vector<LeftOut> left_out;
  std::vector<Message> assumptions;
  std::int64_t considered = 0;
};

/// Offers of the providers that answered just now (`asked` names them); of the others the dated
/// table is taken. `today`: days since 1970.
struct Market {
  OfferList live;
  std::vector<std::string> asked;
  std::int64_t today = 0;
};

/// This machine, Colab and what is rented, less what the request excludes.
Gathered gather(const PlanRequest& request, const Machine& machine, const catalog::Catalog& catalog,
                const Market& market);

/// The row of the table that a price's name and memory mean; the slowest where it may be several,
/// and `certain` false.
struct NamedRow {
  const catalog::Gpu* row = nullptr;
  bool certain = true;
};
NamedRow row_of(const std::vector<catalog::Gpu>& gpus, std::string_view name, double vram_gib);

/// Days since 1970 of "2026-11-09"; of "2026-09" and "2025-H2" their first day. Nothing where it is
/// no date.
std::optional<std::int64_t> day_of(std::string_view date);

}  // namespace gpuready::plan
