/// Tensors of the mixers: attention of every kind and recurrent ones.

#include "fit/parameters.hpp"

namespace gpuready::fit {

namespace {

/// One block as its writers see it.
struct Place {
  const Blueprint& plan;
  const Block& block;
  const Layer& layer;
  std::int64_t index, hidden;
  WeightBook& book;

  void linear(std::int64_t in, std::int64_t out, bool bias) const {
    book.matrix(Role::attention, index, in, out);
    if (bias) book.vector(index, out);
  }
};

void count_qk_norms(const Place& at, std::int64_t q_width, std::int64_t k_width) {
  const NormKind kind = at.plan.qk_norm_kind;
  if (at.plan.qk_norm == QkNorm::per_head_width) {
    count_norms(kind, at.index, at.layer.head_dim_k, k_width > 0 ? 2 : 1, at.book);
  } else if (at.plan.qk_norm == QkNorm::full_width) {
    count_norms(kind, at.index, q_width, 1, at.book);
    count_norms(kind, at.index, k_width, 1, at.book);
  }
}

void count_attention(const Place& at) {
  const Biases& biases = at.plan.biases;
  const Extras& extras = at.plan.extras;
  const std::int64_t q = at.layer.heads * at.layer.head_dim_k;
  const std::int64_t k = at.layer.kv_heads * at.layer.head_dim_k;
  const std::int64_t v = at.layer.kv_heads * at.layer.head_dim_v;
  const std::int64_t out = at.layer.heads * at.layer.head_dim_v;
  at.linear(at.hidden, extras.output_gate ? 2 * q : q, biases.q);
  const bool own_kv = at.layer.owns_cache || at.block.unused_kv_weights;
  if (own_kv) at.linear(at.hidden, k, biases.k);
  if (own_kv && at.block.value_weights) at.linear(at.hidden, v, biases.v);
  if (extras.head_gate) at.linear(at.hidden, out, false);
  at.linear(out, at.hidden, biases.out);
  count_qk_norms(at, q, own_kv ? k : 0);
  if (at.block.sinks) at.book.vector(at.index, at.layer.heads);
}

/// DeepSeek-AI, "DeepSeek-V2" (arXiv 2405.04434), section 2.1.
void count_latent(const Place& at) {
  const Latent& latent = at.plan.shape.latent;
  const bool bias = at.plan.biases.q;
  const std::int64_t q = at.layer.heads * at.layer.head_dim_k;
  const std::int64_t nope = at.layer.head_dim_k - latent.qk_rope_head_dim;
  if (latent.q_lora_rank > 0) {
    at.linear(at.hidden, latent.q_lora_rank, bias);
    at.book.vector(at.index, latent.q_lora_rank);
    at.linear(latent.q_lora_rank, q, false);
  } else {
    at.linear(at.hidden, q, false);
  }
  at.linear(at.hidden, latent.kv_lora_rank + latent.qk_rope_head_dim, bias);
  at.book.vector(at.index, latent.kv_lora_rank);
  at.linear(latent.kv_lora_rank, at.layer.heads * (nope + at.layer.head_dim_v), false);
  at.linear(at.layer.heads * at.layer.head_dim_v, at.hidden, at.plan.biases.out);
  if (latent.indexer_head_dim > 0) {
    const std::int64_t heads = at.plan.extras.indexer_heads, width = latent.indexer_head_dim;
    at.linear(latent.q_lora_rank, heads * width, false);
    at.linear(at.hidden, width, false);
    at.linear(at.hidden, heads, false);
    at.book.vector(at.index, width, 2);
  }
}

/// Gu and Dao, "Mamba" (arXiv 2312.00752).
void count_mamba(const Place& at) {
  const Recurrent& r = at.plan.recurrent;
  at.linear(at.hidden, 2 * r.inner, r.bias);
  at.book.matrix(Role::norm, at.index, r.inner, r.conv);
  if (r.conv_bias) at.book.vector(at.index, r.inner);
  at.linear(r.inner, r.dt_rank + 2 * r.state, false);
  at.linear(r.dt_rank, r.inner, true);
  at.book.matrix(Role::norm, at.index, r.inner, r.state);
  at.book.vector(at.index, r.inner);
  at.linear(r.inner, at.hidden, r.bias);
  if (!r.inner_norms) return;
  at.book.vector(at.index, r.dt_rank);
  at.book.vector(at.index, r.state, 2);
}

/// Dao and Gu, "Transformers are SSMs" (arXiv 2405.21060).
void count_mamba2(const Place& at) {
  const Recurrent& r = at.plan.recurrent;
  const std::int64_t channels = r.inner + 2 * r.groups * r.state;
  at.linear(at.hidden, r.inner + channels + r.heads, r.bias);
  at.book.matrix(Role::norm, at.index, channels, r.conv);
  if (r.conv_bias) at.book.vector(at.index, channels);
  at.book.vector(at.index, r.heads, 3);
  at.book.vector(at.index, r.inner);
  at.linear(r.inner, at.hidden, r.bias);
}

/// Yang and others, "Gated Delta Networks" (arXiv 2412.06464), as Qwen3-Next has it.
void count_delta_net(const Place& at) {
  const Recurrent& r = at.plan.recurrent;
  const std::int64_t channels = 2 * r.groups * r.state + r.inner;
  at.linear(at.hidden, channels + r.inner, false);
  at.linear(at.hidden, 2 * r.heads, false);
  at.book.matrix(Role::norm, at.index, channels, r.conv);
  at.book.vector(at.index, r.heads, 2);
  if (r.heads > 0) at.book.vector(at.index, r.inner / r.heads);
  at.linear(r.inner, at.hidden, false);
}

/// De and others, "Griffin" (arXiv 2402.19427): gates are block-diagonal, a block per head.
void count_rg_lru(const Place& at) {
  const Recurrent& r = at.plan.recurrent;
  at.linear(at.hidden, r.inner, true);
  at.linear(at.hidden, r.inner, true);
  at.linear(r.inner, at.hidden, true);
  at.book.matrix(Role::norm, at.index, r.inner, r.conv);
  at.book.vector(at.index, r.inner, 2);
  if (r.heads > 0) at.book.matrix(Role::attention, at.index, r.inner, r.inner / r.heads, 2);
  at.book.vector(at.index, r.inner, 2);
}

void count_short_conv(const Place& at) {
  const Recurrent& r = at.plan.recurrent;
  at.linear(at.hidden, 3 * r.inner, r.bias);
  at.book.matrix(Role::norm, at.index, r.inner, r.conv);
  if (r.bias) at.book.vector(at.index, r.inner);
  at.linear(r.inner, at.hidden, r.bias);
}

void count_lightning(const Place& at) {
  const std::int64_t width = at.plan.recurrent.inner;
  at.linear(at.hidden, 3 * width, false);
  at.linear(at.hidden, width, false);
  at.linear(width, at.hidden, false);
  at.book.vector(at.index, width);
}

void count_cross(const Place& at) {
  const std::int64_t q = at.layer.heads * at.layer.head_dim_k;
  const std::int64_t k = at.layer.kv_heads * at.layer.head_dim_k;
  at.linear(at.hidden, q, false);
  at.linear(at.hidden, k, false);
  at.linear(at.hidden, k, false);
  at.linear(q, at.hidden, false);
  at.book.vector(at.index, at.layer.head_dim_k, 2);
  at.book.vector(at.index, 1, 2);
}

}  // namespace

void count_mixer(const Blueprint& plan, const Block& block, std::int64_t index, WeightBook& book) {
  const Place at{plan, block, block.layer, index, plan.shape.hidden, book};
  switch (block.parts) {
    case MixerParts::attention:
      return count_attention(at);
    case MixerParts::latent:
      return count_latent(at);
    case MixerParts::mamba:
      return count_mamba(at);
    case MixerParts::mamba2:
      return count_mamba2(at);
    case MixerParts::delta_net:
      return count_delta_net(at);
    case MixerParts::rg_lru:
      return count_rg_lru(at);
    case MixerParts::short_conv:
      return count_short_conv(at);
    case MixerParts::lightning:
      return count_lightning(at);
    case MixerParts::cross_gated:
      return count_cross(at);
    case MixerParts::none:
      return;
  }
}

void count_feed_forward(const Blueprint& plan, const Block& block, std::int64_t index,
                        WeightBook& book) {
  const Layer& layer = block.layer;
  const std::int64_t hidden = plan.shape.hidden;
  const std::int64_t inputs = plan.shape.feed_forward == FeedForward::gated ? 2 : 1;
  if (layer.ffn > 0) {
    book.matrix(Role::feed_forward, index, hidden, layer.ffn, inputs + 1);
    if (plan.biases.ffn_in) book.vector(index, layer.ffn, inputs);
    if (plan.biases.ffn_out) book.vector(index, hidden);
  }
  if (layer.experts > 0) {
    book.matrix(Role::router, index, hidden, layer.experts);
    if (plan.biases.router) book.vector(index, layer.experts);
    if (plan.extras.router_correction) book.vector(index, layer.experts);
    const std::int64_t narrow = plan.extras.expert_input;
    const std::int64_t input = narrow > 0 ? narrow : hidden;
    book.matrix(Role::experts, index, input * (inputs + 1), layer.expert_ffn, layer.experts);
    if (narrow > 0) book.matrix(Role::feed_forward, index, hidden, narrow, 2);
    if (plan.biases.experts) book.vector(index, layer.expert_ffn * inputs + hidden, layer.experts);
  }
  if (layer.shared_ffn > 0) {
    book.matrix(Role::feed_forward, index, hidden, layer.shared_ffn, inputs + 1);
    if (plan.extras.shared_gate) book.matrix(Role::router, index, hidden, 1);
  }
}

}  // namespace gpuready::fit
