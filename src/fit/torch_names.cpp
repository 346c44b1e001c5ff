#include "fit/torch_names.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace gpuready::fit {

namespace {

/// A name by its dots.
struct Parts {
  explicit Parts(std::string_view name) : parts(base::split(name, '.')) {}

  [[nodiscard]] bool has(std::initializer_list<std::string_view> words) const {
    return std::ranges::any_of(parts, [&](const std::string& part) {
      return std::ranges::find(words, std::string_view(part)) != words.end();
    });
  }

  std::vector<std::string> parts;
};

/// The block that a name stands in: the number after one of these words.
std::int64_t block_of(const Parts& name, bool encoder_alone) {
  for (std::size_t i = 0; i + 2 < name.parts.size(); ++i) {
    static constexpr std::array<std::string_view, 8> words{"layers",        "h",
                                                           "layer",         "block",
                                                           "blocks",        "transformer_blocks",
                                                           "double_blocks", "transformer_layers"};
    if (std::ranges::find(words, std::string_view(name.parts[i])) == words.end()) continue;
    const auto number = base::to_integer(name.parts[i + 1]);
    if (!number || *number < 0) continue;
    // An encoder beside a decoder; BERT's own blocks are in encoder.layer.
    const bool encoder = i > 0 && name.parts[i - 1] == "encoder" && name.parts[i] != "layer";
    return encoder && !encoder_alone ? -1 : *number;
  }
  return -1;
}

bool in_tower(const Parts& name) {
  return name.has({"vision_tower",
                   "vision_model",
                   "visual",
                   "vision_encoder",
                   "vpm",
                   "multi_modal_projector",
                   "mm_projector",
                   "audio_tower",
                   "audio_encoder",
                   "embed_vision",
                   "embed_audio",
                   "img_processor",
                   "connector",
                   "resampler",
                   "image_newline",
                   "vision_embed_tokens",
                   "speech_encoder",
                   "vision_projection",
                   "patch_merger",
                   "vision_adapter",
                   "vision_language_adapter",
                   "aligner",
                   "sound_encoder",
                   "qformer",
                   "mlp1"});
}

bool is_embedding(const Parts& name) {
  return name.has({"embed_tokens", "wte", "word_embeddings", "tok_embeddings", "embed_in", "shared",
                   "token_embedding", "word_embedding", "tok_embd", "embed_tokens_per_layer"}) ||
         (name.has({"embeddings", "embedding"}) && !name.has({"patch_embeddings", "norm"}) &&
          block_of(name, true) < 0);
}

bool is_position(const Parts& name) {
  return name.has({"wpe", "embed_positions", "position_embeddings", "token_type_embeddings",
                   "position_embedding", "embed_tokens_per_layer", "pos_embed"});
}

/// RoBERTa has a layer in its head before the one that gives logits.
bool is_output(const Parts& name) {
  const bool head = name.has({"lm_head", "embed_out", "output_layer"}) ||
                    (name.parts.size() == 2 && name.parts[0] == "output") ||
                    (name.has({"predictions"}) && name.has({"decoder"}));
  return head && !name.has({"dense", "layer_norm"});
}

Role role_in_block(const Parts& name, bool is_vector) {
  if (name.has({"shared_expert_gate", "router", "e_score_correction_bias", "gate_weight"}) ||
      (name.has({"gate"}) && !name.has({"experts", "self_attn", "linear_attn"})))
    return Role::router;
  if (name.has({"experts"}) ||
      (name.has({"block_sparse_moe"}) && name.has({"input_linear", "output_linear"})))
    return Role::experts;
  if (is_vector) return Role::norm;
  if (name.has({"mlp", "feed_forward", "ffn", "fc1", "fc2", "intermediate", "DenseReluDense",
                "dense_h_to_4h", "dense_4h_to_h", "ff", "ff_context", "shared_mlp", "shared_expert",
                "shared_experts", "img_mlp", "txt_mlp", "up_proj", "down_proj", "gate_proj"}))
    return Role::feed_forward;
  if (name.has({"self_attn",
                "attn",
                "attention",
                "linear_attn",
                "mixer",
                "mamba",
                "self_attention",
                "SelfAttention",
                "EncDecAttention",
                "encoder_attn",
                "cross_attn",
                "temporal_block",
                "conv",
                "attn1",
                "attn2",
                "img_attn",
                "txt_attn",
                "att",
                "norm_attn_norm",
                "q_lin",
                "k_lin",
                "v_lin",
                "out_lin",
                "q_proj",
                "k_proj",
                "v_proj",
                "o_proj",
                "ssm",
                "Wqkv"}))
    return Role::attention;
  // BERT's second matrix of the feed-forward part.
  return name.has({"output", "lin1", "lin2"}) ? Role::feed_forward : Role::other;
}

}  // namespace

Place torch_place(std::string_view name, bool is_vector, bool encoder_alone) {
  const Parts parts(name);
  if (in_tower(parts)) return {Role::tower, -1, false};
  if (parts.has({"mtp", "nextn", "mtp_layers", "eh_proj", "shared_head"}))
    return {Role::mtp, -1, false};
  const std::int64_t block = block_of(parts, encoder_alone);
  const bool in_block =
      block >= 0 || parts.has({"layers", "block", "single_transformer_blocks", "single_blocks"});
  if (is_position(parts) && !is_vector) return {Role::embedding, -1, true};
  if (in_block) return {role_in_block(parts, is_vector), block, false};
  if (is_output(parts)) return {is_vector ? Role::norm : Role::output, -1, false};
  if (is_vector) return {Role::norm, -1, false};
  if (is_embedding(parts)) return {Role::embedding, -1, false};
  return {Role::other, -1, false};
}

}  // namespace gpuready::fit
