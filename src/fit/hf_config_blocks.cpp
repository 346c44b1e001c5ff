#include "fit/hf_config_blocks.hpp"

#include <algorithm>
#include <limits>

#include "fit/parameters.hpp"

namespace gpuready::fit {

namespace {

/// More layers than any model has, and few enough to hold.
constexpr std::int64_t most_layers = 10'000;

/// Sizes come from files: a product that overflows is more than any size that is accepted.
std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::numeric_limits<std::int64_t>::max() : out;
}

Mixer mixer_of_word(const std::string& word, Mixer otherwise) {
  if (word == "full_attention" || word == "attention") return Mixer::attention;
  if (word == "sliding_attention") return Mixer::sliding;
  if (word == "chunked_attention") return Mixer::chunked;
  return otherwise;
}

}  // namespace

std::int64_t read_layer_count(ConfigKeys& keys) {
  const std::int64_t layers = keys.need(layer_names);
  if (layers >= 1 && layers <= most_layers) return layers;
  keys.wrong("num_hidden_layers is " + std::to_string(layers) + ", expected 1 to 10000");
  return 1;
}

void read_shape_without_ffn(ConfigKeys& keys, Blueprint& plan, bool tied_by_default) {
  Architecture& shape = plan.shape;
  shape.hidden = keys.need(hidden_names);
  shape.vocab = keys.need({"vocab_size", "padded_vocab_size"});
  shape.max_context = keys.tokens(context_names);
  shape.tied_embeddings = keys.flag({"tie_word_embeddings"}, tied_by_default);
  Block block;
  Layer& layer = block.layer;
  layer.heads = keys.need(head_names);
  layer.kv_heads = keys.size(kv_head_names, layer.heads);
  const std::int64_t width = layer.heads > 0 ? shape.hidden / layer.heads : 0;
  layer.head_dim_k = keys.size({"head_dim", "attention_head_dim", "kv_channels"}, width);
  layer.head_dim_v = keys.size({"v_head_dim"}, layer.head_dim_k);
  plan.blocks.assign(static_cast<std::size_t>(read_layer_count(keys)), block);
  shape.rotary_part = keys.number({"partial_rotary_factor", "rotary_pct"}, 1.0);
}

void read_shape(ConfigKeys& keys, Blueprint& plan, bool tied_by_default) {
  read_shape_without_ffn(keys, plan, tied_by_default);
  const std::int64_t ffn = keys.need(ffn_names);
  for (Block& block : plan.blocks) block.layer.ffn = ffn;
}

void set_attention_bias(Blueprint& plan, bool bias, bool out) {
  plan.biases.q = plan.biases.k = plan.biases.v = bias;
  plan.biases.out = bias && out;
}

void set_all_biases(Blueprint& plan) {
  set_attention_bias(plan, true, true);
  plan.biases.ffn_in = plan.biases.ffn_out = true;
}

void read_windows(ConfigKeys& keys, Blueprint& plan, std::int64_t pattern) {
  const std::int64_t window =
      keys.tokens({"sliding_window", "attention_window_size", "attention_chunk_size"});
  if (window == 0) return;
  const std::vector<std::string> words = keys.words({"layer_types"});
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    Layer& layer = plan.blocks[i].layer;
    if (i < words.size()) {
      layer.mixer = mixer_of_word(words[i], layer.mixer);
    } else if (pattern == 0 || (static_cast<std::int64_t>(i) + 1) % pattern != 0) {
      layer.mixer = Mixer::sliding;
    }
    if (layer.mixer == Mixer::sliding || layer.mixer == Mixer::chunked) layer.window = window;
  }
}

void read_experts(ConfigKeys& keys, Blueprint& plan, std::int64_t width, ExpertDefaults defaults,
                  ExpertPlaces places) {
  const std::int64_t experts = keys.assume(expert_names, defaults.experts);
  plan.shape.experts_per_token = keys.assume(top_k_names, defaults.top_k);
  const std::vector<std::int64_t> dense = keys.sizes({"mlp_only_layers"});
  const std::int64_t step = std::max<std::int64_t>(places.step, 1);
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    if (index < places.first || index % step != places.offset % step) continue;
    if (std::ranges::find(dense, index) != dense.end()) continue;
    Layer& layer = plan.blocks[i].layer;
    layer.experts = experts, layer.expert_ffn = width, layer.ffn = 0;
  }
}

void set_shared_experts(Blueprint& plan, std::int64_t width) {
  for (Block& block : plan.blocks)
    if (block.layer.experts > 0) block.layer.shared_ffn = width;
}

void read_latent(ConfigKeys& keys, Blueprint& plan) {
  Latent& latent = plan.shape.latent;
  latent.kv_lora_rank = keys.assume({"kv_lora_rank"}, 512);
  latent.qk_rope_head_dim = keys.assume({"qk_rope_head_dim"}, 64);
  // null says something here: queries are not compressed.
  latent.q_lora_rank = keys.size({"q_lora_rank"}, 0);
  const std::int64_t nope = keys.assume({"qk_nope_head_dim"}, 128);
  const std::int64_t value = keys.size({"v_head_dim"}, 128);
  for (Block& block : plan.blocks) {
    block.parts = MixerParts::latent;
    block.layer.kv_heads = block.layer.heads;
    block.layer.head_dim_k = nope + latent.qk_rope_head_dim;
    block.layer.head_dim_v = value;
  }
}

void add_mtp_blocks(ConfigKeys& keys, Blueprint& plan, bool whole) {
  plan.shape.mtp_layers = keys.size({"num_nextn_predict_layers", "mtp_num_hidden_layers"}, 0);
  if (plan.shape.mtp_layers == 0) return;
  constexpr std::int64_t most = 16;
  if (plan.shape.mtp_layers > most) return keys.wrong("num_nextn_predict_layers is above 16");
  WeightBook book;
  count_block(plan, plan.blocks.back(), -1, book);
  count_norms(plan.norm, -1, plan.shape.hidden, 3, book);
  book.matrix(Role::mtp, -1, 2 * plan.shape.hidden, plan.shape.hidden);
  if (whole) book.matrix(Role::mtp, -1, 2 * plan.shape.vocab, plan.shape.hidden);
  if (!book.sound()) return keys.wrong("these sizes give more than 2^63 parameters");
  WeightGroup all{Role::mtp, -1, {}, 0, 0, 0, 0};
  for (const WeightGroup& group : book.groups()) all.tensors += group.tensors;
  for (std::int64_t i = 0; i < plan.shape.mtp_layers; ++i) {
    WeightGroup one = all;
    one.parameters = book.parameters();
    plan.parts.push_back(one);
  }
}

void make_recurrent(Blueprint& plan, std::size_t i, MixerParts parts) {
  const Recurrent& r = plan.recurrent;
  Block& block = plan.blocks[i];
  Layer& layer = block.layer;
  block.parts = parts;
  layer.mixer = Mixer::recurrent;
  layer.heads = layer.kv_heads = layer.head_dim_k = layer.head_dim_v = 0;
  layer.window = 0;
  const std::int64_t taps = std::max<std::int64_t>(r.conv - 1, 0);
  switch (parts) {
    case MixerParts::mamba:
      layer.conv_state = product(taps, r.inner), layer.recurrent_state = product(r.inner, r.state);
      break;
    case MixerParts::mamba2:
      layer.conv_state = product(taps, r.inner + 2 * r.groups * r.state);
      layer.recurrent_state = product(r.inner, r.state);
      break;
    case MixerParts::delta_net:
      layer.conv_state = product(taps, 2 * r.groups * r.state + r.inner);
      layer.recurrent_state = product(r.inner, r.state);
      break;
    case MixerParts::rg_lru:
      layer.conv_state = product(taps, r.inner), layer.recurrent_state = r.inner;
      break;
    case MixerParts::short_conv:
      layer.conv_state = product(taps, r.inner);
      break;
    case MixerParts::lightning:
      layer.recurrent_state = r.heads > 0 ? product(r.inner / r.heads, r.inner) : 0;
      break;
    default:
      layer.mixer = Mixer::none;
      break;
  }
}

}  // namespace gpuready::fit
