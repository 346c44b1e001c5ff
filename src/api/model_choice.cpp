/// Which of a folder's files are the model.

#include <algorithm>
#include <set>
#include <string_view>

#include "api/model_folder.hpp"
#include "base/format.hpp"
#include "base/text.hpp"
#include "fit/gguf.hpp"

namespace gpuready::api {

namespace {

using base::contains;
using base::ends_with;
using base::starts_with;

std::string base_name(const std::string& file) { return file.substr(file.find_last_of('/') + 1); }

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

/// Whether a file's name has the type as a word: "model-Q4_K_M.gguf" has q4_k_m and not q4_k.
bool names_type(const std::string& file, const std::string& dtype) {
  const std::string name = base::lower(base_name(file));
  for (std::size_t at = name.find(dtype); at != std::string::npos; at = name.find(dtype, at + 1)) {
    const std::size_t end = at + dtype.size();
    if ((at == 0 || !is_word(name[at - 1])) && (end == name.size() || !is_word(name[end])))
      return true;
  }
  return false;
}

/// One name for each model: the first shard of split ones; no projectors or importance matrices.
std::vector<std::string> gguf_models(const std::vector<std::string>& files) {
  std::vector<std::string> models;
  for (const std::string& file : files) {
    const std::string name = base::lower(base_name(file));
    if (!ends_with(name, ".gguf") || contains(name, "mmproj") || contains(name, "imatrix"))
      continue;
    const std::vector<std::string> shards = fit::gguf_shards(base_name(file));
    if (shards.size() > 1 && shards.front() != base_name(file)) continue;
    models.push_back(file);
  }
  std::ranges::sort(models);
  return models;
}

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most; ++i)
    text += (i == 0 ? "" : ", ") + base::printable(names[i]);
  if (names.size() > most) text += base::format(" and {} more", names.size() - most);
  return text;
}

/// "model-00001-of-00003.safetensors": all three must be there.
Result<void> check_numbers(const std::vector<std::string>& chosen) {
  const std::set<std::string> there(chosen.begin(), chosen.end());
  std::set<std::string> seen;
  constexpr std::size_t numbers = std::string_view("00001-of-00003").size();
  constexpr std::string_view tail = ".safetensors";
  for (const std::string& file : chosen) {
    const std::string stem = file.substr(0, file.size() - tail.size());
    const std::string series = stem.substr(0, stem.size() - std::min(stem.size(), numbers));
    if (!seen.insert(series).second) continue;
    for (const std::string& shard : fit::gguf_shards(stem + ".gguf")) {
      std::string wanted = shard.substr(0, shard.size() - std::string_view(".gguf").size());
      wanted += tail;
      if (!there.contains(wanted)) return failure("the shard " + wanted + " is missing");
    }
  }
  return {};
}

}  // namespace

Result<GgufChoice> choose_gguf(const std::vector<std::string>& files, const std::string& dtype) {
  std::vector<std::string> models = gguf_models(files);
  if (models.empty()) return failure("no .gguf file of a model");
  if (models.size() == 1) return GgufChoice{models.front(), 1};
  const auto named = [&](const std::string& type) {
    std::vector<std::string> list;
    for (const std::string& file : models)
      if (names_type(file, type)) list.push_back(file);
    // Of variants (UD-Q4_K_M) the plain one has the shortest name.
    std::ranges::stable_sort(list, {}, [](const std::string& s) { return s.size(); });
    return list;
  };
  if (!dtype.empty()) {
    const std::vector<std::string> list = named(base::lower(dtype));
    if (!list.empty()) return GgufChoice{list.front(), 1};
    return failure(base::format("no GGUF file of type {}; there are {}", base::printable(dtype),
                                list_of(models)));
  }
  for (const char* type : {"q4_k_m", "q8_0"}) {
    const std::vector<std::string> list = named(type);
    if (!list.empty()) return GgufChoice{list.front(), models.size()};
  }
  return GgufChoice{models.front(), models.size()};
}

std::string choose_projector(const std::vector<std::string>& files, const std::string& prefix) {
  std::string chosen;
  for (const std::string& file : files) {
    const std::string name = base::lower(base_name(file));
    const bool here = prefix + base_name(file) == file;
    if (!here || !contains(name, "mmproj") || !ends_with(name, ".gguf")) continue;
    if (chosen.empty() || names_type(file, "f16")) chosen = file;
  }
  return chosen;
}

Result<std::vector<std::string>> choose_safetensors(const std::vector<std::string>& files,
                                                    const std::string& prefix) {
  std::vector<std::string> all, others;
  for (const std::string& file : files) {
    if (!starts_with(file, prefix) || !ends_with(file, ".safetensors") ||
        file.find('/', prefix.size()) != std::string::npos)
      continue;
    const std::string name = file.substr(prefix.size());
    if (name == "model.safetensors" || name == "diffusion_pytorch_model.safetensors")
      return std::vector<std::string>{file};
    // Mistral's own format beside that of transformers; adapters; variants of pipelines.
    const bool other = starts_with(name, "consolidated") || starts_with(name, "adapter_model") ||
                       contains(name, ".fp16.") || contains(name, "non_ema");
    (other ? others : all).push_back(file);
  }
  if (all.empty()) all = others;
  if (all.size() == 1 && starts_with(all.front().substr(prefix.size()), "adapter_model"))
    return failure("an adapter (LoRA) alone, expected a model; name its base model");
  std::ranges::sort(all);
  if (const auto good = check_numbers(all); !good) return tl::unexpected(good.error());
  return all;
}

}  // namespace gpuready::api
