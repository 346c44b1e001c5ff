/// Decoders before the gated feed-forward: GPT-2 to Falcon, and those that kept its ways.
/// Defaults are those of the configuration classes of transformers 5.24.

#include <array>

#include "fit/hf_config_blocks.hpp"
#include "fit/hf_config_families.hpp"

namespace gpuready::fit {

namespace {

/// Layer norms, a feed-forward of two matrices, four times as wide unless the keys say more.
void read_classic(ConfigKeys& keys, Blueprint& plan, bool tied_by_default) {
  read_shape_without_ffn(keys, plan, tied_by_default);
  plan.norm = NormKind::layer;
  plan.shape.feed_forward = FeedForward::plain;
  const std::int64_t ffn = keys.size(ffn_names, 4 * plan.shape.hidden);
  for (Block& block : plan.blocks) block.layer.ffn = ffn;
}

void learn_positions(Blueprint& plan, std::int64_t rows) {
  plan.extras.positions = rows;
  plan.shape.learned_positions = true;
  plan.shape.rotary_part = 0;
}

void read_gpt2(ConfigKeys& keys, Blueprint& plan) {
  read_classic(keys, plan, true);
  set_all_biases(plan);
  learn_positions(plan, keys.size({"n_positions", "max_position_embeddings"}, 1024));
}

void read_gpt_bigcode(ConfigKeys& keys, Blueprint& plan) {
  read_gpt2(keys, plan);
  if (keys.flag({"multi_query"}, true))
    for (Block& block : plan.blocks) block.layer.kv_heads = 1;
}

void read_gpt_neo(ConfigKeys& keys, Blueprint& plan) {
  read_classic(keys, plan, true);
  plan.biases.out = plan.biases.ffn_in = plan.biases.ffn_out = true;
  learn_positions(plan, keys.size({"max_position_embeddings"}, 2048));
}

void read_gpt_neox(ConfigKeys& keys, Blueprint& plan) {
  read_classic(keys, plan, false);
  set_attention_bias(plan, keys.flag({"attention_bias"}, true), true);
  plan.biases.ffn_in = plan.biases.ffn_out = true;
  plan.shape.parallel_residual = keys.flag({"use_parallel_residual"}, true);
  plan.shape.rotary_part = keys.number({"rotary_pct", "partial_rotary_factor"}, 0.25);
}

void read_gptj(ConfigKeys& keys, Blueprint& plan) {
  read_classic(keys, plan, false);
  plan.norms = 1;
  plan.biases.ffn_in = plan.biases.ffn_out = plan.biases.head = true;
  plan.shape.parallel_residual = true;
}

void read_bloom(ConfigKeys& keys, Blueprint& plan) {
  read_classic(keys, plan, true);
  set_all_biases(plan);
  plan.extras.embedding_norm = true;
  plan.shape.rotary_part = 0;
}

void read_falcon(ConfigKeys& keys, Blueprint& plan) {
  read_classic(keys, plan, true);
  const bool both = keys.flag({"new_decoder_architecture"}, false);
  const std::int64_t kv = both                               ? plan.blocks.front().layer.kv_heads
                          : keys.flag({"multi_query"}, true) ? 1
                                                             : plan.blocks.front().layer.heads;
  for (Block& block : plan.blocks) block.layer.kv_heads = kv;
  plan.shape.parallel_residual = both || keys.flag({"parallel_attn"}, true);
  const std::int64_t parallel_norms = both ? keys.size({"num_ln_in_parallel_attn"}, 2) : 1;
  plan.norms = plan.shape.parallel_residual ? parallel_norms : 2;
  if (keys.flag({"bias"}, false)) set_all_biases(plan);
}

void read_opt(ConfigKeys& keys, Blueprint& plan) {
  read_classic(keys, plan, true);
  if (keys.flag({"enable_bias"}, true)) set_all_biases(plan);
  if (!keys.flag({"layer_norm_elementwise_affine"}, true)) plan.norm = NormKind::without_weights;
  // Two rows more than positions: the class counts from 2.
  learn_positions(plan, keys.size({"max_position_embeddings"}, 2048) + 2);
  plan.extras.embedding_width = keys.size({"word_embed_proj_dim"}, 0);
  plan.final_norm =
      keys.flag({"do_layer_norm_before"}, true) && !keys.flag({"_remove_final_layer_norm"}, false);
}

void read_mpt(ConfigKeys& keys, Blueprint& plan) {
  read_classic(keys, plan, true);
  plan.norm = NormKind::layer_without_bias;
  const std::int64_t ffn = keys.size({"expansion_ratio"}, 4) * plan.shape.hidden;
  for (Block& block : plan.blocks) block.layer.ffn = ffn;
  plan.shape.rotary_part = 0;
}

void read_phi(ConfigKeys& keys, Blueprint& plan) {
  read_classic(keys, plan, false);
  set_all_biases(plan);
  plan.norms = 1;
  plan.biases.head = true;
  plan.shape.parallel_residual = true;
  plan.shape.rotary_part = keys.number({"partial_rotary_factor"}, 0.5);
  if (!keys.flag({"qk_layernorm"}, false)) return;
  plan.qk_norm = QkNorm::per_head_width;
  plan.qk_norm_kind = NormKind::layer;
}

void read_starcoder2(ConfigKeys& keys, Blueprint& plan) {
  read_classic(keys, plan, true);
  if (keys.flag({"use_bias"}, true)) set_all_biases(plan);
  read_windows(keys, plan, 0);
}

void read_nemotron(ConfigKeys& keys, Blueprint& plan) {
  read_classic(keys, plan, false);
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), true);
  plan.biases.ffn_in = plan.biases.ffn_out = keys.flag({"mlp_bias"}, false);
  plan.shape.rotary_part = keys.number({"partial_rotary_factor"}, 0.5);
}

constexpr std::array families{
    Family{"gpt2", read_gpt2},
    Family{"gpt_bigcode", read_gpt_bigcode},
    Family{"gpt_neo", read_gpt_neo},
    Family{"gpt_neox", read_gpt_neox},
    Family{"gptj", read_gptj},
    Family{"codegen", read_gptj},
    Family{"bloom", read_bloom},
    Family{"falcon", read_falcon},
    Family{"opt", read_opt},
    Family{"mpt", read_mpt},
    Family{"phi", read_phi},
    Family{"starcoder2", read_starcoder2},
    Family{"nemotron", read_nemotron},
    Family{"RefinedWeb", read_falcon},
    Family{"RefinedWebModel", read_falcon},
};

}  // namespace

std::span<const Family> classic_families() { return families; }

}  // namespace gpuready::fit
