#include "fit/gguf_layers.hpp"

#include <algorithm>
#include <utility>

namespace gpuready::fit {

namespace {

/// What one sequence keeps in a recurrent layer.
struct State {
  std::int64_t conv = 0, recurrent = 0;
};

/// As llama.cpp counts them (src/llama-hparams.cpp, n_embd_r and n_embd_s).
State state_of(GgufKeys& keys, std::int64_t hidden, std::int64_t heads) {
  if (const std::int64_t head = keys.number("wkv.head_size"); head > 0)
    return {keys.number("token_shift_count", 2) * hidden, hidden * head};
  if (const std::int64_t length = keys.number("shortconv.l_cache"); length > 0)
    return {hidden * (length - 1), 0};
  const std::int64_t kernel = std::max<std::int64_t>(keys.number("ssm.conv_kernel", 1), 1);
  if (const std::int64_t head = keys.number("kda.head_dim", 0, std::int64_t{1} << 16U); head > 0) {
    const std::int64_t width = std::min(heads, std::int64_t{1} << 20U) * head;
    constexpr std::int64_t convolutions = 3;  // of queries, keys and values
    return {std::min(kernel, std::int64_t{1} << 16U) * convolutions * width - convolutions * width,
            width * head};
  }
  const std::int64_t inner = keys.number("ssm.inner_size"), size = keys.number("ssm.state_size");
  const std::int64_t groups = keys.number("ssm.group_count", 0, std::int64_t{1} << 16U);
  return {std::min(kernel - 1, std::int64_t{1} << 16U) * (inner + 2 * groups * size), size * inner};
}

/// Which layers are recurrent by the keys alone.
std::vector<std::int64_t> recurrent_by_keys(GgufKeys& keys, std::int64_t count,
                                            const std::vector<std::int64_t>& kv_heads) {
  std::vector<std::int64_t> list(static_cast<std::size_t>(count), 0);
  if (keys.has("attention.recurrent_layers"))
    return keys.per_layer("attention.recurrent_layers", count, list);
  const bool stateful =
      keys.has("ssm.conv_kernel") || keys.has("shortconv.l_cache") || keys.has("wkv.head_size");
  if (!stateful) return list;
  const std::string& architecture = keys.architecture();
  const bool delta_net =
      architecture.rfind("qwen3next", 0) == 0 || architecture.rfind("qwen35", 0) == 0;
  const std::int64_t interval = keys.number("full_attention_interval", delta_net ? 4 : 0);
  for (std::size_t i = 0; i < list.size(); ++i)
    list[i] = interval > 0 ? (static_cast<std::int64_t>(i) + 1) % interval != 0 : kv_heads[i] == 0;
  return list;
}

struct Heads {
  std::vector<std::int64_t> all, kv;
  std::int64_t dim_k = 0, dim_v = 0;
};

Heads heads_of(GgufKeys& keys, std::int64_t hidden, std::int64_t count) {
  Heads heads;
  const std::vector<std::int64_t> none(static_cast<std::size_t>(count), 0);
  heads.all = keys.per_layer("attention.head_count", count, none);
  heads.kv = keys.per_layer("attention.head_count_kv", count, heads.all);
  const auto some = std::ranges::find_if(heads.all, [](std::int64_t n) { return n > 0; });
  const std::int64_t usual = some == heads.all.end() ? 0 : hidden / *some;
  heads.dim_k = keys.number("attention.key_length", usual);
  heads.dim_v = keys.number("attention.value_length", usual);
  return heads;
}

void set_feed_forward(GgufKeys& keys, const GgufBlock& block, std::int64_t usual, Layer& layer) {
  if (block.known) {
    layer.ffn = block.ffn, layer.experts = block.experts;
    layer.expert_ffn = block.expert_ffn, layer.shared_ffn = block.shared_ffn;
    return;
  }
  layer.experts = keys.number("expert_count");
  if (layer.experts == 0) {
    layer.ffn = usual;
    return;
  }
  layer.expert_ffn = keys.number("expert_feed_forward_length", usual);
  layer.shared_ffn = keys.number("expert_shared_feed_forward_length",
                                 keys.number("expert_shared_count", 0, 1024) * layer.expert_ffn);
}

/// What the layer keeps of tokens.
void set_mixer(const GgufBlock& block, bool recurrent_by_key, const State& state, Layer& layer) {
  const bool recurrent = block.known ? block.recurrent : recurrent_by_key;
  const bool attention = layer.kv_heads > 0 &&
                         (block.known ? block.attention : !recurrent_by_key) &&
                         !(recurrent && (block.delta_net || recurrent_by_key));
  if (recurrent) layer.conv_state = state.conv, layer.recurrent_state = state.recurrent;
  layer.mixer = attention ? Mixer::attention : recurrent ? Mixer::recurrent : Mixer::none;
  if (attention) return;
  layer.heads = 0, layer.kv_heads = 0, layer.head_dim_k = 0, layer.head_dim_v = 0;
}

/// A block whose attention has no heads would keep nothing of a context.
void check_heads(GgufKeys& keys, const GgufBlock& block, const Layer& layer) {
  if (!block.known || !block.attention || block.recurrent) return;
  for (const auto& [key, heads] : {std::pair{"attention.head_count", layer.heads},
                                   std::pair{"attention.head_count_kv", layer.kv_heads}})
    if (heads == 0)
      keys.fail("the key '" + keys.name(key) + "' is missing or 0, but blocks have attention");
}

/// The layers from here on read the cache of earlier ones.
std::int64_t first_without_cache(GgufKeys& keys, std::int64_t count) {
  // llama.cpp, src/models/gemma3n.cpp: 20 layers of every size have one.
  const std::int64_t usual = keys.architecture() == "gemma3n" ? 20 : count;
  return keys.has("attention.shared_kv_layers")
             ? std::max<std::int64_t>(count - keys.number("attention.shared_kv_layers"), 0)
             : usual;
}

}  // namespace

std::vector<Layer> layers_of_gguf(GgufKeys& keys, const Architecture& shape,
                                  const std::vector<GgufBlock>& blocks,
                                  std::vector<Message>& doubts) {
  const auto count = static_cast<std::int64_t>(blocks.size());
  const Heads heads = heads_of(keys, shape.hidden, count);
  const std::vector<std::int64_t> none(blocks.size(), 0);
  const std::vector<std::int64_t> ffn = keys.per_layer("feed_forward_length", count, none);
  const std::vector<std::int64_t> recurrent = recurrent_by_keys(keys, count, heads.kv);
  const std::int64_t most_heads = heads.all.empty() ? 0 : *std::ranges::max_element(heads.all);
  const State state = state_of(keys, shape.hidden, most_heads);
  const std::int64_t owners = first_without_cache(keys, count);
  // With a latent cache the keys give the latent's size; the attention itself works on these.
  const bool latent = shape.latent.kv_lora_rank > 0;
  std::vector<Layer> layers(blocks.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    Layer& layer = layers[i];
    layer.heads = heads.all[i];
    layer.kv_heads = latent && heads.kv[i] > 0 ? heads.all[i] : heads.kv[i];
    layer.head_dim_k = latent ? keys.number("attention.key_length_mla", heads.dim_k) : heads.dim_k;
    layer.head_dim_v =
        latent ? keys.number("attention.value_length_mla", heads.dim_v) : heads.dim_v;
    check_heads(keys, blocks[i], layer);
    layer.owns_cache = static_cast<std::int64_t>(i) < owners;
    set_feed_forward(keys, blocks[i], ffn[i], layer);
    set_mixer(blocks[i], recurrent[i] != 0, state, layer);
  }
  mark_windows(keys, layers, doubts);
  return layers;
}

}  // namespace gpuready::fit
