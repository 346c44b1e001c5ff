#include "catalog/models.hpp"

#include <utility>

namespace gpuready::catalog {

namespace {

/// What the columns cannot say of one model, or of all of a family ("family:llama3").
struct More {
  std::string model, key, value;
};

More read_more(Cells& cells) {
  return {cells.text("model"), cells.text("key"), cells.text("value")};
}

std::int64_t or_zero(Cells& cells, const std::string& column) {
  return cells.maybe_integer(column).value_or(0);
}

void read_shape(Cells& cells, Model& model) {
  model.layers = or_zero(cells, "layers"), model.hidden = or_zero(cells, "hidden");
  model.heads = or_zero(cells, "heads"), model.kv_heads = or_zero(cells, "kv_heads");
  model.head_dim = or_zero(cells, "head_dim"), model.head_dim_v = or_zero(cells, "head_dim_v");
  model.ffn = or_zero(cells, "ffn"), model.vocab = or_zero(cells, "vocab");
  model.tied_embeddings = cells.maybe_boolean("tied_embeddings");
  model.attention = cells.maybe("attention");
  model.sliding_window = or_zero(cells, "sliding_window");
  model.sliding_pattern = or_zero(cells, "sliding_pattern");
  model.full_attention_layers = cells.maybe_integer("full_attention_layers");
  model.kv_lora_rank = or_zero(cells, "kv_lora_rank");
  model.qk_rope_head_dim = or_zero(cells, "qk_rope_head_dim");
}

void read_experts(Cells& cells, Model& model) {
  model.experts = or_zero(cells, "experts");
  model.experts_per_token = or_zero(cells, "experts_per_token");
  model.moe_ffn = or_zero(cells, "moe_ffn");
  model.shared_expert_ffn = or_zero(cells, "shared_expert_ffn");
  model.dense_layers = or_zero(cells, "dense_layers");
}

Model read_model(Cells& cells) {
  Model model;
  model.name = cells.text("name"), model.hf_id = cells.text("hf_id");
  model.family = cells.text("family"), model.kind = cells.text("kind");
  model.parameters = cells.integer("params_total");
  model.active_parameters = or_zero(cells, "params_active");
  read_shape(cells, model);
  read_experts(cells, model);
  model.max_context = or_zero(cells, "max_context");
  model.native_dtype = cells.maybe("native_dtype"), model.released = cells.maybe("released");
  model.source = cells.text("source"), model.as_of = cells.text("as_of");
  return model;
}

}  // namespace

Result<std::vector<Model>> load_models(const Override& replaced) {
  auto models = read_table<Model>("models.csv", replaced, read_model);
  if (!models) return models;
  const auto more = read_table<More>("model_layers.csv", replaced, read_more);
  if (!more) return tl::unexpected(more.error());
  // A user's own models.csv need not have the models that the side table speaks of.
  std::multimap<std::string, const More*> by_model;
  for (const More& row : *more) by_model.emplace(row.model, &row);
  for (Model& model : *models) {
    const auto add = [&](const std::string& name) {
      const auto [begin, end] = by_model.equal_range(name);
      for (auto it = begin; it != end; ++it) model.more[it->second->key] = it->second->value;
    };
    add("family:" + model.family);
    add(model.name);
  }
  return models;
}

}  // namespace gpuready::catalog
