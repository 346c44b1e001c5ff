#include <algorithm>

#include "catalog/pipelines.hpp"
#include "fit/answer.hpp"
#include "fit/from_catalogue.hpp"
#include "fit/solver.hpp"
#include "fit/speed.hpp"

namespace gpuready::fit {

namespace {

bool wanted(const catalog::Model& row, const FitRequest& request) {
  if (!request.kind.empty() && row.kind != lower(request.kind)) return false;
  if (!request.family.empty() && lower(row.family) != lower(request.family)) return false;
  const std::string search = lower(request.search);
  if (!search.empty() &&
      lower(row.name + ' ' + row.hf_id + ' ' + row.family).find(search) == std::string::npos)
    return false;
  // Decoders and text encoders of pipelines are no models of their own.
  return row.kind != "diffusion" || !catalog::pipeline_of(row.name).empty();
}

/// Types of less than four bits lose so much that they are listed only where they surely fit.
bool is_poor(const std::string& type) {
  const catalog::Quant* quant = catalog::quant_named(type, true);
  return quant != nullptr && ggml_element_bytes(quant->base, 0) < 0.5;
}

/// The first type that fits; else the last that is tight.
std::optional<Outcome> best_outcome(Forward& forward, FitRequest& request, Runtime runtime,
                                    const Devices& devices) {
  std::optional<Outcome> tight;
  std::string tight_type;
  std::vector<std::string> types;
  if (!request.inference.dtype.empty()) {
    types.push_back(request.inference.dtype);
  } else {
    for (const catalog::Quant* quant : types_for(forward.model(), runtime, devices))
      types.push_back(quant->name);
  }
  for (const std::string& type : types) {
    request.inference.dtype = type;
    auto outcome = forward(request);
    if (!outcome) continue;
    if (outcome->verdict == FitVerdict::fits) return std::move(*outcome);
    if (outcome->verdict == FitVerdict::tight && !is_poor(type))
      tight = std::move(*outcome), tight_type = type;
  }
  request.inference.dtype = tight_type;
  return tight;
}

std::optional<FittingModel> fitting(const catalog::Model& row, FitRequest request,
                                    const Devices& devices) {
  const auto model = model_of_row(row);
  if (!model) return {};
  request.model = row.name, request.training = TrainingOptions{};
  const auto runtime = runtime_for(*model, request);
  if (!runtime) return {};
  // Options of other runtimes don't leave a kind of model out of the list.
  if (*runtime != Runtime::vllm) request.inference.util = 0;
  if (*runtime == Runtime::diffusers) {
    request.gpus = 0;
  } else {
    InferenceOptions& options = request.inference;
    options.offload.clear();
    options.image_width = options.image_height = options.images = 0;
    options.vae_slicing = options.vae_tiling = false;
  }
  Forward forward(*model, devices);
  const auto outcome = best_outcome(forward, request, *runtime, devices);
  if (!outcome) return {};
  FittingModel out;
  out.name = row.name, out.family = row.family, out.kind = row.kind;
  out.dtype = outcome->weights->dtype, out.parameters = row.parameters;
  const Fact<std::int64_t> longest = max_context(forward, request, *runtime);
  out.max_context = longest ? *longest : static_cast<std::int64_t>(outcome->inference.context);
  if (!keeps_cache(model->shape)) out.max_context = model->shape.max_context;
  out.total = outcome->shares[outcome->fullest].total(), out.verdict = outcome->verdict;
  out.speed = speed_of(*model, *outcome, devices);
  return out;
}

}  // namespace

std::vector<FittingModel> which_fit(const catalog::Catalog& catalog, const FitRequest& request,
                                    const Devices& devices) {
  std::vector<FittingModel> out;
  for (const catalog::Model& row : catalog.models) {
    if (!wanted(row, request)) continue;
    if (auto model = fitting(row, request, devices)) out.push_back(std::move(*model));
  }
  std::stable_sort(out.begin(), out.end(), [](const FittingModel& a, const FittingModel& b) {
    return a.parameters > b.parameters;
  });
  return out;
}

std::int64_t considered(const catalog::Catalog& catalog, const FitRequest& request) {
  return std::ranges::count_if(catalog.models,
                               [&](const catalog::Model& row) { return wanted(row, request); });
}

}  // namespace gpuready::fit
