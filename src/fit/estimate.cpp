#include "fit/estimate.hpp"

#include <algorithm>

#include "fit/explain.hpp"
#include "fit/outcome.hpp"
#include "fit/range.hpp"

namespace gpuready::fit {

namespace {

bool enough(std::int64_t bytes, double limit) { return static_cast<double>(bytes) <= limit; }

FitVerdict verdict_of(const Range& total, double limit) {
  if (limit <= 0) return FitVerdict::unknown;
  if (enough(total.high_bytes, limit)) return FitVerdict::fits;
  return enough(total.expected_bytes, limit) ? FitVerdict::tight : FitVerdict::does_not_fit;
}

/// The device that is nearest to its limit decides; the worst verdict wins.
void judge(const Model& model, const std::vector<Device>& devices, Outcome& outcome) {
  double worst = -1;
  for (std::size_t i = 0; i < outcome.shares.size(); ++i) {
    const Device& device = devices[static_cast<std::size_t>(outcome.shares[i].device)];
    const double limit = limit_bytes(device, outcome);
    const auto high = static_cast<double>(outcome.shares[i].total().high_bytes);
    const double part = limit > 0 ? high / limit : high;
    if (part > worst) worst = part, outcome.fullest = i;
  }
  if (outcome.shares.empty()) return;
  const DeviceTerms& share = outcome.shares[outcome.fullest];
  outcome.verdict = verdict_of(
      share.total(), limit_bytes(devices[static_cast<std::size_t>(share.device)], outcome));
  if (!model.shape_known && outcome.verdict != FitVerdict::does_not_fit)
    outcome.verdict = FitVerdict::unknown;
}

/// Frozen weights of an adapter's base stand in 32 bits where the recipe is one of 32 bits.
const catalog::Quant* base_type(const FitRequest& request, const catalog::Quant* chosen) {
  const bool wide = request.training.precision == "fp32" || request.training.precision == "amp";
  return wide && request.training.task == "lora" ? catalog::quant_named("fp32", false) : chosen;
}

}  // namespace

double limit_bytes(const Device& device, const Outcome& outcome) {
  const auto usable = static_cast<double>(device.usable_bytes);
  if (outcome.runtime != Runtime::vllm) return usable;
  const double total = device.total_bytes > 0 ? static_cast<double>(device.total_bytes) : usable;
  return std::min(usable, outcome.inference.util * total);
}

const Weights& Forward::weights(const WeightChoice& choice) {
  const auto found = known_.find(choice.quant);
  if (found != known_.end()) return found->second;
  if (choice.quant == nullptr) {
    Weights stored = weights_as_stored(model_);
    // What a runtime unpacks depends on how the file was packed.
    if (!model_.quantisation.method.empty()) stored.dtype = published_dtype(model_);
    return known_.emplace(nullptr, std::move(stored)).first->second;
  }
  return known_.emplace(choice.quant, weights_as(model_, *choice.quant)).first->second;
}

Result<Outcome> Forward::operator()(const FitRequest& asked) {
  const FitRequest request = with_precision(model_, asked, devices_);
  const auto runtime = runtime_for(model_, request);
  if (!runtime) return tl::unexpected(runtime.error());
  if (auto checked = check_options(model_, request, *runtime); !checked)
    return tl::unexpected(checked.error());
  auto choice = weights_for(model_, request, *runtime, devices_);
  if (!choice) return tl::unexpected(choice.error());
  Outcome out;
  out.runtime = *runtime;
  out.weights = &weights(*choice);
  out.assumptions = std::move(choice->assumptions);
  const std::vector<Device> devices = targets(devices_);
  const auto note = [&out](std::vector<Message>& more) {
    std::move(more.begin(), more.end(), std::back_inserter(out.assumptions));
  };
  double host = 0;
  if (*runtime == Runtime::train) {
    auto resolved = resolve_training(model_, request, devices_);
    if (!resolved) return tl::unexpected(resolved.error());
    note(resolved->assumptions);
    out.training = std::move(resolved->plan);
    const Weights& counted = weights({catalog::quant_named("bf16", false), {}});
    out.weights =
        out.training.adapters ? &weights({base_type(request, choice->quant), {}}) : &counted;
    Training done = training_terms(model_, counted, *out.weights, out.training, devices);
    out.shares = std::move(done.shares), host = done.host;
  } else if (*runtime == Runtime::diffusers) {
    auto resolved = resolve_images(model_, request, choice->quant);
    if (!resolved) return tl::unexpected(resolved.error());
    note(resolved->assumptions);
    out.shares = {image_terms(model_, *out.weights, resolved->plan, devices[0], &host)};
  } else {
    auto resolved = resolve_inference(model_, request, *runtime, devices_);
    if (!resolved) return tl::unexpected(resolved.error());
    note(resolved->assumptions);
    out.inference = std::move(resolved->plan);
    Inference done = inference_terms(model_, *out.weights, out.inference, devices);
    out.shares = std::move(done.shares), host = done.host;
  }
  out.host_bytes = whole_bytes(host);
  judge(model_, devices, out);
  return out;
}

Result<Estimate> estimate(const Model& model, const FitRequest& request, const Devices& devices) {
  Forward forward(model, devices);
  const auto outcome = forward(request);
  if (!outcome) return tl::unexpected(outcome.error());
  return explained(model, request, devices, *outcome);
}

}  // namespace gpuready::fit
