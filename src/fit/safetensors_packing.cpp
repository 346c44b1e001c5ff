#include "fit/safetensors_packing.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"

namespace gpuready::fit {

namespace {

using base::ends_with;

/// Tensors beside the weights of a quantised layer, by the last part of their names: AutoGPTQ and
/// AutoAWQ (qzeros, g_idx), bitsandbytes (absmax to weight_format), compressed-tensors, ModelOpt
/// and FP8 (the rest).
constexpr std::array<std::string_view, 24> beside{"qzeros",
                                                  "g_idx",
                                                  "absmax",
                                                  "quant_map",
                                                  "nested_absmax",
                                                  "nested_quant_map",
                                                  "SCB",
                                                  "weight_format",
                                                  "weight_scale",
                                                  "weight_scale_inv",
                                                  "weight_scale_2",
                                                  "input_scale",
                                                  "output_scale",
                                                  "weight_zero_point",
                                                  "weight_shape",
                                                  "weight_g_idx",
                                                  "k_scale",
                                                  "v_scale",
                                                  "q_scale",
                                                  "weight_global_scale",
                                                  "input_global_scale",
                                                  "input_zero_point",
                                                  "activation_scale",
                                                  "prob_output_scale"};

/// What a module keeps that training does not change.
constexpr std::array<std::string_view, 11> buffers{
    "inv_freq",    "position_ids", "num_batches_tracked", "running_mean",
    "running_var", "masked_bias",  "rotary_pos_emb",      "slope_rate",
    "query_decay", "key_decay",    "diagonal_decay"};

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, word) != words.end();
}

std::string joined(std::string_view stem, std::string_view leaf) {
  return stem.empty() ? std::string(leaf) : std::string(stem) + "." + std::string(leaf);
}

}  // namespace

Packing::Packing(const std::vector<SafetensorsHeader>& shards, Quantisation quantisation)
    : quantisation_(std::move(quantisation)) {
  for (const SafetensorsHeader& shard : shards)
    for (const SafetensorsTensor& tensor : shard.tensors) names_.insert(tensor.name);
}

bool Packing::known() const {
  static constexpr std::array<std::string_view, 7> codes{"aqlm", "quip",  "vptq", "hqq",
                                                         "spqr", "higgs", "exl2"};
  return !is_one_of(base::lower(quantisation_.method), codes);
}

bool Packing::is_beside(std::string_view stem, std::string_view leaf) const {
  if (is_one_of(leaf, beside) || is_one_of(leaf, buffers)) return true;
  if (base::contains(stem, ".quant_state")) return true;
  // The constants of Apertus's activation; its alphas are learnt.
  if (ends_with(stem, "act_fn") && (leaf == "beta" || leaf == "eps")) return true;
  if (leaf == "scales") return has(joined(stem, "qweight")) || has(joined(stem, "weight"));
  if (leaf == "biases") return has(joined(stem, "scales"));
  // gpt-oss: gate_up_proj_blocks and gate_up_proj_scales.
  constexpr std::string_view scales = "_scales";
  return ends_with(leaf, scales) &&
         has(joined(stem, leaf.substr(0, leaf.size() - scales.size())) + "_blocks");
}

std::int64_t Packing::per_element(const SafetensorsTensor& tensor, std::string_view stem,
                                  std::string_view leaf) const {
  const bool words = tensor.dtype == "i32" || tensor.dtype == "u32";
  const bool bytes = tensor.dtype == "u8";
  if ((leaf == "qweight" || leaf == "weight_packed") && words) return 32;
  if (leaf == "weight_packed" && bytes) return 8;
  if (leaf == "weight" && tensor.dtype == "u32" && has(joined(stem, "scales"))) return 32;  // MLX
  if (!bytes) return 0;
  // Two of 4 bits in a byte: bitsandbytes, MXFP4 and NVFP4.
  constexpr std::string_view blocks = "_blocks";
  const bool in_blocks = ends_with(leaf, blocks) &&
                         has(joined(stem, leaf.substr(0, leaf.size() - blocks.size())) + "_scales");
  const bool scaled = leaf == "weight" && has(joined(stem, "weight_scale"));
  return in_blocks || scaled || has(tensor.name + ".absmax") ? 8 : 0;
}

std::int64_t Packing::parameters(const SafetensorsTensor& tensor) const {
  const std::string_view name = tensor.name;
  const std::size_t dot = name.rfind('.');
  const std::string_view leaf = dot == std::string_view::npos ? name : name.substr(dot + 1);
  const std::string_view stem = dot == std::string_view::npos ? "" : name.substr(0, dot);
  if (is_beside(stem, leaf)) return 0;
  // GPT-2's causal masks.
  if (leaf == "bias" && tensor.shape.size() == 4) return 0;
  const std::int64_t bits_there = per_element(tensor, stem, leaf);
  if (bits_there == 0) return tensor.elements;
  constexpr std::int64_t usual_bits = 4;
  const std::int64_t told = quantisation_.bits > 0 ? quantisation_.bits : usual_bits;
  const std::int64_t bits = std::min(told, bits_there);
  std::int64_t all = 0;
  if (__builtin_mul_overflow(tensor.elements, bits_there, &all)) return tensor.elements;
  return all / bits;
}

}  // namespace gpuready::fit
