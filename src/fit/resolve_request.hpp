#pragma once
/// From what a user said to a plan: defaults of the runtime, each told as an assumption; what can't
/// be had is an error with the next step.

#include <optional>

#include "fit/plan.hpp"
#include "fit/weights.hpp"

namespace gpuready::fit {

/// The runtime that was asked for, or the one that suits the model and the type of weights.
Result<Runtime> runtime_for(const Model& model, const FitRequest& request);

/// The type that a model is published in, as --dtype names it.
std::string published_dtype(const Model& model);

/// The type of weights in use: nullptr: as the model stores them.
struct WeightChoice {
  const catalog::Quant* quant = nullptr;
  std::vector<Message> assumptions;
};
Result<WeightChoice> weights_for(const Model& model, const FitRequest& request, Runtime runtime,
                                 const Devices& devices);

/// The error says which option this runtime or model can't have: none is left out in silence.
Result<void> check_options(const Model& model, const FitRequest& request, Runtime runtime);

/// Whether a GPU is known not to compute in bf16 (older than Ampere).
bool lacks_bf16(const Devices& devices);

/// The request with the precision of training that suits the model and the GPUs where none is said:
/// as published where that is fp32, amp on GPUs without bf16, else bf16.
FitRequest with_precision(const Model& model, const FitRequest& request, const Devices& devices);

struct ResolvedInference {
  InferencePlan plan;
  std::vector<Message> assumptions;
};
Result<ResolvedInference> resolve_inference(const Model& model, const FitRequest& request,
                                            Runtime runtime, const Devices& devices);

/// Keys and values are kept by models that generate; encoders and embedders have none.
bool keeps_cache(const Architecture& shape);

/// The GPUs, or the CPU where there are none.
std::vector<Device> targets(const Devices& devices);

/// "q4_k_m" of "Q4_K_M".
std::string lower(std::string text);

}  // namespace gpuready::fit
