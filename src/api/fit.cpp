#include "api/fit.hpp"

#include <algorithm>

#include "api/fit_model.hpp"
#include "api/fit_verify.hpp"
#include "base/text.hpp"
#include "fit/answer.hpp"
#include "fit/rule_of_thumb.hpp"
#include "fit/usable.hpp"

namespace gpuready::api {

Result<Estimate> estimate_model(host::Host& host, const Machine& machine,
                                const catalog::Catalog& catalog, FitRequest request) {
  const auto devices = fit::devices_for(request, machine, catalog.gpus);
  if (!devices) return tl::unexpected(devices.error());
  auto found = find_model(host, catalog, request.model, request.inference.dtype);
  if (!found) return tl::unexpected(found.error());
  if (request.inference.dtype.empty() && request.training.task.empty())
    request.inference.dtype = found->dtype;
  auto estimate = fit::estimate_fully(found->model, request, *devices, catalog.gpus);
  if (estimate && request.verify) estimate->checks = verify_fit(host, machine, *estimate);
  return estimate;
}

Result<FitList> list_fitting(const Machine& machine, const catalog::Catalog& catalog,
                             const FitRequest& request) {
  const auto devices = fit::devices_for(request, machine, catalog.gpus);
  if (!devices) return tl::unexpected(devices.error());
  const bool on_cpu = devices->gpus.empty();
  const fit::Device& device = on_cpu ? devices->cpu : devices->gpus.front();
  FitList list;
  list.device = device.name, list.gpu = device.gpu;
  list.gpus = std::max<std::int64_t>(1, static_cast<std::int64_t>(devices->gpus.size()));
  list.runtime = request.runtime;
  list.usable_bytes =
      device.usable_bytes > 0
          ? Fact<std::int64_t>(device.usable_bytes, devices->given ? "data/gpus.csv" : "probe")
          : Fact<std::int64_t>::absent(Absence::not_found, "how much memory is free is not known");
  if (!list.usable_bytes) return list;
  list.rule_of_thumb = fit::rules_of_thumb(device.usable_bytes, catalog);
  list.considered = fit::considered(catalog, request);
  list.models = fit::which_fit(catalog, request, *devices);
  return list;
}

}  // namespace gpuready::api
