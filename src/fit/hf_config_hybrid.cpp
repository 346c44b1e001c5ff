/// Decoders with recurrent layers.
/// Defaults are those of the configuration classes of transformers 5.24.

#include <array>

#include "fit/hf_config_blocks.hpp"
#include "fit/hf_config_families.hpp"
#include "fit/parameters.hpp"

namespace gpuready::fit {

namespace {

bool is_in(const std::vector<std::int64_t>& list, std::size_t i) {
  for (const std::int64_t item : list)
    if (item == static_cast<std::int64_t>(i)) return true;
  return false;
}

/// Layers without attention, one norm each.
void read_mamba_shape(ConfigKeys& keys, Blueprint& plan, bool tied_by_default) {
  Architecture& shape = plan.shape;
  shape.hidden = keys.need(hidden_names);
  shape.vocab = keys.need({"vocab_size"});
  shape.tied_embeddings = keys.flag({"tie_word_embeddings"}, tied_by_default);
  plan.norms = 1;
  plan.blocks.assign(static_cast<std::size_t>(read_layer_count(keys)), Block{});
  Recurrent& r = plan.recurrent;
  r.conv = keys.size({"conv_kernel", "d_conv"}, 4);
  r.bias = keys.flag({"use_bias"}, false), r.conv_bias = keys.flag({"use_conv_bias"}, true);
  r.inner = keys.size({"intermediate_size", "d_inner"}, keys.size({"expand"}, 2) * shape.hidden);
}

void read_mamba(ConfigKeys& keys, Blueprint& plan) {
  read_mamba_shape(keys, plan, true);
  Recurrent& r = plan.recurrent;
  r.state = keys.size({"state_size", "d_state"}, 16);
  const base::Json* rank = keys.find({"time_step_rank", "dt_rank"});
  const bool said = rank != nullptr && rank->is_number();
  constexpr std::int64_t per_rank = 16;  // "auto": a sixteenth of the width
  r.dt_rank = said ? keys.size({"time_step_rank", "dt_rank"}, 0)
                   : (plan.shape.hidden + per_rank - 1) / per_rank;
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) make_recurrent(plan, i, MixerParts::mamba);
}

void read_mamba2(ConfigKeys& keys, Blueprint& plan) {
  read_mamba_shape(keys, plan, false);
  Recurrent& r = plan.recurrent;
  r.state = keys.size({"state_size", "d_state"}, 128);
  r.groups = keys.size({"n_groups", "ngroups"}, 8);
  const std::int64_t width = keys.size({"head_dim", "headdim"}, 64);
  r.heads = keys.size({"num_heads"}, width > 0 ? r.inner / width : 0);
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) make_recurrent(plan, i, MixerParts::mamba2);
}

void read_jamba(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  const std::int64_t ffn = plan.blocks.front().layer.ffn;
  read_experts(
      keys, plan, ffn, {16, 2},
      {0, keys.assume({"expert_layer_period"}, 2), keys.assume({"expert_layer_offset"}, 1)});
  Recurrent& r = plan.recurrent;
  r.inner = keys.size({"mamba_expand"}, 2) * plan.shape.hidden;
  r.state = keys.size({"mamba_d_state"}, 16), r.conv = keys.size({"mamba_d_conv"}, 4);
  const base::Json* rank = keys.find({"mamba_dt_rank"});
  r.dt_rank = rank != nullptr && rank->is_number() ? keys.size({"mamba_dt_rank"}, 0)
                                                   : (plan.shape.hidden + 15) / 16;
  r.conv_bias = keys.flag({"mamba_conv_bias"}, true),
  r.bias = keys.flag({"mamba_proj_bias"}, false);
  r.inner_norms = true;
  const std::int64_t period = keys.assume({"attn_layer_period"}, 8);
  const std::int64_t offset = keys.assume({"attn_layer_offset"}, 4);
  for (std::size_t i = 0; i < plan.blocks.size(); ++i)
    if (period == 0 || static_cast<std::int64_t>(i) % period != offset)
      make_recurrent(plan, i, MixerParts::mamba);
  plan.shape.rotary_part = 0;
}

/// Keys that Bamba, Granite 4 and Nemotron-H share.
void read_mamba2_sizes(ConfigKeys& keys, Blueprint& plan) {
  Recurrent& r = plan.recurrent;
  r.heads = keys.assume({"mamba_n_heads", "mamba_num_heads"}, 128);
  const std::int64_t expanded = keys.size({"mamba_expand", "expand"}, 2) * plan.shape.hidden;
  const base::Json* width = keys.find({"mamba_d_head", "mamba_head_dim"});
  r.inner = width != nullptr && width->is_number()
                ? r.heads * keys.size({"mamba_d_head", "mamba_head_dim"}, 64)
                : expanded;
  r.groups = keys.size({"mamba_n_groups", "n_groups"}, 1);
  r.state = keys.size({"mamba_d_state", "ssm_state_size"}, 256);
  r.conv = keys.size({"mamba_d_conv", "conv_kernel"}, 4);
  r.conv_bias = keys.flag({"mamba_conv_bias", "use_conv_bias"}, true);
  r.bias = keys.flag({"mamba_proj_bias"}, false);
}

void read_bamba(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  read_mamba2_sizes(keys, plan);
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), true);
  plan.biases.ffn_in = plan.biases.ffn_out = keys.flag({"mlp_bias"}, false);
  const std::vector<std::int64_t> full = keys.sizes({"attn_layer_indices"});
  for (std::size_t i = 0; i < plan.blocks.size(); ++i)
    if (!is_in(full, i)) make_recurrent(plan, i, MixerParts::mamba2);
}

void read_granite_hybrid(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), true);
  const std::int64_t experts = keys.assume(expert_names, 8);
  const std::int64_t width = plan.blocks.front().layer.ffn;
  const std::int64_t shared = keys.assume({"shared_intermediate_size"}, 1024);
  for (Block& block : plan.blocks) {
    block.layer.ffn = experts > 0 ? 0 : shared;
    block.layer.experts = experts;
    block.layer.expert_ffn = experts > 0 ? width : 0;
    block.layer.shared_ffn = experts > 0 ? shared : 0;
  }
  plan.shape.experts_per_token = experts > 0 ? keys.assume(top_k_names, 2) : 0;
  const std::vector<std::string> words = keys.words({"layer_types", "layers_block_type"});
  if (!words.empty()) read_mamba2_sizes(keys, plan);
  for (std::size_t i = 0; i < plan.blocks.size(); ++i)
    if (i < words.size() && words[i] != "attention" && words[i] != "full_attention")
      make_recurrent(plan, i, MixerParts::mamba2);
}

/// Every layer of Nemotron-H is one thing: M a mixer, * attention, - a feed-forward, E experts.
void read_nemotron_h(ConfigKeys& keys, Blueprint& plan) {
  read_shape_without_ffn(keys, plan, false);
  plan.norms = 1;
  plan.shape.feed_forward = FeedForward::plain;
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), true);
  plan.biases.ffn_in = plan.biases.ffn_out = keys.flag({"mlp_bias"}, false);
  read_mamba2_sizes(keys, plan);
  plan.shape.rotary_part = 0;
  const std::string pattern = keys.text({"hybrid_override_pattern"});
  if (pattern.size() < plan.blocks.size())
    return keys.wrong("hybrid_override_pattern is shorter than num_hidden_layers");
  const std::int64_t ffn = keys.size(ffn_names, 21504);
  const std::int64_t experts = keys.size(expert_names, 0);
  const std::int64_t expert_ffn = keys.size({"moe_intermediate_size"}, 0);
  const std::int64_t shared =
      keys.size({"moe_shared_expert_intermediate_size"}, 0) * keys.size({"n_shared_experts"}, 1);
  plan.shape.experts_per_token = keys.size(top_k_names, 0);
  plan.extras.router_correction = true;
  plan.extras.expert_input = keys.size({"moe_latent_size"}, 0);
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    Layer& layer = plan.blocks[i].layer;
    if (pattern[i] == '*') continue;
    make_recurrent(plan, i, pattern[i] == 'M' ? MixerParts::mamba2 : MixerParts::none);
    if (pattern[i] == '-') layer.ffn = ffn;
    if (pattern[i] == 'E')
      layer.experts = experts, layer.expert_ffn = expert_ffn, layer.shared_ffn = shared;
  }
}

void read_recurrent_gemma(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, true);
  // The file's width counts both inputs of the gated feed-forward.
  for (Block& block : plan.blocks) block.layer.ffn /= 2;
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), false);
  plan.biases.out = true;
  plan.biases.ffn_in = plan.biases.ffn_out = true;
  Recurrent& r = plan.recurrent;
  r.inner = keys.size({"lru_width"}, plan.shape.hidden);
  r.conv = keys.size({"conv1d_width"}, 4);
  r.heads = plan.blocks.front().layer.heads;
  std::vector<std::string> words = keys.words({"block_types", "_block_types"});
  if (words.empty()) words = {"recurrent", "recurrent", "attention"};
  const std::int64_t window = keys.size({"attention_window_size"}, 2048);
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    if (words[i % words.size()] == "recurrent") {
      make_recurrent(plan, i, MixerParts::rg_lru);
    } else {
      plan.blocks[i].layer.mixer = Mixer::sliding, plan.blocks[i].layer.window = window;
    }
  }
}

void read_lfm2(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, true);
  plan.qk_norm = QkNorm::per_head_width;
  Recurrent& r = plan.recurrent;
  r.inner = plan.shape.hidden;
  r.conv = keys.size({"conv_L_cache"}, 3), r.bias = keys.flag({"conv_bias"}, false);
  const std::vector<std::string> words = keys.words({"layer_types"});
  const std::vector<std::int64_t> full = keys.sizes({"full_attn_idxs"});
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    const bool attends = i < words.size() ? words[i] == "full_attention" : is_in(full, i);
    if (!attends && (!words.empty() || !full.empty()))
      make_recurrent(plan, i, MixerParts::short_conv);
  }
}

/// The class turns the width of the keys into two thirds of it, rounded up.
void read_lfm2_dense(ConfigKeys& keys, Blueprint& plan) {
  read_lfm2(keys, plan);
  if (!keys.flag({"block_auto_adjust_ff_dim"}, true)) return;
  const double factor = keys.number({"block_ffn_dim_multiplier"}, 1.0);
  const std::int64_t multiple = std::max<std::int64_t>(keys.size({"block_multiple_of"}, 256), 1);
  const std::int64_t reduced = 2 * keys.size({"block_ff_dim", "intermediate_size"}, 12288) / 3;
  const double scaled = factor * static_cast<double>(reduced);
  if (!(scaled >= 0 && scaled < 1e8)) return keys.wrong("block_ffn_dim_multiplier is too large");
  for (Block& block : plan.blocks)
    block.layer.ffn = (static_cast<std::int64_t>(scaled) + multiple - 1) / multiple * multiple;
}

void read_lfm2_moe(ConfigKeys& keys, Blueprint& plan) {
  read_lfm2(keys, plan);
  read_experts(keys, plan, keys.assume({"moe_intermediate_size"}, 1792), {32, 4},
               {keys.size({"num_dense_layers"}, 2), 1, 0});
  plan.extras.router_correction = keys.flag({"use_expert_bias"}, true);
}

/// Qwen3-Next and Qwen3.5: three gated delta nets, then gated attention.
void read_qwen3_next(ConfigKeys& keys, Blueprint& plan) {
  read_shape_without_ffn(keys, plan, false);
  if (!keys.has({"head_dim"}))
    for (Block& block : plan.blocks) block.layer.head_dim_k = block.layer.head_dim_v = 256;
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), true);
  plan.qk_norm = QkNorm::per_head_width;
  plan.extras.output_gate = keys.flag({"attn_output_gate"}, true);
  plan.shape.rotary_part = keys.number({"partial_rotary_factor"}, 0.25);
  const bool moe = keys.has({"num_experts", "moe_intermediate_size"});
  const std::int64_t ffn = keys.size(ffn_names, 0);
  for (Block& block : plan.blocks) block.layer.ffn = ffn;
  if (moe) {
    const std::int64_t step = keys.size({"decoder_sparse_step"}, 1);
    read_experts(keys, plan, keys.assume({"moe_intermediate_size"}, 512), {512, 10},
                 {0, step, step - 1});
    set_shared_experts(plan, keys.assume({"shared_expert_intermediate_size"}, 512));
    plan.extras.shared_gate = true;
  }
}

void read_delta_nets(ConfigKeys& keys, Blueprint& plan) {
  Recurrent& r = plan.recurrent;
  r.conv = keys.size({"linear_conv_kernel_dim"}, 4);
  r.state = keys.size({"linear_key_head_dim"}, 128);
  r.groups = keys.assume({"linear_num_key_heads"}, 16);
  r.heads = keys.assume({"linear_num_value_heads"}, 32);
  r.inner = r.heads * keys.size({"linear_value_head_dim"}, 128);
  const std::vector<std::string> words = keys.words({"layer_types"});
  const std::int64_t interval =
      std::max<std::int64_t>(keys.size({"full_attention_interval"}, 4), 1);
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    const bool full = i < words.size() ? words[i] == "full_attention"
                                       : (static_cast<std::int64_t>(i) + 1) % interval == 0;
    if (!full) make_recurrent(plan, i, MixerParts::delta_net);
  }
}

/// The block for multi-token prediction has full attention, whatever the last layer has.
void add_qwen_mtp(ConfigKeys& keys, Blueprint& plan) {
  plan.shape.mtp_layers = keys.size({"mtp_num_hidden_layers", "num_nextn_predict_layers"}, 0);
  WeightBook book;
  constexpr std::int64_t most = 16;
  if (plan.shape.mtp_layers > most) return keys.wrong("mtp_num_hidden_layers is above 16");
  for (std::int64_t i = 0; i < plan.shape.mtp_layers; ++i)
    count_block(plan, plan.blocks.front(), -1, book);
  if (plan.shape.mtp_layers == 0) return;
  count_norms(plan.norm, -1, plan.shape.hidden, 3, book);
  book.matrix(Role::mtp, -1, 2 * plan.shape.hidden, plan.shape.hidden);
  if (!book.sound()) return keys.wrong("these sizes give more than 2^63 parameters");
  WeightGroup all{Role::mtp, -1, {}, 0, 0, book.parameters(), 0};
  for (const WeightGroup& group : book.groups()) all.tensors += group.tensors;
  plan.parts.push_back(all);
}

void read_qwen3_next_whole(ConfigKeys& keys, Blueprint& plan) {
  read_qwen3_next(keys, plan);
  add_qwen_mtp(keys, plan);  // while every block still has attention
  read_delta_nets(keys, plan);
}

constexpr std::array families{
    Family{"mamba", read_mamba},
    Family{"falcon_mamba", read_mamba},
    Family{"mamba2", read_mamba2},
    Family{"jamba", read_jamba},
    Family{"bamba", read_bamba},
    Family{"granitemoehybrid", read_granite_hybrid},
    Family{"nemotron_h", read_nemotron_h},
    Family{"recurrent_gemma", read_recurrent_gemma},
    Family{"lfm2", read_lfm2_dense},
    Family{"lfm2_moe", read_lfm2_moe},
    Family{"qwen3_next", read_qwen3_next_whole},
    Family{"qwen3_5_text", read_qwen3_next_whole},
    Family{"qwen3_5_moe_text", read_qwen3_next_whole},
};

}  // namespace

std::span<const Family> hybrid_families() { return families; }

}  // namespace gpuready::fit
