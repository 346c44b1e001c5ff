#include "fit/gguf_names.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "fit/torch_names.hpp"

namespace gpuready::fit {

namespace {

using base::contains;
using base::ends_with;
using base::starts_with;

// Names: ggml-org/llama.cpp src/llama-arch.cpp, tools/mtmd/clip-impl.h.

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view p) { return starts_with(text, p); });
}

/// ffn_up_exps, ffn_gate_up_exps, and the ffn_up.7 of files from before 2024-04.
bool is_expert(std::string_view part) {
  if (!starts_with(part, "ffn_")) return false;
  const std::size_t dot = part.rfind('.');
  return contains(part, "_exps") || contains(part, "_chexps") ||
         (dot != std::string_view::npos && base::to_integer(part.substr(dot + 1)).has_value());
}

Role role_in_block(std::string_view part, bool is_vector) {
  if (starts_with_any(part, {"ffn_gate_inp", "exp_probs_b"})) return Role::router;
  if (is_expert(part)) return Role::experts;
  if (is_vector || contains(part, "norm")) return Role::norm;
  if (starts_with_any(part, {"attn_", "ssm_", "shortconv", "time_mix", "indexer", "cross_attn"}))
    return Role::attention;
  if (starts_with_any(part, {"ffn_", "channel_mix"})) return Role::feed_forward;
  return Role::other;
}

Place place_outside(std::string_view name, std::string_view part, bool is_vector) {
  if (part == "token_embd") return {Role::embedding, -1, false};
  // llama.cpp keeps its input layer in main memory.
  if (part == "per_layer_token_embd" || part == "position_embd" || part == "token_types")
    return {Role::embedding, -1, true};
  if (part == "output") return {is_vector ? Role::norm : Role::output, -1, false};
  if (starts_with_any(part, {"v.", "mm.", "a.", "resampler.", "adapter."}))
    return {Role::tower, -1, false};
  if (starts_with(part, "nextn.")) return {Role::mtp, -1, false};
  if (contains(part, "norm")) return {Role::norm, -1, false};
  if (starts_with_any(part, {"rope_", "cls", "altup_", "per_layer_"}))
    return {Role::other, -1, false};
  // Diffusion models keep the names that PyTorch gives.
  return torch_place(name, is_vector);
}

}  // namespace

GgufName split_gguf_name(std::string_view name) {
  GgufName split;
  split.is_bias = ends_with(name, ".bias");
  for (const std::string_view suffix : {".weight", ".bias", ".scale", ".input_scale"})
    if (ends_with(name, suffix)) {
      name.remove_suffix(suffix.size());
      break;
    }
  split.part = name;
  std::string_view rest = name;
  split.in_encoder = starts_with(rest, "enc.blk.");
  for (const std::string_view prefix : {"enc.blk.", "dec.blk.", "blk."})
    if (starts_with(rest, prefix)) {
      rest.remove_prefix(prefix.size());
      const std::size_t dot = rest.find('.');
      const auto block = base::to_integer(rest.substr(0, dot));
      if (!block || *block < 0 || dot == std::string_view::npos) return split;
      split.block = *block;
      split.part = rest.substr(dot + 1);
      return split;
    }
  return split;
}

Place gguf_place(std::string_view name, std::int64_t layers, bool is_vector) {
  const GgufName split = split_gguf_name(name);
  const bool one_dimension = is_vector || split.is_bias;
  if (split.block < 0) return place_outside(name, split.part, one_dimension);
  if (split.in_encoder) return {role_in_block(split.part, one_dimension), -1, false};
  if (split.block >= layers || starts_with(split.part, "nextn.")) return {Role::mtp, -1, false};
  return {role_in_block(split.part, one_dimension), split.block, false};
}

}  // namespace gpuready::fit
