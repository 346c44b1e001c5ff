#include "fit/from_catalogue.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/json.hpp"
#include "fit/hf_config.hpp"
#include "fit/storage.hpp"

namespace gpuready::fit {

namespace {

using base::Json;

ModelKind kind_of(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, ModelKind>, 7> kinds{{
      {"llm", ModelKind::llm},
      {"vlm", ModelKind::vlm},
      {"encoder", ModelKind::encoder},
      {"embedding", ModelKind::embedding},
      {"vision", ModelKind::vision},
      {"speech", ModelKind::speech},
      {"diffusion", ModelKind::diffusion},
  }};
  for (const auto& [name, kind] : kinds)
    if (name == word) return kind;
  return ModelKind::llm;
}

/// Sets a key where the row says something.
void put(Json& config, const char* key, std::int64_t value) {
  if (value > 0) config[key] = value;
}

void put_shape(const catalog::Model& row, Json& config) {
  put(config, "hidden_size", row.hidden);
  put(config, "num_hidden_layers", row.layers);
  put(config, "num_attention_heads", row.heads);
  put(config, "num_key_value_heads", row.kv_heads);
  put(config, "intermediate_size", row.ffn > 0 ? row.ffn : row.moe_ffn);
  put(config, "vocab_size", row.vocab);
  put(config, "max_position_embeddings", row.max_context);
  put(config, "sliding_window", row.sliding_window);
  put(config, "sliding_window_pattern", row.sliding_pattern);
  put(config, "full_attention_interval", row.sliding_pattern);
  // An embedding model has no head.
  if (row.kind == "embedding") config["tie_word_embeddings"] = true;
  if (row.tied_embeddings) config["tie_word_embeddings"] = *row.tied_embeddings;
  put(config, "v_head_dim", row.head_dim_v);
  if (row.kv_lora_rank == 0) return put(config, "head_dim", row.head_dim);
  put(config, "kv_lora_rank", row.kv_lora_rank);
  put(config, "qk_rope_head_dim", row.qk_rope_head_dim);
  put(config, "qk_nope_head_dim", row.head_dim - row.qk_rope_head_dim);
}

/// Each family asks for these under a name of its own.
void put_experts(const catalog::Model& row, Json& config) {
  if (row.experts == 0) return;
  put(config, "num_experts", row.experts);
  put(config, "num_experts_per_tok", row.experts_per_token);
  put(config, "moe_intermediate_size", row.moe_ffn);
  for (const char* key : {"shared_expert_intermediate_size", "shared_intermediate_size",
                          "moe_shared_expert_intermediate_size"})
    config[key] = row.shared_expert_ffn;
  config["n_shared_experts"] = row.moe_ffn > 0 ? row.shared_expert_ffn / row.moe_ffn : 0;
  for (const char* key : {"first_k_dense_replace", "num_dense_layers"})
    config[key] = row.dense_layers;
}

/// Encoder and decoder: the row's layers are the encoder's.
void put_both_sides(const catalog::Model& row, Json& config) {
  put(config, "d_model", row.hidden);
  put(config, "num_layers", row.layers);
  put(config, "d_kv", row.head_dim);
  put(config, "max_target_positions", row.max_context);
  for (const char* key : {"encoder_attention_heads", "decoder_attention_heads"})
    put(config, key, row.heads);
  for (const char* key : {"encoder_ffn_dim", "decoder_ffn_dim"}) put(config, key, row.ffn);
  put(config, "encoder_layers", row.layers);
  const std::int64_t decoders = row.full_attention_layers.value_or(0);
  put(config, "decoder_layers", decoders);
  put(config, "num_decoder_layers", decoders);
}

/// What data/model_layers.csv adds; a value that is not JSON is a text.
void put_more(const catalog::Model& row, Json& config) {
  for (const auto& [key, text] : row.more) {
    auto value = base::parse_json(text);
    config[key] = value ? std::move(*value) : Json(text);
  }
  const auto moe = row.more.find("model_type_with_experts");
  if (row.experts > 0 && moe != row.more.end()) config["model_type"] = moe->second;
}

/// The columns are a decoder's; the side table says of which kind the whole is, and its tower.
Json with_tower(Json text) {
  Json whole = Json::object();
  whole["model_type"] = text["sees_like"];
  for (const char* key : {"vision_config", "tie_word_embeddings", "multimodal_projector_bias",
                          "scale_factor", "mm_tokens_per_image"})
    if (text.contains(key)) whole[key] = text[key];
  text.erase("vision_config");
  whole["text_config"] = std::move(text);
  return whole;
}

/// A configuration file with what the row says.
Json config_of(const catalog::Model& row) {
  Json config = Json::object();
  put_shape(row, config);
  put_experts(row, config);
  put_both_sides(row, config);
  put_more(row, config);
  // A tower's sizes stand in the columns, its text part beside it in the side table.
  if (config.contains("text_config") && !config.contains("vision_config")) {
    Json vision = config;
    vision.erase("model_type"), vision.erase("text_config");
    config["vision_config"] = std::move(vision);
  }
  if (!config.contains("sees_like")) return config;
  if (row.kind == "vlm") return with_tower(std::move(config));
  config.erase("vision_config");  // of the family's models that see
  return config;
}

/// Denoisers and other models whose blocks we do not count: equal shares, so that a part of them
/// can be placed elsewhere.
Model model_without_parts(const catalog::Model& row) {
  Model model;
  Architecture& shape = model.shape;
  shape.hidden = row.hidden, shape.vocab = row.vocab;
  Layer layer;
  layer.heads = row.heads, layer.kv_heads = row.kv_heads > 0 ? row.kv_heads : row.heads;
  layer.head_dim_k = row.head_dim;
  layer.head_dim_v = row.head_dim_v > 0 ? row.head_dim_v : row.head_dim;
  layer.ffn = row.ffn;
  shape.layers.assign(static_cast<std::size_t>(row.layers), layer);
  const std::int64_t share = row.layers > 0 ? row.parameters / row.layers : 0;
  for (std::int64_t i = 0; i < row.layers; ++i) {
    WeightGroup group;
    group.role = Role::feed_forward, group.layer = i;
    group.tensors = 1, group.parameters = share;
    model.weights.push_back(group);
    model.parameters += share;
  }
  return model;
}

/// Makes the sum of all groups the row's: what is left over is a tower where the model sees, else
/// unnamed; what is too much is taken from the largest group (a few norms, seen in published sums).
void meet_total(const catalog::Model& row, Model& model) {
  const std::int64_t left = row.parameters - model.parameters;
  model.parameters = row.parameters;
  if (left == 0 || (left < 0 && model.weights.empty())) return;
  if (left < 0) {
    auto largest = std::ranges::max_element(model.weights, {}, &WeightGroup::parameters);
    largest->parameters = std::max<std::int64_t>(largest->parameters + left, 0);
    return;
  }
  WeightGroup group;
  const bool sees = row.kind == "vlm" || row.kind == "speech";
  group.role = sees ? Role::tower : row.kind == "diffusion" ? Role::feed_forward : Role::other;
  if (row.more.contains("rest_is_mtp")) group.role = Role::mtp, model.mtp_parameters += left;
  group.tensors = 1, group.parameters = left;
  if (sees) model.shape.tower.parameters += left;
  model.weights.push_back(group);
}

void set_type(const catalog::Model& row, Model& model) {
  model.native_dtype = row.native_dtype;
  model.quantisation = quantisation_of_dtype(row.native_dtype);
  model.doubts.clear();  // defaults that a file would leave open are the side table's business
  if (row.native_dtype.empty()) model.doubts.push_back({"fit.doubt.dtype", {}});
  if (row.more.contains("cache_not_known")) model.doubts.push_back({"fit.doubt.cache", {}});
}

bool has_blocks(const catalog::Model& row) {
  return row.more.contains("model_type") && row.layers > 0 && row.hidden > 0;
}

}  // namespace

Result<Model> shapes_of_row(const catalog::Model& row) {
  constexpr std::int64_t most_layers = 10'000;
  if (row.layers > most_layers) return failure(row.name + ": layers: expected at most 10000");
  if (!has_blocks(row)) return model_without_parts(row);
  auto read = read_complete_config(config_of(row));
  if (!read) return failure(row.name + ": " + read.error().text);
  return read;
}

Result<Model> model_of_row(const catalog::Model& row) {
  auto model = shapes_of_row(row);
  if (!model) return model;
  model->name = row.name, model->where = "data/models.csv: " + row.hf_id;
  model->source = Source::catalogue;
  model->shape.family = row.family, model->shape.kind = kind_of(row.kind);
  if (row.max_context > 0) model->shape.max_context = row.max_context;
  meet_total(row, *model);
  model->active_parameters = row.active_parameters;
  set_type(row, *model);
  if (auto stored = store_weights(*model); !stored)
    return failure(row.name + ": " + stored.error().text);
  return model;
}

}  // namespace gpuready::fit
