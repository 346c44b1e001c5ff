#include "fit/hf_config_defaults.hpp"

#include <algorithm>
#include <array>

#include "catalog/config_defaults.hpp"
#include "fit/hf_config_blocks.hpp"

namespace gpuready::fit {

namespace {

/// Names of one meaning, of which a file has one.
const std::array<KeyNames, 9>& meanings() {
  static const std::array<KeyNames, 9> all{
      hidden_names,
      layer_names,
      head_names,
      kv_head_names,
      ffn_names,
      expert_names,
      top_k_names,
      context_names,
      KeyNames{"sliding_window", "attention_window_size", "attention_chunk_size"}};
  return all;
}

bool is_one_of(const std::string& key, const KeyNames& names) {
  return std::find(names.begin(), names.end(), key) != names.end();
}

bool says(const base::Json& object, const std::string& key) {
  if (object.contains(key)) return true;
  return std::ranges::any_of(meanings(), [&](const KeyNames& names) {
    return is_one_of(key, names) && std::any_of(names.begin(), names.end(), [&](auto name) {
             return object.contains(std::string(name));
           });
  });
}

}  // namespace

base::Json with_defaults(const base::Json& object, std::string_view model_type, Part part,
                         std::string& taken) {
  base::Json out = object;
  constexpr std::size_t most_keys = 10'000;  // more are refused by who reads them
  if (!object.is_object() || object.size() > most_keys) return out;
  for (const auto& [key, value] : catalog::config_defaults(model_type)) {
    if (says(object, key)) continue;
    if (part == Part::whole && (is_one_of(key, hidden_names) || is_one_of(key, layer_names)))
      continue;
    out[key] = value;
    taken += (taken.empty() ? "" : ", ") + key + " = " + std::to_string(value);
  }
  return out;
}

}  // namespace gpuready::fit
