/// Decoders with a gated feed-forward and attention in every layer.
/// Defaults are those of the configuration classes of transformers 5.24.

#include <array>

#include "fit/hf_config_blocks.hpp"
#include "fit/hf_config_families.hpp"

namespace gpuready::fit {

namespace {

void read_llama(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), true);
  plan.biases.ffn_in = plan.biases.ffn_out = keys.flag({"mlp_bias"}, false);
}

void read_mistral(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  read_windows(keys, plan, 0);
}

/// Windows of Qwen count only with `use_sliding_window`, and from `max_window_layers` on.
void read_qwen_windows(ConfigKeys& keys, Blueprint& plan) {
  if (!keys.flag({"use_sliding_window"}, false)) return;
  const std::int64_t first = keys.size({"max_window_layers"}, 28);
  const std::int64_t window = keys.tokens({"sliding_window"});
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    if (window == 0 || static_cast<std::int64_t>(i) < first) continue;
    plan.blocks[i].layer.mixer = Mixer::sliding, plan.blocks[i].layer.window = window;
  }
}

void read_qwen2(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  set_attention_bias(plan, true, false);
  read_qwen_windows(keys, plan);
}

void read_qwen3(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), true);
  plan.qk_norm = QkNorm::per_head_width;
  read_qwen_windows(keys, plan);
}

void read_gemma(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, true);
  if (!keys.has({"head_dim"}))
    for (Block& block : plan.blocks) block.layer.head_dim_k = block.layer.head_dim_v = 256;
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), true);
}

void read_gemma2(ConfigKeys& keys, Blueprint& plan) {
  read_gemma(keys, plan);
  plan.norms = 4;
  read_windows(keys, plan, 2);
}

void read_gemma3(ConfigKeys& keys, Blueprint& plan) {
  read_gemma(keys, plan);
  plan.norms = 4;
  plan.qk_norm = QkNorm::per_head_width;
  read_windows(keys, plan, keys.size({"sliding_window_pattern", "_sliding_window_pattern"}, 6));
}

void read_phi3(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  read_windows(keys, plan, 0);
}

void read_stablelm(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  plan.norm = NormKind::layer;
  plan.shape.parallel_residual = keys.flag({"use_parallel_residual"}, false);
  if (plan.shape.parallel_residual) plan.norms = 1;
  set_attention_bias(plan, keys.flag({"use_qkv_bias"}, false), false);
  if (keys.flag({"qk_layernorm"}, false)) plan.qk_norm = QkNorm::full_width;
  plan.shape.rotary_part = keys.number({"partial_rotary_factor", "rope_pct"}, 0.25);
}

void read_cohere(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, true);
  plan.norm = plan.qk_norm_kind = NormKind::layer_without_bias;
  plan.norms = 1;
  plan.shape.parallel_residual = true;
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), true);
  if (keys.flag({"use_qk_norm"}, false)) plan.qk_norm = QkNorm::full_width;
}

void read_cohere2(ConfigKeys& keys, Blueprint& plan) {
  read_cohere(keys, plan);
  plan.qk_norm = QkNorm::none;
  read_windows(keys, plan, keys.size({"sliding_window_pattern", "_sliding_window_pattern"}, 4));
}

void read_olmo(ConfigKeys& keys, Blueprint& plan) {
  read_llama(keys, plan);
  plan.norm = NormKind::without_weights;
}

void read_olmo2(ConfigKeys& keys, Blueprint& plan) {
  read_llama(keys, plan);
  plan.qk_norm = QkNorm::full_width;
}

void read_olmo3(ConfigKeys& keys, Blueprint& plan) {
  read_olmo2(keys, plan);
  read_windows(keys, plan, 4);
}

void read_glm(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  set_attention_bias(plan, keys.flag({"attention_bias"}, true), false);
  plan.shape.rotary_part = keys.number({"partial_rotary_factor"}, 0.5);
}

void read_glm4(ConfigKeys& keys, Blueprint& plan) {
  read_glm(keys, plan);
  plan.norms = 4;
}

/// The first GLM-4 and ChatGLM, whose class came with the weights.
void read_chatglm(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  const std::int64_t heads = plan.blocks.front().layer.heads;
  const std::int64_t groups = keys.flag({"multi_query_attention"}, false)
                                  ? keys.size({"multi_query_group_num", "num_key_value_heads"}, 1)
                                  : keys.size({"num_key_value_heads"}, heads);
  for (Block& block : plan.blocks) block.layer.kv_heads = groups;
  set_attention_bias(plan, keys.flag({"add_qkv_bias", "add_bias_linear"}, false), false);
  plan.shape.rotary_part = 0.5;
}

void read_smollm3(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, true);
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), true);
  plan.biases.ffn_in = plan.biases.ffn_out = keys.flag({"mlp_bias"}, false);
}

void read_ernie(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, true);
  if (!keys.has({"head_dim"}) && keys.text({"model_type"}) == "ernie4_5")
    for (Block& block : plan.blocks) block.layer.head_dim_k = block.layer.head_dim_v = 128;
  if (keys.flag({"use_bias"}, false)) set_all_biases(plan);
}

void read_exaone4(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  plan.qk_norm = QkNorm::per_head_width;
  const base::Json* pattern = keys.find({"sliding_window_pattern"});
  const bool letters = pattern != nullptr && pattern->is_string();  // "LLLG": G is full
  read_windows(keys, plan,
               letters ? static_cast<std::int64_t>(pattern->get<std::string>().size())
                       : keys.size({"sliding_window_pattern"}, 4));
}

void read_seed_oss(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  set_attention_bias(plan, keys.flag({"attention_bias"}, true), false);
  plan.biases.out = keys.flag({"attention_out_bias"}, false);
  plan.biases.ffn_in = plan.biases.ffn_out = keys.flag({"mlp_bias"}, false);
}

void read_hunyuan(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), true);
  plan.qk_norm = QkNorm::per_head_width;
}

void read_internlm2(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  set_attention_bias(plan, keys.flag({"bias"}, false), true);
}

void read_internlm3(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  set_attention_bias(plan, keys.flag({"qkv_bias"}, false), false);
  plan.biases.out = keys.flag({"bias", "attention_bias"}, false);
  plan.biases.ffn_in = plan.biases.ffn_out = keys.flag({"bias", "mlp_bias"}, false);
}

void read_minicpm3(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, true);
  read_latent(keys, plan);
}

/// MiMo-7B: Qwen2 with blocks for multi-token prediction; each joins two normed states.
void read_mimo(ConfigKeys& keys, Blueprint& plan) {
  read_qwen2(keys, plan);
  add_mtp_blocks(keys, plan, false);
}

void read_plain_gated(ConfigKeys& keys, Blueprint& plan) {
  read_llama(keys, plan);
  plan.shape.feed_forward = FeedForward::plain;
}

void read_apertus(ConfigKeys& keys, Blueprint& plan) {
  read_plain_gated(keys, plan);
  plan.qk_norm = QkNorm::per_head_width;
  // The activation xIELU learns two numbers.
  for (std::size_t i = 0; i < plan.blocks.size(); ++i)
    plan.parts.push_back({Role::norm, static_cast<std::int64_t>(i), {}, 2, 2, 2, 0});
}

constexpr std::array families{
    Family{"llama", read_llama},
    Family{"aquila", read_llama},
    Family{"granite", read_llama},
    Family{"helium", read_llama},
    Family{"baichuan", read_llama},
    Family{"yi", read_llama},
    Family{"mistral", read_mistral},
    Family{"ministral", read_mistral},
    Family{"ministral3", read_mistral},
    Family{"qwen2", read_qwen2},
    Family{"qwen3", read_qwen3},
    Family{"gemma", read_gemma},
    Family{"gemma2", read_gemma2},
    Family{"gemma3_text", read_gemma3},
    Family{"phi3", read_phi3},
    Family{"stablelm", read_stablelm},
    Family{"cohere", read_cohere},
    Family{"cohere2", read_cohere2},
    Family{"olmo", read_olmo},
    Family{"olmo2", read_olmo2},
    Family{"olmo3", read_olmo3},
    Family{"glm", read_glm},
    Family{"glm4", read_glm4},
    Family{"chatglm", read_chatglm},
    Family{"smollm3", read_smollm3},
    Family{"ernie4_5", read_ernie},
    Family{"exaone4", read_exaone4},
    Family{"seed_oss", read_seed_oss},
    Family{"hunyuan_v1_dense", read_hunyuan},
    Family{"internlm2", read_internlm2},
    Family{"internlm3", read_internlm3},
    Family{"minicpm3", read_minicpm3},
    Family{"mimo", read_mimo},
    Family{"arcee", read_plain_gated},
    Family{"apertus", read_apertus},
};

}  // namespace

namespace {

/// Experts under whichever of the usual names.
void read_generic_experts(ConfigKeys& keys, Blueprint& plan) {
  if (keys.size(expert_names, 0) < 2) return;
  const std::int64_t own = plan.blocks.front().layer.ffn;
  const std::int64_t width = keys.size({"moe_intermediate_size", "expert_intermediate_size"}, own);
  read_experts(keys, plan, width, {0, 0}, {keys.size({"first_k_dense_replace"}, 0), 1, 0});
  const std::int64_t count =
      keys.size({"n_shared_experts", "num_shared_experts", "moe_num_shared_experts"}, 0);
  set_shared_experts(
      plan,
      keys.size({"shared_expert_intermediate_size", "shared_intermediate_size"}, width * count));
}

/// Layers whose kind is named but not known keep no keys and values.
void read_generic_kinds(ConfigKeys& keys, Blueprint& plan) {
  const std::vector<std::string> words = keys.words({"layer_types"});
  for (std::size_t i = 0; i < plan.blocks.size() && i < words.size(); ++i)
    if (words[i].find("attention") == std::string::npos || words[i] == "linear_attention")
      plan.blocks[i].layer.mixer = Mixer::recurrent;
}

}  // namespace

void read_generic(ConfigKeys& keys, Blueprint& plan) {
  const bool has_width = keys.has(ffn_names);
  has_width ? read_llama(keys, plan) : read_shape_without_ffn(keys, plan, false);
  if (!has_width && keys.size(expert_names, 0) < 2) keys.need(ffn_names);
  read_generic_experts(keys, plan);
  if (keys.has({"kv_lora_rank"})) read_latent(keys, plan);
  read_windows(keys, plan, keys.size({"sliding_window_pattern"}, 0));
  read_generic_kinds(keys, plan);
}

std::span<const Family> dense_families() { return families; }

}  // namespace gpuready::fit
