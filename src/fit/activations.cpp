#include <algorithm>

#include "fit/training.hpp"

namespace gpuready::fit {

namespace {

double count(std::int64_t n) { return static_cast<double>(n); }

/// Widths of a layer's tensors, for one token.
struct Tensors {
  double hidden = 0, query = 0, key = 0, value = 0, attended = 0, inner = 0;
};

Tensors tensors_of(const Layer& layer, const Architecture& shape) {
  Tensors t;
  t.hidden = count(shape.hidden);
  t.query = count(layer.heads) * count(layer.head_dim_k),
  t.key = count(layer.kv_heads) * count(layer.head_dim_k);
  t.value = count(layer.kv_heads) * count(layer.head_dim_v);
  t.attended = count(layer.heads) * count(layer.head_dim_v);
  if (layer.mixer == Mixer::recurrent && layer.heads == 0)
    t.query = t.key = t.value = t.attended = t.hidden;
  t.inner = std::max(
      count(layer.ffn),
      count(layer.shared_ffn) +
          (layer.experts > 0 ? count(shape.experts_per_token) * count(layer.expert_ffn) : 0.0));
  return t;
}

/// The matrix of scores, where flash attention does not avoid it: softmax, and with dropout its
/// mask and its result.
double score_bytes(const Layer& layer, const Architecture& shape, const TrainingPlan& plan) {
  const double scores = count(layer.heads) * plan.seq;
  const double e = plan.activation_bytes;
  return scores * (shape.dropout > 0 ? 2 * e + 1 : e);
}

double expert_bytes(const Layer& layer, const Architecture& shape, const TrainingPlan& plan) {
  if (layer.experts == 0) return 0;
  return 4 * count(layer.experts) +
         plan.activation_bytes * 2 * count(shape.hidden) * count(shape.experts_per_token);
}

/// torchtitan's selective checkpointing of operations: the layer's input, the result of attention
/// and of each second product.
double operations_kept(const Tensors& t, double e) {
  const double products = t.query + t.key + t.value + 2 * t.hidden + 2 * t.inner;
  return e * (t.hidden + t.attended + products / 2);
}

}  // namespace

double activation_bytes_per_token(const Layer& layer, const Architecture& shape,
                                  const TrainingPlan& plan) {
  const Tensors t = tensors_of(layer, shape);
  const double e = plan.activation_bytes, h = t.hidden;
  double bytes = expert_bytes(layer, shape, plan);
  if (layer.heads > 0)
    bytes += plan.flash ? 4 * count(layer.heads) : score_bytes(layer, shape, plan);
  if (shape.feed_forward == FeedForward::gated)
    return bytes + e * (4 * h + 2 * (t.query + t.key) + t.value + t.attended + 4 * t.inner);
  const double attention = t.query + t.key + t.value + t.attended;
  if (shape.parallel_residual)
    return bytes + e * (2 * h + attention + shape.rotary_part * (t.query + t.key) + 2 * t.inner);
  // Korthikanti et al., arXiv 2205.05198: 34 h bytes with dropout in 16 bits.
  return bytes + e * (4 * h + attention + 2 * t.inner) + (shape.dropout > 0 ? 2 * h : 0);
}

double undivided_bytes_per_token(const Architecture& shape, const TrainingPlan& plan) {
  // arXiv 2205.05198: 10 of the 34 h bytes.
  const double parts = shape.feed_forward == FeedForward::gated ? 4 : 5;
  return plan.activation_bytes * parts * count(shape.hidden);
}

double kept_bytes_per_token(const Layer& layer, const Architecture& shape,
                            const TrainingPlan& plan) {
  const Tensors t = tensors_of(layer, shape);
  if (plan.checkpointing == Checkpointing::full) return plan.activation_bytes * t.hidden;
  const double all = activation_bytes_per_token(layer, shape, plan);
  if (plan.checkpointing == Checkpointing::none) return all;
  if (plan.fsdp) return std::min(all, operations_kept(t, plan.activation_bytes));
  // Megatron's: the core of attention alone, which flash attention does not keep anyway.
  return plan.flash ? all : all - score_bytes(layer, shape, plan);
}

double loss_bytes(const Architecture& shape, const TrainingPlan& plan) {
  const bool generates = shape.kind == ModelKind::llm || shape.kind == ModelKind::vlm ||
                         shape.kind == ModelKind::speech || shape.encoder_layers > 0;
  if (!generates || plan.loss == Loss::fused) return 0;
  const double tokens = plan.micro_batch * plan.seq / plan.cp;
  const double vocab = count(shape.vocab);
  // Megatron keeps the 32-bit logits of its part of the vocabulary.
  if (plan.tp > 1) return 4 * tokens * (count(shape.hidden) + vocab) / plan.tp;
  // Logits, their copy in 32 bits, softmax, gradient.
  const double bytes = (plan.activation_bytes + 12) * tokens * vocab;
  constexpr double chunks = 8;
  return plan.loss == Loss::chunked ? bytes / chunks : bytes;
}

}  // namespace gpuready::fit
