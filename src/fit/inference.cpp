#include <algorithm>

#include "catalog/conv_nets.hpp"
#include "fit/compute.hpp"
#include "fit/outcome.hpp"
#include "fit/overhead.hpp"
#include "fit/placement.hpp"
#include "fit/range.hpp"

namespace gpuready::fit {

namespace {

double count(std::int64_t n) { return static_cast<double>(n); }

bool is_llama(Runtime runtime) {
  return runtime == Runtime::llama_cpp || runtime == Runtime::ollama;
}

Span spread(double bytes, const Weights& weights) {
  return {bytes * weights.low, bytes, bytes * weights.high};
}

struct Terms {
  const Model& model;
  const Weights& weights;
  const InferencePlan& plan;
};

/// Weights, cache and state of the layers that stand on one device.
void add_layers(const Terms& in, const Placement& placement, std::size_t device, DeviceTerms& out) {
  const Architecture& shape = in.model.shape;
  const bool cache = keeps_cache(shape);
  double bytes = 0;
  Span kept, state;
  for (std::size_t i = 0; i < shape.layers.size(); ++i) {
    if (!placement.holds(i, device)) continue;
    ++out.layers;
    const LayerBytes& layer = in.weights.layers[i];
    bytes += layer.dense / in.plan.tp;
    if (!placement.experts_on_host(i)) bytes += layer.experts / std::max(in.plan.tp, in.plan.ep);
    if (cache) kept += cache_bytes(shape.layers[i], shape, in.plan);
    state += state_bytes(shape.layers[i], in.plan);
  }
  bytes += placement.ends_bytes(device) / in.plan.tp;
  Span all = spread(bytes, in.weights);
  if (placement.has_head(device)) all.high += in.weights.mtp / in.plan.tp;
  out[TermName::weights] = range_of(all);
  out[TermName::kv_cache] = range_of(kept), out[TermName::state] = range_of(state);
}

void add_pass(const Terms& in, bool head, bool first, DeviceTerms& out) {
  const Architecture& shape = in.model.shape;
  const InferencePlan& plan = in.plan;
  if (is_llama(plan.runtime)) {
    out[TermName::compute] = range_of(llama_compute_bytes(shape, plan, head));
  } else if (plan.runtime == Runtime::vllm) {
    out[TermName::compute] = range_of(vllm_compute_bytes(shape, plan));
    if (head) out[TermName::logits] = range_of(vllm_logits_bytes(shape, plan));
  } else {
    out[TermName::compute] = range_of(torch_compute_bytes(shape, plan, in.weights));
    if (head) out[TermName::logits] = range_of(torch_logits_bytes(shape, plan));
  }
  // A convolution net: the largest maps, an eighth of those that training keeps.
  if (const double maps = catalog::kept_elements(in.model.name); maps > 0)
    out[TermName::compute] = between(0.08 * maps * plan.activation_bytes * plan.sequences,
                                     0.125 * maps * plan.activation_bytes * plan.sequences,
                                     0.3 * maps * plan.activation_bytes * plan.sequences);
  if (!first) return;
  const bool crosses = std::any_of(shape.layers.begin(), shape.layers.end(),
                                   [](const Layer& l) { return l.mixer == Mixer::cross; });
  double inputs = plan.sequences;
  if (plan.runtime == Runtime::vllm && shape.tower.tokens > 0)
    // Of a model with cross-attention every sequence brings its input; else they share the pass.
    inputs = crosses ? plan.running_sequences
                     : std::max(1.0, plan.batched_tokens / count(shape.tower.tokens));
  out[TermName::vision] = range_of(tower_bytes(shape.tower, inputs, plan.runtime));
}

double allocated(const DeviceTerms& terms) { return count(terms.total().expected_bytes); }

}  // namespace

Range DeviceTerms::total() const {
  Range sum;
  for (const Range& term : terms) sum = sum + term;
  return sum;
}

Inference inference_terms(const Model& model, const Weights& weights, const InferencePlan& plan,
                          const std::vector<Device>& devices) {
  const Terms in{model, weights, plan};
  const Placement placement(model.shape, weights, plan, devices);
  Inference out;
  for (std::size_t d = 0; d < placement.devices(); ++d) {
    DeviceTerms terms;
    terms.device = static_cast<std::int64_t>(d);
    const bool on_cpu = devices[d].name == "cpu";
    add_layers(in, placement, d, terms);
    if (terms.layers > 0 || placement.has_head(d) || placement.ends_bytes(d) > 0)
      add_pass(in, placement.has_head(d), d == 0, terms);
    terms[TermName::reserve] = range_of(reserve_bytes(plan.runtime, allocated(terms)));
    if (plan.runtime == Runtime::vllm)
      terms[TermName::reserve] = terms[TermName::reserve] + range_of(graph_bytes());
    const double world = plan.tp * plan.pp;
    terms[TermName::context] = range_of(context_bytes(devices[d], plan.runtime, world));
    if (on_cpu)
      terms[TermName::weights] = terms[TermName::weights] + exactly(placement.host_weights());
    out.shares.push_back(std::move(terms));
  }
  if (devices.size() == 1 && devices[0].name == "cpu") return out;
  out.host = placement.host_weights();
  for (std::size_t i = 0; i < model.shape.layers.size(); ++i)
    if (placement.on_host(i)) {
      if (keeps_cache(model.shape))
        out.host += cache_bytes(model.shape.layers[i], model.shape, plan).expected;
      out.host += state_bytes(model.shape.layers[i], plan).expected;
    }
  if (is_llama(plan.runtime)) out.host += llama_host_bytes(model.shape, plan);
  return out;
}

}  // namespace gpuready::fit
