#include "api/model_folder.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/json.hpp"
#include "base/text.hpp"
#include "fit/gguf.hpp"
#include "fit/hf_config.hpp"
#include "fit/safetensors.hpp"
#include "fit/safetensors_header.hpp"

namespace gpuready::api {

namespace {

using base::ends_with;
using base::Json;
using base::starts_with;
using Files = std::vector<std::string>;

bool has(const Files& files, const std::string& name) {
  return std::ranges::find(files, name) != files.end();
}

bool has_ending(const Files& files, std::string_view ending) {
  return std::ranges::any_of(files, [&](const std::string& f) { return ends_with(f, ending); });
}

tl::unexpected<Error> in_folder(ModelFolder& folder, const Error& error) {
  return failure(folder.name() + ": " + error.text, error.code);
}

/// The index of the safetensors in `prefix`; empty where there is none.
std::string index_of(const Files& files, const std::string& prefix) {
  for (const char* name :
       {"model.safetensors.index.json", "diffusion_pytorch_model.safetensors.index.json"})
    if (has(files, prefix + name)) return prefix + name;
  return {};
}

Result<fit::SafetensorsHeader> read_header(ModelFolder& folder, const std::string& file) {
  auto source = folder.open(file);
  if (!source) return tl::unexpected(source.error());
  return fit::read_safetensors_header(**source);
}

Result<std::vector<fit::SafetensorsHeader>> read_indexed(ModelFolder& folder, const Files& files,
                                                         const std::string& prefix,
                                                         const std::string& index_file) {
  const auto text = read_text(folder, index_file);
  if (!text) return tl::unexpected(text.error());
  const auto index = fit::read_safetensors_index(*text, index_file);
  if (!index) return in_folder(folder, index.error());
  std::vector<fit::SafetensorsHeader> shards;
  for (const std::string& file : index->files) {
    if (!has(files, prefix + file))
      return failure(folder.name() + ": the shard " + prefix + file + " is missing, which " +
                     index_file + " names");
    auto header = read_header(folder, prefix + file);
    if (!header) return tl::unexpected(header.error());
    shards.push_back(std::move(*header));
  }
  if (const auto good = fit::check_index(*index, shards); !good)
    return in_folder(folder, good.error());
  return shards;
}

Result<std::vector<fit::SafetensorsHeader>> read_shards(ModelFolder& folder, const Files& files,
                                                        const std::string& prefix) {
  const std::string index = index_of(files, prefix);
  if (!index.empty()) return read_indexed(folder, files, prefix, index);
  const auto chosen = choose_safetensors(files, prefix);
  if (!chosen) return in_folder(folder, chosen.error());
  std::vector<fit::SafetensorsHeader> shards;
  for (const std::string& file : *chosen) {
    auto header = read_header(folder, file);
    if (!header) return tl::unexpected(header.error());
    shards.push_back(std::move(*header));
  }
  return shards;
}

Result<fit::Model> read_config(ModelFolder& folder) {
  const auto text = read_text(folder, "config.json");
  if (!text) return tl::unexpected(text.error());
  auto model = fit::read_hf_config(*text);
  if (!model) return in_folder(folder, model.error());
  return model;
}

/// The weights exactly, with the shape that the configuration gives.
Result<fit::Model> read_transformers(ModelFolder& folder, const Files& files) {
  const auto shards = read_shards(folder, files, "");
  if (!shards) return tl::unexpected(shards.error());
  if (!has(files, "config.json")) return fit::model_of_safetensors(*shards);
  auto config = read_config(folder);
  if (config) return fit::with_safetensors(std::move(*config), *shards);
  auto model = fit::model_of_safetensors(*shards);
  if (model) model->doubts = {{"fit.doubt-config", {config.error().text}}};
  return model;
}

/// Adds what turns images or sound into tokens, which runtimes load from its own file beside.
Result<void> add_projector(ModelFolder& folder, const std::string& file, fit::Model& model) {
  auto source = folder.open(file);
  if (!source) return tl::unexpected(source.error());
  const auto tower =
      fit::read_gguf(**source, [&](const std::string& name) { return folder.open(name); });
  if (!tower) return tl::unexpected(tower.error());
  constexpr std::int64_t most = std::int64_t{1} << 60U;
  if (model.file_bytes > most || tower->file_bytes > most || model.parameters > most ||
      tower->parameters > most)
    return failure(folder.name() + ": files of more bytes than 64 bits count");
  model.weights.insert(model.weights.end(), tower->weights.begin(), tower->weights.end());
  model.parameters += tower->parameters, model.file_bytes += tower->file_bytes;
  model.shape.tower = tower->shape.tower;
  model.shape.kind = fit::ModelKind::vlm;
  model.doubts.push_back({"fit.doubt-projector", {base::printable(file)}});
  return {};
}

Result<fit::Model> read_ggufs(ModelFolder& folder, const Files& files, const std::string& dtype) {
  const auto choice = choose_gguf(files, dtype);
  if (!choice) return in_folder(folder, choice.error());
  const std::string prefix = choice->file.substr(0, choice->file.find_last_of('/') + 1);
  auto source = folder.open(choice->file);
  if (!source) return tl::unexpected(source.error());
  auto model =
      fit::read_gguf(**source, [&](const std::string& name) { return folder.open(prefix + name); });
  if (model && choice->of > 1)
    model->doubts.push_back(
        {"fit.doubt-one-of", {base::printable(choice->file), std::to_string(choice->of)}});
  const std::string projector = choose_projector(files, prefix);
  if (!model || projector.empty()) return model;
  if (const auto good = add_projector(folder, projector, *model); !good)
    return tl::unexpected(good.error());
  return model;
}

std::int64_t whole(const Json& config, const char* key) {
  const auto it = config.find(key);
  constexpr std::int64_t most = std::int64_t{1} << 20U;
  if (it == config.end() || !it->is_number_unsigned()) return 0;
  return std::min(it->get<std::int64_t>(), most);
}

/// What diffusers' configuration of a transformer says of its shape; a U-Net's says no such thing.
void take_denoiser_shape(ModelFolder& folder, const std::string& prefix, fit::Architecture& shape) {
  const auto text = read_text(folder, prefix + "config.json");
  if (!text) return;
  const auto config = base::parse_json(*text);
  if (!config || !config->is_object()) return;
  const std::int64_t heads = whole(*config, "num_attention_heads");
  shape.hidden = heads * whole(*config, "attention_head_dim");
  constexpr std::int64_t most_layers = 4096;
  const std::int64_t layers =
      std::min(whole(*config, "num_layers") + whole(*config, "num_single_layers"), most_layers);
  fit::Layer layer;
  layer.mixer = fit::Mixer::none;
  layer.heads = heads;
  layer.ffn = 4 * shape.hidden;  // the ratio of diffusers' feed-forward parts
  shape.layers.assign(static_cast<std::size_t>(layers), layer);
}

fit::Component component_of(const std::string& name, const fit::Model& model) {
  fit::Component component{name, model.native_dtype, model.parameters, 0};
  for (const fit::WeightGroup& group : model.weights) component.bytes += group.bytes;
  return component;
}

/// The folders that model_index.json of a pipeline names: [library, class] of each.
Result<Files> components_of(ModelFolder& folder, std::string& family) {
  const auto text = read_text(folder, "model_index.json");
  if (!text) return tl::unexpected(text.error());
  const auto index = base::parse_json(*text);
  if (!index || !index->is_object())
    return failure(folder.name() + ": model_index.json is no JSON object");
  Files names;
  for (const auto& [name, value] : index->items()) {
    if (name == "_class_name" && value.is_string())
      family = base::printable(value.get<std::string>());
    if (value.is_array() && value.size() == 2 && value[0].is_string()) names.push_back(name);
  }
  return names;
}

Result<fit::Model> read_pipeline(ModelFolder& folder, const Files& files) {
  fit::Model pipeline;
  const auto names = components_of(folder, pipeline.shape.family);
  if (!names) return tl::unexpected(names.error());
  std::vector<fit::Component> beside;
  bool found = false;
  for (const std::string& name : *names) {
    const std::string prefix = name + "/";
    if (!std::ranges::any_of(files, [&](const std::string& file) {
          return starts_with(file, prefix) && ends_with(file, ".safetensors");
        }))
      continue;
    const auto shards = read_shards(folder, files, prefix);
    if (!shards) return tl::unexpected(shards.error());
    fit::Model base;
    const bool denoiser = !found && (name == "transformer" || name == "unet" || name == "prior");
    if (denoiser) {
      base.shape.family = pipeline.shape.family;
      base.shape.kind = fit::ModelKind::diffusion;
      take_denoiser_shape(folder, prefix, base.shape);
    }
    auto part = fit::with_safetensors(std::move(base), *shards);
    if (!part) return part;
    if (denoiser)
      pipeline = std::move(*part), found = true;
    else
      beside.push_back(component_of(name, *part));
  }
  if (!found)
    return failure(folder.name() +
                   ": a pipeline without safetensors in transformer or unet, expected them");
  pipeline.components = std::move(beside);
  return pipeline;
}

}  // namespace

Result<std::string> read_text(ModelFolder& folder, const std::string& file) {
  auto source = folder.open(file);
  if (!source) return tl::unexpected(source.error());
  const auto size = (*source)->size();
  if (!size) return tl::unexpected(size.error());
  constexpr std::int64_t most = std::int64_t{64} << 20U;  // indexes have some MiB
  if (*size > most)
    return failure(folder.name() + ": " + file + " has " + std::to_string(*size) +
                   " bytes, expected a text of less than 64 MiB");
  return (*source)->read(0, *size);
}

Result<fit::Model> read_model_folder(ModelFolder& folder, const std::string& dtype) {
  const auto files = folder.files();
  if (!files) return tl::unexpected(files.error());
  const bool gguf = has_ending(*files, ".gguf");
  const bool wants_gguf = gguf && !dtype.empty() && choose_gguf(*files, dtype).has_value();
  Result<fit::Model> model = failure("");
  if (has(*files, "model_index.json")) {
    model = read_pipeline(folder, *files);
  } else if (has_ending(*files, ".safetensors") && !wants_gguf) {
    model = read_transformers(folder, *files);
  } else if (gguf) {
    model = read_ggufs(folder, *files, dtype);
  } else if (has(*files, "config.json")) {
    model = read_config(folder);
    const std::string index = index_of(*files, "");
    if (model && !index.empty()) model->doubts.push_back({"fit.doubt-no-shards", {index}});
  } else {
    return failure(folder.name() +
                   ": no model in it, expected config.json, *.safetensors, *.gguf or "
                   "model_index.json");
  }
  if (!model) return model;
  model->name = folder.model_name();
  model->where = folder.name();
  return model;
}

}  // namespace gpuready::api
