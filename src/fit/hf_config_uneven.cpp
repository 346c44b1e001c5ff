/// Decoders whose layers differ: in head size, in who owns a cache, in what they attend to (Gemma
/// 3n and 4, Llama 3.2 Vision, models thinned by search). Defaults are those of the configuration
/// classes of transformers 5.24.

#include <algorithm>
#include <array>

#include "fit/hf_config_blocks.hpp"
#include "fit/hf_config_families.hpp"
#include "fit/hf_config_stack.hpp"
#include "fit/parameters.hpp"

namespace gpuready::fit {

namespace {

/// Widths of the feed-forward: one number, or one per layer.
void read_widths(ConfigKeys& keys, Blueprint& plan, std::int64_t otherwise) {
  const base::Json* value = keys.find({"intermediate_size"});
  std::vector<std::int64_t> widths;
  if (value != nullptr && value->is_array()) widths = keys.sizes({"intermediate_size"});
  const std::int64_t one = widths.empty() ? keys.size({"intermediate_size"}, otherwise) : 0;
  for (std::size_t i = 0; i < plan.blocks.size(); ++i)
    plan.blocks[i].layer.ffn = i < widths.size() ? widths[i] : one;
}

/// The last layers use the cache of an earlier one of their kind.
std::int64_t share_caches(ConfigKeys& keys, Blueprint& plan, std::int64_t otherwise) {
  const auto layers = static_cast<std::int64_t>(plan.blocks.size());
  const std::int64_t shared = keys.size({"num_kv_shared_layers"}, otherwise);
  const std::int64_t first = std::max<std::int64_t>(layers - shared, 0);
  for (std::int64_t i = first; i < layers && shared > 0; ++i)
    plan.blocks[static_cast<std::size_t>(i)].layer.owns_cache = false;
  return first;
}

/// A table with a short vector per token and layer, and what turns it into a layer's input.
void add_layer_embeddings(ConfigKeys& keys, Blueprint& plan) {
  const std::int64_t width = keys.size({"hidden_size_per_layer_input"}, 256);
  if (width == 0) return;
  const std::int64_t hidden = plan.shape.hidden;
  const auto layers = static_cast<std::int64_t>(plan.blocks.size());
  WeightBook table;
  table.matrix(Role::embedding, -1, keys.size({"vocab_size_per_layer_input"}, 262144),
               layers * width);
  add_part(table, Role::embedding, plan);
  plan.parts.back().stays_on_host = true;
  WeightBook book;
  book.matrix(Role::other, -1, hidden, layers * width);
  book.vector(-1, width);
  add_part(book, Role::other, plan);
  for (std::int64_t i = 0; i < layers; ++i) {
    WeightBook own;
    own.matrix(Role::feed_forward, i, hidden, width, 2);
    own.vector(i, hidden);
    for (const WeightGroup& group : own.groups()) plan.parts.push_back(group);
  }
}

void read_gemma_shape(ConfigKeys& keys, Blueprint& plan, std::int64_t ffn) {
  read_shape_without_ffn(keys, plan, true);
  if (!keys.has({"head_dim"}))
    for (Block& block : plan.blocks) block.layer.head_dim_k = block.layer.head_dim_v = 256;
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), true);
  plan.norms = 4;
  plan.qk_norm = QkNorm::per_head_width;
  read_widths(keys, plan, ffn);
}

/// AltUp keeps several versions of the hidden state, LAuReL adds a narrow path beside attention.
void add_altup(ConfigKeys& keys, Blueprint& plan) {
  const std::int64_t hidden = plan.shape.hidden;
  const std::int64_t inputs = keys.size({"altup_num_inputs"}, 4);
  const std::int64_t rank = keys.size({"laurel_rank"}, 64);
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    WeightBook own;
    own.matrix(Role::feed_forward, index, hidden, rank, 2);
    own.matrix(Role::norm, index, hidden, inputs);                    // router
    own.matrix(Role::norm, index, inputs, inputs * inputs + inputs);  // prediction, correction
    own.vector(index, hidden, 3);  // norms of both, scale of the correction
    for (const WeightGroup& group : own.groups()) plan.parts.push_back(group);
  }
  WeightBook book;
  book.matrix(Role::other, -1, hidden, hidden, 2 * std::max<std::int64_t>(inputs - 1, 0));
  add_part(book, Role::other, plan);
}

void read_gemma3n(ConfigKeys& keys, Blueprint& plan) {
  read_gemma_shape(keys, plan, 16384);
  read_windows(keys, plan, 5);
  share_caches(keys, plan, 15);
  // The class keeps the matrices of keys and values even where a layer shares the cache.
  for (Block& block : plan.blocks) block.unused_kv_weights = true;
  add_layer_embeddings(keys, plan);
  add_altup(keys, plan);
}

/// Full layers have wider heads, and maybe other KV heads and no values of their own.
void widen_full_layers(ConfigKeys& keys, Blueprint& plan) {
  const std::int64_t width = keys.size({"global_head_dim"}, 512);
  const bool keys_are_values = keys.flag({"attention_k_eq_v"}, false);
  const std::int64_t kv_heads =
      keys.size({"num_global_key_value_heads"}, plan.blocks.front().layer.kv_heads);
  for (Block& block : plan.blocks) {
    if (block.layer.mixer != Mixer::attention) continue;
    block.layer.head_dim_k = block.layer.head_dim_v = width;
    block.layer.kv_heads = kv_heads;
    block.value_weights = !keys_are_values;
  }
}

/// Experts stand beside the dense feed-forward, with three norms and two scales more.
void add_gemma_experts(ConfigKeys& keys, Blueprint& plan) {
  if (!keys.flag({"enable_moe_block"}, false)) return;
  plan.shape.experts_per_token = keys.assume({"top_k_experts", "num_experts_per_tok"}, 8);
  const std::int64_t experts = keys.need({"num_experts"});
  const std::int64_t width = keys.need({"moe_intermediate_size"});
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    Layer& layer = plan.blocks[i].layer;
    layer.experts = experts, layer.expert_ffn = width;
    layer.shared_ffn = layer.ffn, layer.ffn = 0;
    WeightBook own;
    own.vector(static_cast<std::int64_t>(i), plan.shape.hidden, 4);
    own.vector(static_cast<std::int64_t>(i), experts);
    for (const WeightGroup& group : own.groups()) plan.parts.push_back(group);
  }
}

void read_gemma4(ConfigKeys& keys, Blueprint& plan) {
  read_gemma_shape(keys, plan, 9216);
  read_windows(keys, plan, keys.size({"sliding_window_pattern"}, 6));
  widen_full_layers(keys, plan);
  const std::int64_t first = share_caches(keys, plan, 0);
  if (keys.flag({"use_double_wide_mlp"}, false))
    for (std::size_t i = static_cast<std::size_t>(first); i < plan.blocks.size(); ++i)
      plan.blocks[i].layer.ffn *= 2;
  add_gemma_experts(keys, plan);
  add_layer_embeddings(keys, plan);
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    WeightBook own;
    own.vector(static_cast<std::int64_t>(i), 1);  // scale of the layer
    for (const WeightGroup& group : own.groups()) plan.parts.push_back(group);
  }
}

/// Llama 3.2 Vision: some layers attend to the image instead; eight more rows of embeddings.
void read_mllama(ConfigKeys& keys, Blueprint& plan) {
  read_shape(keys, plan, false);
  for (const std::int64_t i : keys.sizes({"cross_attention_layers"})) {
    if (i >= static_cast<std::int64_t>(plan.blocks.size())) continue;
    Block& block = plan.blocks[static_cast<std::size_t>(i)];
    block.parts = MixerParts::cross_gated;
    block.layer.mixer = Mixer::cross;
  }
  constexpr std::int64_t more_rows = 8;
  WeightBook book;
  book.matrix(Role::embedding, -1, more_rows, plan.shape.hidden);
  add_part(book, Role::embedding, plan);
}

/// A layer of a model that a search has thinned.
void thin(const base::Json& config, Block& block, std::int64_t hidden, ConfigKeys& keys) {
  ConfigKeys layer(config);
  const base::Json none = base::Json::object();
  const base::Json* attention = layer.object("attention");
  const base::Json* ffn = layer.object("ffn");
  ConfigKeys attention_keys(attention != nullptr ? *attention : none);
  ConfigKeys ffn_keys(ffn != nullptr ? *ffn : none);
  const std::int64_t group =
      std::max<std::int64_t>(attention_keys.size({"n_heads_in_group"}, 1), 1);
  block.layer.kv_heads = block.layer.heads / group;
  if (attention_keys.flag({"no_op"}, false)) block.parts = MixerParts::none;
  // The class rounds two thirds of the multiple up to 256.
  constexpr std::int64_t round = 256;
  const double wide = 2.0 * ffn_keys.number({"ffn_mult"}, 0) * static_cast<double>(hidden) / 3.0;
  if (!(wide >= 0 && wide < 1e9)) ffn_keys.wrong("ffn_mult is beyond what can be");
  const std::int64_t width = wide >= 0 && wide < 1e9 ? static_cast<std::int64_t>(wide) : 0;
  block.layer.ffn = ffn_keys.flag({"no_op"}, false) ? 0 : (width + round - 1) / round * round;
  for (const ConfigKeys* inner : {&layer, &attention_keys, &ffn_keys}) keys.absorb(*inner);
}

/// Models thinned by search: a layer may have no attention, or its own feed-forward (Nemotron
/// Super). Files say it in `block_configs`, data/model_layers.csv in two lists.
void read_thinned(ConfigKeys& keys, Blueprint& plan) {
  read_shape_without_ffn(keys, plan, false);
  plan.norms = 1;
  const base::Json* blocks = keys.find({"block_configs"});
  const std::vector<std::int64_t> widths = keys.sizes({"ffn_sizes"});
  const std::vector<std::int64_t> attends = keys.sizes({"attention_layers"});
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    Block& block = plan.blocks[i];
    if (i < widths.size()) block.layer.ffn = widths[i];
    if (i < attends.size() && attends[i] == 0) block.parts = MixerParts::none;
    if (blocks != nullptr && blocks->is_array() && i < blocks->size())
      thin((*blocks)[i], block, plan.shape.hidden, keys);
    if (block.parts == MixerParts::none) {
      block.layer.mixer = Mixer::none;
      block.layer.heads = block.layer.kv_heads = 0;
    } else {
      WeightBook own;
      own.vector(static_cast<std::int64_t>(i), plan.shape.hidden);
      for (const WeightGroup& group : own.groups()) plan.parts.push_back(group);
    }
  }
}

constexpr std::array families{
    Family{"gemma3n_text", read_gemma3n},
    Family{"gemma4_text", read_gemma4},
    Family{"mllama_text_model", read_mllama},
    Family{"nemotron-nas", read_thinned},
};

}  // namespace

std::span<const Family> uneven_families() { return families; }

}  // namespace gpuready::fit
