#include "fit/explain.hpp"

#include <algorithm>

#include "base/quantity.hpp"
#include "fit/kv_cache.hpp"
#include "fit/range.hpp"

namespace gpuready::fit {

namespace {

std::string whole(double value) { return std::to_string(whole_bytes(value)); }

std::string on_off(bool on) { return on ? "on" : "off"; }

const char* kind_name(ModelKind kind) {
  switch (kind) {
    case ModelKind::llm:
      return "llm";
    case ModelKind::vlm:
      return "vlm";
    case ModelKind::encoder:
      return "encoder";
    case ModelKind::embedding:
      return "embedding";
    case ModelKind::vision:
      return "vision";
    case ModelKind::speech:
      return "speech";
    case ModelKind::diffusion:
      return "diffusion";
  }
  return "llm";
}

const char* source_name(Source source) {
  if (source == Source::file_header) return "file-header";
  return source == Source::configuration ? "configuration" : "catalogue";
}

/// Growth of the cache by one token of one sequence, far from any window.
double growth_per_token(const Architecture& shape, InferencePlan plan) {
  if (!keeps_cache(shape)) return 0;
  // Multiples of every page and padding, beyond every window.
  constexpr double far = 1 << 26, step = 1 << 16;
  plan.sequences = plan.tp = 1;
  double grown = 0;
  for (const Layer& layer : shape.layers) {
    plan.context = far + step;
    grown += cache_bytes(layer, shape, plan).expected;
    plan.context = far;
    grown -= cache_bytes(layer, shape, plan).expected;
  }
  return grown / step;
}

Message weights_how(const Model& model, const Outcome& outcome) {
  const std::string parameters = base::show_parameters(model.parameters);
  if (outcome.runtime == Runtime::train && outcome.training.adapters)
    return {"fit.how.weights-frozen", {parameters, outcome.weights->dtype}};
  if (outcome.runtime == Runtime::train)
    return {"fit.how.weights-trained", {parameters, outcome.training.precision}};
  return {"fit.how.weights", {parameters, outcome.weights->dtype}};
}

Message pass_how(const Outcome& outcome) {
  const InferencePlan& plan = outcome.inference;
  switch (outcome.runtime) {
    case Runtime::llama_cpp:
    case Runtime::ollama:
      return {"fit.how.graph", {whole(plan.tokens), on_off(plan.flash)}};
    case Runtime::transformers:
      return {"fit.how.prompt", {whole(plan.tokens * plan.sequences)}};
    case Runtime::vllm:
      return {"fit.how.profiled", {whole(plan.batched_tokens)}};
    case Runtime::diffusers:
      return {"fit.how.image", {}};
    case Runtime::train:
      return {"fit.how.step", {}};
  }
  return {};
}

Message training_how(TermName name, const Outcome& outcome) {
  const TrainingPlan& plan = outcome.training;
  const std::string tokens = whole(plan.micro_batch * plan.seq / plan.cp);
  if (name == TermName::gradients) return {"fit.how.gradients", {plan.precision}};
  if (name == TermName::optimizer) return {"fit.how.optimizer", {plan.optimizer, plan.precision}};
  if (name == TermName::activations) return {"fit.how.activations", {tokens}};
  if (name == TermName::adapters) return {"fit.how.adapters", {whole(plan.lora_rank)}};
  if (name == TermName::buckets)
    return {"fit.how.buckets", {whole(plan.shards()), plan.fsdp ? "FSDP" : "ZeRO"}};
  return {"fit.how.loss", {tokens}};
}

Message how(TermName name, const Model& model, const Outcome& outcome) {
  const InferencePlan& plan = outcome.inference;
  switch (name) {
    case TermName::weights:
      return weights_how(model, outcome);
    case TermName::kv_cache:
      return {"fit.how.kv-cache", {whole(plan.context), whole(plan.sequences), plan.kv_dtype}};
    case TermName::state:
      return {"fit.how.state", {whole(plan.sequences)}};
    case TermName::compute:
      return pass_how(outcome);
    case TermName::vision:
      return {"fit.how.vision", {}};
    case TermName::context:
      return {"fit.how.context", {}};
    case TermName::reserve:
      return outcome.runtime == Runtime::vllm ? Message{"fit.how.reserve-graphs", {}}
                                              : Message{"fit.how.reserve", {}};
    case TermName::logits:
      if (outcome.runtime == Runtime::vllm)
        return {"fit.how.logits", {whole(plan.running_sequences)}};
      if (outcome.runtime != Runtime::train) return {"fit.how.logits", {whole(plan.sequences)}};
      return training_how(name, outcome);
    default:
      return training_how(name, outcome);
  }
}

std::vector<Term> terms_of(const DeviceTerms& share, const Model& model, const Outcome& outcome) {
  std::vector<Term> out;
  for (std::size_t i = 0; i < share.terms.size(); ++i) {
    if (share.terms[i].high_bytes == 0) continue;
    const auto name = static_cast<TermName>(i);
    out.push_back({name, share.terms[i], how(name, model, outcome)});
  }
  return out;
}

std::string task_of(const FitRequest& request) {
  return request.training.task.empty() ? "inference" : request.training.task;
}

}  // namespace

ModelSummary summary_of(const Model& model, const Outcome& outcome) {
  ModelSummary out;
  out.name = model.name, out.source = source_name(model.source), out.where = model.where;
  out.family = model.shape.family, out.kind = kind_name(model.shape.kind);
  out.native_dtype = model.native_dtype, out.quantisation = model.quantisation.method;
  out.parameters = model.parameters, out.active_parameters = model.active_parameters;
  out.layers = static_cast<std::int64_t>(model.shape.layers.size());
  out.hidden = model.shape.hidden, out.vocab = model.shape.vocab;
  out.max_context = model.shape.max_context, out.file_bytes = model.file_bytes;
  out.weight_bytes = whole_bytes(outcome.weights->total_bytes());
  const bool inference = outcome.runtime != Runtime::train && outcome.runtime != Runtime::diffusers;
  if (inference) out.cache_bytes_per_token = growth_per_token(model.shape, outcome.inference);
  return out;
}

Estimate explained(const Model& model, const FitRequest& request, const Devices& devices,
                   const Outcome& outcome) {
  Estimate out;
  const std::vector<Device> all = targets(devices);
  out.model = summary_of(model, outcome);
  out.runtime = outcome.runtime, out.task = task_of(request);
  out.dtype = outcome.runtime == Runtime::train && !outcome.training.adapters
                  ? outcome.training.precision
                  : outcome.weights->dtype;
  out.kv_dtype = outcome.inference.kv_dtype;
  out.context = whole_bytes(outcome.inference.context * outcome.inference.sequences);
  out.assumptions = outcome.assumptions;
  out.assumptions.insert(out.assumptions.end(), model.doubts.begin(), model.doubts.end());
  for (const DeviceTerms& share : outcome.shares) {
    const Device& device = all[static_cast<std::size_t>(share.device)];
    DeviceShare shown;
    shown.device = device.name, shown.gpu = device.gpu, shown.layers = share.layers;
    shown.usable_bytes = whole_bytes(limit_bytes(device, outcome));
    shown.terms = terms_of(share, model, outcome), shown.total = share.total();
    out.devices.push_back(std::move(shown));
  }
  out.host_bytes = outcome.host_bytes, out.verdict = outcome.verdict;
  if (out.devices.empty()) return out;
  const DeviceShare& fullest = out.devices[outcome.fullest];
  out.terms = fullest.terms, out.total = fullest.total;
  out.usable_bytes = fullest.usable_bytes, out.device = fullest.device;
  return out;
}

}  // namespace gpuready::fit
