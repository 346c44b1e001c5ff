#include "fit/safetensors.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "fit/byte_cursor.hpp"
#include "fit/safetensors_packing.hpp"
#include "fit/torch_names.hpp"
#include "fit/weight_groups.hpp"

namespace gpuready::fit {

namespace {

struct Found {
  const SafetensorsTensor* tensor = nullptr;
  Place place;
};

bool is_copy(const SafetensorsTensor& a, const SafetensorsTensor& b) {
  return a.shape == b.shape && a.dtype == b.dtype;
}

/// Blocks past the last layer are for multi-token prediction; layers that the shape does not have
/// have no number.
void settle_layer(const Architecture& shape, Place& place) {
  if (place.layer < static_cast<std::int64_t>(shape.layers.size())) return;
  if (!shape.layers.empty() && shape.mtp_layers > 0) place.role = Role::mtp;
  place.layer = -1;
}

/// Of a model for images alone the tower is the model; CLIP's text part stands beside it.
Place vision_place(std::string_view name, bool is_vector) {
  constexpr std::string_view tower = "vision_model.";
  if (base::starts_with(name, "text_model."))
    return {is_vector ? Role::norm : Role::other, -1, false};
  if (base::starts_with(name, tower)) name.remove_prefix(tower.size());
  return torch_place(name, is_vector, true);
}

Place place_of(const Architecture& shape, const SafetensorsTensor& tensor) {
  const bool is_vector = tensor.shape.size() < 2;
  if (shape.kind == ModelKind::vision && !shape.layers.empty())
    return vision_place(tensor.name, is_vector);
  return torch_place(tensor.name, is_vector, shape.encoder_layers == 0 && !shape.layers.empty());
}

std::vector<Found> places_of(const Architecture& shape,
                             const std::vector<SafetensorsHeader>& shards) {
  std::vector<Found> list;
  for (const SafetensorsHeader& shard : shards)
    for (const SafetensorsTensor& tensor : shard.tensors) {
      Place place = place_of(shape, tensor);
      settle_layer(shape, place);
      list.push_back({&tensor, place});
    }
  return list;
}

/// Tensors that are stored twice where embeddings are shared: the head, and those of encoder and
/// decoder beside the shared ones.
void drop_copies(const Architecture& shape, std::vector<Found>& list) {
  const auto is_shared = [](const Found& found) {
    return found.tensor->name == "shared.weight" || found.tensor->name == "model.shared.weight";
  };
  const auto is_table = [](const Found& found) {
    return found.place.role == Role::embedding && !found.place.stays_on_host;
  };
  const auto shared = std::ranges::find_if(list, is_shared);
  const auto table = shared != list.end() ? shared : std::ranges::find_if(list, is_table);
  if (table == list.end()) return;
  const SafetensorsTensor* const kept = table->tensor;
  const bool has_shared = shared != list.end();
  std::erase_if(list, [&](const Found& found) {
    if (found.tensor == kept || !is_copy(*found.tensor, *kept)) return false;
    const bool table_copy =
        has_shared && base::ends_with(found.tensor->name, "embed_tokens.weight");
    return table_copy || (shape.tied_embeddings && found.place.role == Role::output);
  });
}

Result<void> check_twice(const std::vector<SafetensorsHeader>& shards) {
  std::vector<std::pair<std::string_view, std::string_view>> names;
  for (const SafetensorsHeader& shard : shards)
    for (const SafetensorsTensor& tensor : shard.tensors)
      names.emplace_back(tensor.name, shard.file);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(
      names, [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice == names.end()) return {};
  return failure(std::string(twice->second) + ": the tensor " + in_quotes(twice->first) +
                 " is in " + std::string((twice + 1)->second) + " too");
}

/// The word for the type that takes most bytes.
std::string plain_dtype(const std::string& dtype) {
  if (dtype == "f32") return "fp32";
  if (dtype == "f16") return "fp16";
  return base::starts_with(dtype, "f8_") ? "fp8" : dtype;
}

void take_tie(const std::vector<Found>& list, Architecture& shape) {
  const auto has = [&](Role role) {
    return std::ranges::any_of(list, [&](const Found& f) { return f.place.role == role; });
  };
  const bool generates = shape.kind == ModelKind::llm || shape.kind == ModelKind::vlm;
  if (generates && has(Role::embedding) && !has(Role::output)) shape.tied_embeddings = true;
}

}  // namespace

Result<Model> with_safetensors(Model model, const std::vector<SafetensorsHeader>& shards) {
  if (const auto good = check_twice(shards); !good) return tl::unexpected(good.error());
  std::vector<Found> list = places_of(model.shape, shards);
  take_tie(list, model.shape);
  drop_copies(model.shape, list);
  const Packing packing(shards, model.quantisation);
  WeightGroups groups;
  for (const Found& found : list) {
    WeightGroup one;
    one.tensors = 1;
    one.elements = found.tensor->elements, one.bytes = found.tensor->bytes;
    one.parameters = packing.parameters(*found.tensor);
    if (const auto good = groups.add(found.place, found.tensor->dtype, one); !good)
      return failure(shards.front().file + ": " + good.error().text);
  }
  const std::int64_t computed = model.parameters;
  model.source = Source::file_header;
  model.weights = groups.groups();
  count_parameters(model);
  if (!packing.known()) {
    model.doubts.push_back({"fit.doubt-packing", {model.quantisation.method}});
    if (computed > 0) model.parameters = computed;
  }
  if (model.native_dtype.empty()) model.native_dtype = plain_dtype(groups.main_dtype());
  model.file_bytes = 0;
  for (const SafetensorsHeader& shard : shards)
    if (__builtin_add_overflow(model.file_bytes, shard.file_bytes, &model.file_bytes))
      return failure(shard.file + ": shards of more bytes than 64 bits count");
  return model;
}

Result<Model> model_of_safetensors(const std::vector<SafetensorsHeader>& shards) {
  Model model;
  if (!shards.empty()) model.where = shards.front().file;
  model.name = model.where.substr(model.where.find_last_of('/') + 1);
  model.shape_known = false;
  model.doubts.push_back({"fit.doubt-no-config", {}});
  return with_safetensors(std::move(model), shards);
}

}  // namespace gpuready::fit
