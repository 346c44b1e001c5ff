#include <algorithm>
#include <thread>

#include "api/cloud_desk.hpp"
#include "cloud/fault.hpp"
#include "cloud/filter.hpp"
#include "cloud/gpu_names.hpp"
#include "gpuready/cloud.hpp"

namespace gpuready {

namespace {

using api::CloudDesk;

/// What one provider answered.
struct Part {
  std::vector<Offer> offers;
  std::vector<ProviderError> errors;
};

Part ask(CloudDesk& desk, const cloud::ProviderRow& row, const cloud::OfferQuery& query) {
  Part part;
  auto open = desk.provider(row, row.lists_offers_without_key);
  if (!open) {
    part.errors.push_back(cloud::to_error(row.name, open.error()));
    return part;
  }
  auto offers = open->provider->offers(query);
  if (offers)
    part.offers = std::move(*offers);
  else
    part.errors.push_back(api::error_with_key(*open, offers.error()));
  return part;
}

/// A desk each: a connection takes one thread at a time. They are opened before the threads start,
/// since opening libcurl takes none beside it.
Result<std::vector<std::unique_ptr<CloudDesk>>> open_desks(const OffersRequest& request,
                                                           std::size_t count) {
  std::vector<std::unique_ptr<CloudDesk>> desks;
  for (std::size_t i = 0; i < count; ++i) {
    auto desk = CloudDesk::open(request.data_dir, request.stopped);
    if (!desk) return tl::unexpected(desk.error());
    desks.push_back(std::move(*desk));
  }
  return desks;
}

Result<cloud::OfferFilter> filter_of(const OffersRequest& request,
                                     const std::vector<catalog::Gpu>& gpus) {
  cloud::OfferFilter filter;
  if (!request.gpu.empty()) {
    auto names = cloud::resolve_gpu(gpus, request.gpu);
    if (!names) return tl::unexpected(names.error());
    filter.gpus = std::move(*names), filter.gpu_as_said = request.gpu;
  }
  filter.gpu_count = request.gpu_count, filter.min_vram_bytes = request.min_vram_bytes;
  filter.max_usd_per_hour = request.max_usd_per_hour;
  filter.region = request.region, filter.kind = request.kind;
  return filter;
}

}  // namespace

Result<OfferList> cloud_offers(const OffersRequest& request) {
  const auto rows = api::chosen_providers(request.providers);
  if (!rows) return tl::unexpected(rows.error());
  const auto desks = open_desks(request, rows->size());
  if (!desks) return tl::unexpected(desks.error());
  const auto filter = filter_of(request, desks->front()->gpus());
  if (!filter) return tl::unexpected(filter.error());
  const cloud::OfferQuery query{request.gpu_count, request.disk_bytes};
  std::vector<Part> parts(rows->size());
  {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < rows->size(); ++i)
      threads.emplace_back([&, i] { parts[i] = ask(*(*desks)[i], *(*rows)[i], query); });
    for (std::thread& thread : threads) thread.join();
  }
  OfferList list;
  for (Part& part : parts) {
    list.considered += static_cast<std::int64_t>(part.offers.size());
    std::ranges::move(cloud::filter_offers(std::move(part.offers), *filter),
                      std::back_inserter(list.offers));
    std::ranges::move(part.errors, std::back_inserter(list.errors));
  }
  cloud::sort_offers(list.offers);
  return list;
}

}  // namespace gpuready
