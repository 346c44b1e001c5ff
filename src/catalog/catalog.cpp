#include "catalog/catalog.hpp"

namespace gpuready::catalog {

namespace {

Price read_price(Cells& cells) {
  Price price;
  price.provider = cells.text("provider"), price.gpu = cells.text("gpu");
  price.kind = cells.text("kind"), price.as_of = cells.text("as_of");
  price.gpu_count = cells.integer("gpu_count");
  price.vram_gib = cells.number("vram_gib"), price.usd_per_hour = cells.number("usd_per_hour");
  return price;
}

}  // namespace

Result<Catalog> load_catalog(const Override& replaced) {
  auto prices = read_table<Price>("prices.csv", replaced, read_price);
  if (!prices) return tl::unexpected(prices.error());
  auto models = load_models(replaced);
  if (!models) return tl::unexpected(models.error());
  auto gpus = load_gpus(replaced);
  if (!gpus) return tl::unexpected(gpus.error());
  return Catalog{std::move(*prices), std::move(*models), std::move(*gpus)};
}

Result<Catalog> load_catalog() { return load_catalog(Override{}); }

}  // namespace gpuready::catalog
