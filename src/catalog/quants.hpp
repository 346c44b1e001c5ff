#pragma once
/// data/quants.csv: what a type of weights (--dtype) stores of each kind of tensor.

#include <string>
#include <string_view>
#include <vector>

#include "catalog/rows.hpp"
#include "gpuready/result.hpp"

namespace gpuready::catalog {

/// Where in a model a tensor gets another type than the mix's base.
enum class QuantCondition {
  always,
  more,         ///< first and last eighth of the layers, and each third between
  first2,       ///< the first two layers
  first4,       ///< the first four
  sixteenth,    ///< the first sixteenth of the layers
  eighth,       ///< the first eighth
  last_eighth,  ///< the last eighth
  gqa4,         ///< at least four query heads for each key head
  experts4,     ///< at least four experts
  experts8,     ///< exactly eight experts
};

/// A type of ggml, and where it is taken.
struct QuantChoice {
  std::string type;
  QuantCondition when = QuantCondition::always;
};
/// The first that applies; the mix's base where none does.
using QuantChoices = std::vector<QuantChoice>;

struct Quant {
  std::string name;      ///< as --dtype takes it: q4_k_m, nf4
  bool gguf = false;     ///< a mix of ggml's types; false: a type of PyTorch's programs
  bool offered = false;  ///< common enough to be suggested
  std::string base;      ///< type of ggml; of PyTorch's, of what is not quantised
  QuantChoices embedding, output, attn_v, attn_k, attn_q, attn_output, ffn_gate_up, ffn_down;
  /// PyTorch's: bytes of a quantised element, bytes of each quantised row, and what is quantised:
  /// all, linears, experts.
  double linear_bytes = 0, row_bytes = 0;
  std::string parts, source, as_of;
};

/// The error names the file, the record and the column.
Result<std::vector<Quant>> load_quants(const Override& replaced);
/// The compiled-in ones, in the order of falling quality; one that cannot be read is left out.
const std::vector<Quant>& quants();
/// nullptr where there is none of this name (f16, fp16, float16 and half are one, so are f32, fp32
/// and float32, and bf16 and bfloat16).
const Quant* quant_named(std::string_view name, bool gguf);

}  // namespace gpuready::catalog
