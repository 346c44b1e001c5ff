#include "fit/compute.hpp"

#include <algorithm>
#include <set>

#include "fit/range.hpp"

namespace gpuready::fit {

namespace {

double count(std::int64_t n) { return static_cast<double>(n); }

Span spread(double expected, double low, double high) {
  return {expected * low, expected, expected * high};
}

/// Cells that the widest attention of a graph looks at.
double widest_cells(const Architecture& shape, const InferencePlan& plan) {
  double most = 0;
  for (const Layer& layer : shape.layers)
    if (layer.mixer != Mixer::cross)
      most = std::max(most, cache_cells(layer, shape, plan).expected / plan.sequences);
  return most;
}

/// What a product with quantised weights unpacks at a time (bitsandbytes; GPTQ's 4-bit kernels keep
/// room for one matrix). bitsandbytes loads a matrix that it leaves alone beside its place: all six
/// figures of LitGPT's resource table lie one head above the weights.
double unpack_bytes(const Weights& weights) {
  const double scratch = 2 * weights.largest_linear_elements;
  if (weights.dtype == "gptq-int4") return scratch;
  if (weights.dtype == "nf4" || weights.dtype == "nf4-dq")
    return scratch + weights.largest_kept_bytes;
  return 0;
}

/// The graph as builds of 2026 reserve it (b11549): hidden states, gate, up and their product, one
/// mask for each size of cache, and no logits but those that are asked for. From the sizes that it
/// prints (tools/llama_buffers.py), which this meets to 0.1 MiB where the feed-forward is wider
/// than the attention.
double recent_llama_graph(const Architecture& shape, const InferencePlan& plan, const Widths& w) {
  std::set<double> masks;
  for (const Layer& layer : shape.layers)
    if (layer.mixer != Mixer::cross)
      masks.insert(cache_cells(layer, shape, plan).expected / plan.sequences);
  double cells = 0;
  for (const double each : masks) cells += each;
  return mebibyte + 2 * plan.tokens * cells +
         4 * plan.tokens * 3 * (w.hidden + std::max(w.ffn, w.routed));
}

}  // namespace

Widths widths_of(const Architecture& shape) {
  Widths out;
  out.hidden = count(shape.hidden), out.vocab = count(shape.vocab);
  for (const Layer& layer : shape.layers) {
    const double routed =
        layer.experts > 0 ? count(shape.experts_per_token) * count(layer.expert_ffn) : 0.0;
    out.heads = std::max(out.heads, count(layer.heads));
    out.routed = std::max(out.routed, routed);
    out.ffn = std::max(out.ffn, std::max(count(layer.ffn), routed + count(layer.shared_ffn)));
  }
  out.per_token = out.routed > 0 ? count(shape.experts_per_token) : 0;
  return out;
}

Span llama_compute_bytes(const Architecture& shape, const InferencePlan& plan, bool head) {
  const Widths w = widths_of(shape);
  const double ub = plan.tokens, cells = widest_cells(shape, plan);
  const bool generates = shape.kind != ModelKind::embedding && shape.kind != ModelKind::encoder;
  // The graph's inputs, hidden states and scores; in 32 bits. Exact against llama.cpp's own logs.
  const double attention = plan.flash ? 2 * cells * ub + 4 * ub * 4 * w.hidden
                                      : 4 * ub * (cells * w.heads + cells + 4 * w.hidden);
  const double experts =
      w.routed > 0 ? 4 * ub * (w.hidden * (w.per_token + 1) + w.routed) : 4 * ub * 2 * w.ffn;
  const double logits = head && generates ? 4 * ub * (w.vocab + w.hidden) : 0;
  const double recent = recent_llama_graph(shape, plan, w);
  Span out = spread(std::max({attention, experts, logits}), 0.7, plan.flash ? 1.25 : 1.1);
  out.low = std::min(out.low, 0.9 * recent), out.high = std::max(out.high, 1.1 * recent);
  return out;
}

double llama_host_bytes(const Architecture& shape, const InferencePlan& plan) {
  const Widths w = widths_of(shape);
  return 4 * plan.tokens * (w.hidden + widest_cells(shape, plan)) +
         4 * (w.vocab + w.hidden) * plan.sequences;
}

Span torch_compute_bytes(const Architecture& shape, const InferencePlan& plan,
                         const Weights& weights) {
  const Widths w = widths_of(shape);
  const double tokens = plan.tokens * plan.sequences;
  double bytes = plan.activation_bytes * tokens * (3 * w.ffn + 3 * w.hidden);
  if (!plan.flash)
    bytes += w.heads * plan.tokens * plan.tokens * plan.sequences * (4 + plan.activation_bytes);
  Span out = spread(bytes, 0.7, 1.25);
  const double unpacked = unpack_bytes(weights);
  out += {unpacked * 0.5, unpacked, unpacked * 1.25};
  return out;
}

Span torch_logits_bytes(const Architecture& shape, const InferencePlan& plan) {
  if (shape.kind == ModelKind::embedding || shape.kind == ModelKind::encoder) return {};
  const double last = plan.sequences * count(shape.vocab) * (plan.activation_bytes + 4);
  return {last * 0.5, last, last * 2};
}

Span vllm_compute_bytes(const Architecture& shape, const InferencePlan& plan) {
  const Widths w = widths_of(shape);
  // The same activations were logged for one rank and for two: only the feed-forward is split.
  const double bytes = 2 * plan.batched_tokens * (3 * w.ffn / plan.tp + 3 * w.hidden);
  return spread(bytes, 0.8, 1.3 * (w.routed > 0 && plan.ep > 1 ? 1.2 : 1.0));
}

Span vllm_logits_bytes(const Architecture& shape, const InferencePlan& plan) {
  // In 32 bits with the copies of sampling: 10 bytes a logit.
  return spread(10 * plan.running_sequences * count(shape.vocab), 0.8, 1.2);
}

Span tower_bytes(const Tower& tower, double inputs, Runtime runtime) {
  // Not said: a square image of 448 pixels in patches of 14; the usual 27 layers of 12 h^2.
  constexpr double usual_tokens = 1024, usual_layers = 27;
  const double hidden = tower.hidden > 0 ? count(tower.hidden)
                                         : std::sqrt(count(tower.parameters) / (12 * usual_layers));
  if (!(hidden > 0)) return {};
  const double tokens = (tower.tokens > 0 ? count(tower.tokens) : usual_tokens) * inputs;
  if (runtime == Runtime::llama_cpp || runtime == Runtime::ollama)
    return spread(4 * tokens * hidden * 8, 0.5, 2);
  const double ffn = tower.ffn > 0 ? count(tower.ffn) : 4 * hidden;
  return spread(2 * tokens * (3 * ffn + 3 * hidden), 0.5, 1.5);
}

}  // namespace gpuready::fit
