#pragma once
/// The providers' names of GPUs, and users', by the names of data/gpus.csv.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/gpus.hpp"
#include "gpuready/offers.hpp"

namespace gpuready::cloud {

/// How far a reported memory may lie from the nominal one: drivers keep some for themselves, and
/// makers count in GB (an 80 GB card reports 81559 MiB, a 24 GB card 24564, one of 48 GB 46068).
inline constexpr double memory_slack = 0.07;

class GpuNames {
 public:
  explicit GpuNames(const std::vector<catalog::Gpu>& gpus) : gpus_(gpus) {}

  /// The table's row for a provider's name; where several have it, that of this memory (0: not
  /// known). nullptr where it is unknown or stays ambiguous.
  const catalog::Gpu* find(const std::string& as_told, std::int64_t vram_bytes);
  /// Sets `gpu` and `gpu_as_told`; notes a memory that the table's GPU has not got, and takes the
  /// table's where the provider tells none.
  void fill(Offer& offer, const std::string& as_told);

 private:
  const std::vector<catalog::Gpu>& gpus_;
  std::map<std::pair<std::string, std::int64_t>, const catalog::Gpu*> found_;
};

/// Names of the table that a user may mean; the error lists near ones. Never another GPU.
Result<std::vector<std::string>> resolve_gpu(const std::vector<catalog::Gpu>& gpus,
                                             std::string_view name);

/// The same letters and digits, but for makers' names.
bool is_same_name(std::string_view a, std::string_view b);

}  // namespace gpuready::cloud
