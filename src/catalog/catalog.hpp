#pragma once
/// Facts about the world, from data/*.csv: typed and checked.

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/gpus.hpp"
#include "catalog/models.hpp"
#include "catalog/rows.hpp"
#include "gpuready/result.hpp"

namespace gpuready::catalog {

/// A price that somebody published; of the whole machine, per hour.
struct Price {
  std::string provider, gpu, kind, as_of;
  std::int64_t gpu_count = 0;
  double vram_gib = 0, usd_per_hour = 0;
};

struct Catalog {
  std::vector<Price> prices;
  std::vector<Model> models;
  std::vector<Gpu> gpus;
};

/// The error names the file, the record and the field.
Result<Catalog> load_catalog(const Override& replaced);
/// The compiled-in tables.
Result<Catalog> load_catalog();

}  // namespace gpuready::catalog
