/// Decoders with experts, and those whose attention caches a latent.
/// Defaults are those of the configuration classes of transformers 5.24.

#include <array>

#include "fit/hf_config_blocks.hpp"
#include "fit/hf_config_families.hpp"
#include "fit/parameters.hpp"

namespace gpuready::fit {

namespace {

void read_mixtral(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  read_experts(keys, plan, plan.blocks.front().layer.ffn, {8, 2}, {});
  read_windows(keys, plan, 0);
}

void read_qwen2_moe(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  set_attention_bias(plan, keys.flag({"qkv_bias"}, true), false);
  const std::int64_t step = keys.size({"decoder_sparse_step"}, 1);
  read_experts(keys, plan, keys.assume({"moe_intermediate_size"}, 1408), {60, 4},
               {0, step, step - 1});
  set_shared_experts(plan, keys.assume({"shared_expert_intermediate_size"}, 5632));
  plan.extras.shared_gate = true;
}

void read_qwen3_moe(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), true);
  plan.qk_norm = QkNorm::per_head_width;
  const std::int64_t step = keys.size({"decoder_sparse_step"}, 1);
  read_experts(keys, plan, keys.assume({"moe_intermediate_size"}, 768), {128, 8},
               {0, step, step - 1});
}

void read_phimoe(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  plan.norm = NormKind::layer;
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), true);
  plan.biases.head = keys.flag({"lm_head_bias"}, false);
  read_experts(keys, plan, plan.blocks.front().layer.ffn, {16, 2}, {});
}

void read_olmoe(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), true);
  plan.qk_norm = QkNorm::full_width;
  read_experts(keys, plan, plan.blocks.front().layer.ffn, {64, 8}, {});
}

void read_granite_moe(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), true);
  read_experts(keys, plan, plan.blocks.front().layer.ffn, {8, 2}, {});
  set_shared_experts(plan, keys.size({"shared_intermediate_size"}, 0));
}

/// Shared experts as wide as `n_shared_experts` routed ones.
void read_deepseek_experts(ConfigKeys& keys, Blueprint& plan, ExpertDefaults defaults,
                           std::int64_t first_default) {
  const std::int64_t width = keys.assume({"moe_intermediate_size"}, 1408);
  const std::int64_t first = keys.size({"first_k_dense_replace"}, first_default);
  read_experts(keys, plan, width, defaults, {first, keys.size({"moe_layer_freq"}, 1), 0});
  set_shared_experts(plan, width * keys.size({"n_shared_experts", "num_shared_experts"}, 0));
}

void read_deepseek(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), true);
  read_deepseek_experts(keys, plan, {64, 6}, 0);
}

void read_deepseek_v2(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  read_latent(keys, plan);
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), true);
  read_deepseek_experts(keys, plan, {64, 6}, 0);
}

void read_deepseek_v3(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  read_latent(keys, plan);
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), true);
  plan.extras.router_correction = true;
  read_deepseek_experts(keys, plan, {256, 8}, keys.text({"model_type"}) == "glm4_moe_lite" ? 1 : 3);
  plan.shape.latent.indexer_head_dim = keys.size({"index_head_dim"}, 0);
  plan.extras.indexer_heads = keys.size({"index_n_heads"}, 0);
  add_mtp_blocks(keys, plan, !keys.flag({"mtp_shares_embeddings"}, false));
}

/// A decoder with vision around it names its text part by this type.
void read_kimi_vl(ConfigKeys& keys, Blueprint& plan) { read_deepseek_v3(keys, plan); }

void read_glm4_moe(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), false);
  if (keys.flag({"use_qk_norm"}, false)) plan.qk_norm = QkNorm::per_head_width;
  plan.extras.router_correction = true;
  plan.shape.rotary_part = keys.number({"partial_rotary_factor"}, 0.5);
  read_deepseek_experts(keys, plan, {128, 8}, 1);
  add_mtp_blocks(keys, plan, !keys.flag({"mtp_shares_embeddings"}, false));
}

void read_gpt_oss(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  set_attention_bias(plan, keys.flag({"attention_bias"}, true), true);
  for (Block& block : plan.blocks) block.sinks = true;
  plan.biases.router = plan.biases.experts = true;
  read_experts(keys, plan, plan.blocks.front().layer.ffn, {128, 4}, {});
  read_windows(keys, plan, 2);
}

void read_llama4(ConfigKeys& keys, Blueprint& plan) {
  read_shape_without_ffn(keys, plan, false);
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), true);
  const std::int64_t dense = keys.assume({"intermediate_size_mlp"}, 16384);
  for (Block& block : plan.blocks) block.layer.ffn = dense;
  const std::int64_t step = keys.size({"interleave_moe_layer_step"}, 1);
  const std::int64_t width = keys.need({"intermediate_size"});
  read_experts(keys, plan, width, {16, 1}, {0, step, step - 1});
  set_shared_experts(plan, width);
  read_windows(keys, plan, keys.size({"no_rope_layer_interval"}, 4));
  for (Block& block : plan.blocks)
    if (block.layer.mixer == Mixer::sliding) block.layer.mixer = Mixer::chunked;
}

void read_ernie_moe(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, true);
  if (keys.flag({"use_bias"}, false)) set_all_biases(plan);
  const std::int64_t width = keys.assume({"moe_intermediate_size"}, 1536);
  const std::int64_t first = keys.size({"moe_layer_start_index"}, 1);
  const std::int64_t step = keys.size({"moe_layer_interval"}, 1);
  const std::int64_t last =
      keys.size({"moe_layer_end_index"}, static_cast<std::int64_t>(plan.blocks.size()) - 1);
  const std::int64_t ffn = plan.blocks.front().layer.ffn;
  read_experts(keys, plan, width, {64, 6}, {first, step, step - 1});
  for (std::size_t i = 0; i < plan.blocks.size(); ++i)
    if (static_cast<std::int64_t>(i) > last)
      plan.blocks[i].layer.experts = plan.blocks[i].layer.expert_ffn = 0,
      plan.blocks[i].layer.ffn = ffn;
  set_shared_experts(plan, width * keys.size({"moe_num_shared_experts"}, 2));
  plan.extras.router_correction = true;
}

void read_hunyuan_moe(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), true);
  plan.qk_norm = QkNorm::per_head_width;
  const std::int64_t width = plan.blocks.front().layer.ffn;
  read_experts(keys, plan, width, {1, 1}, {});
  set_shared_experts(plan, width);
}

void read_dbrx(ConfigKeys& keys, Blueprint& plan) {
  read_shape_without_ffn(keys, plan, false);
  plan.norm = NormKind::layer_without_bias;
  const base::Json none = base::Json::object();
  const base::Json* ffn = keys.object("ffn_config");
  const base::Json* attention = keys.object("attn_config");
  ConfigKeys ffn_keys(ffn != nullptr ? *ffn : none);
  ConfigKeys attention_keys(attention != nullptr ? *attention : none);
  const std::int64_t kv =
      attention_keys.size({"kv_n_heads"}, keys.size({"num_key_value_heads"}, 1));
  for (Block& block : plan.blocks) block.layer.kv_heads = kv;
  // The catalogue and newer files have flat keys.
  const std::int64_t width =
      keys.size({"moe_intermediate_size"}, ffn_keys.size({"ffn_hidden_size"}, 3584));
  read_experts(keys, plan, width,
               {ffn_keys.size({"moe_num_experts"}, 4), ffn_keys.size({"moe_top_k"}, 1)}, {});
  keys.absorb(ffn_keys);
  keys.absorb(attention_keys);
}

void read_minimax_m2(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  plan.qk_norm = QkNorm::full_width;
  plan.extras.router_correction = true;
  read_experts(keys, plan, plan.blocks.front().layer.ffn, {256, 8}, {});
}

void read_minimax(ConfigKeys& keys, Blueprint& plan) {
  read_mixtral(keys, plan);
  const std::vector<std::string> words = keys.words({"layer_types"});
  const std::vector<std::int64_t> kinds = keys.sizes({"attn_type_list"});  // 1: softmax
  const Layer& layer = plan.blocks.front().layer;
  plan.recurrent.heads = layer.heads;
  plan.recurrent.inner = layer.heads * layer.head_dim_k;
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    const bool full = i < words.size()   ? words[i] == "full_attention"
                      : i < kinds.size() ? kinds[i] == 1
                                         : i % 2 == 0;
    if (!full) make_recurrent(plan, i, MixerParts::lightning);
  }
}

/// MiMo-V2-Flash: windowed layers have KV heads of their own.
void read_mimo_v2(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  plan.extras.router_correction = true;
  const std::vector<std::int64_t> windowed = keys.sizes({"hybrid_layer_pattern"});
  const std::int64_t window = keys.tokens({"sliding_window", "sliding_window_size"});
  const std::int64_t kv_heads =
      keys.size({"swa_num_key_value_heads"}, plan.blocks.front().layer.kv_heads);
  const bool sinks = keys.flag({"add_swa_attention_sink_bias"}, true);
  for (std::size_t i = 0; i < plan.blocks.size() && i < windowed.size(); ++i) {
    if (windowed[i] == 0) continue;
    Layer& layer = plan.blocks[i].layer;
    layer.mixer = Mixer::sliding, layer.window = window;
    layer.kv_heads = kv_heads;
    plan.blocks[i].sinks = sinks;
  }
  read_experts(keys, plan, keys.assume({"moe_intermediate_size"}, 2048), {256, 8},
               {keys.size({"first_k_dense_replace"}, 1), 1, 0});
}

constexpr std::array families{
    Family{"mixtral", read_mixtral},
    Family{"qwen2_moe", read_qwen2_moe},
    Family{"qwen3_moe", read_qwen3_moe},
    Family{"phimoe", read_phimoe},
    Family{"olmoe", read_olmoe},
    Family{"granitemoe", read_granite_moe},
    Family{"granitemoeshared", read_granite_moe},
    Family{"deepseek", read_deepseek},
    Family{"deepseek_v2", read_deepseek_v2},
    Family{"deepseek_v3", read_deepseek_v3},
    Family{"deepseek_v32", read_deepseek_v3},
    Family{"kimi_k2", read_kimi_vl},
    Family{"glm4_moe", read_glm4_moe},
    Family{"glm4_moe_lite", read_deepseek_v3},
    Family{"glm_moe_dsa", read_deepseek_v3},
    Family{"gpt_oss", read_gpt_oss},
    Family{"llama4_text", read_llama4},
    Family{"ernie4_5_moe", read_ernie_moe},
    Family{"hunyuan_v1_moe", read_hunyuan_moe},
    Family{"dbrx", read_dbrx},
    Family{"minimax_m2", read_minimax_m2},
    Family{"minimax", read_minimax},
    Family{"minimax_text_01", read_minimax},
    Family{"mimo_v2_flash", read_mimo_v2},
};

}  // namespace

std::span<const Family> expert_families() { return families; }

}  // namespace gpuready::fit
