#pragma once
/// Names of models taken apart: family, size and version on one side, how the weights are stored on
/// the other.

#include <string>
#include <string_view>
#include <vector>

namespace gpuready::fit {

struct ModelName {
  /// In order, lower case: "Meta-Llama-3.1-8B-Instruct-GGUF" gives llama, 3.1, 8b, instruct.
  std::vector<std::string> words;
  std::string dtype;       ///< as Resolved::dtype
  std::string format;      ///< a format that we do not estimate (mlx, exl2, onnx); empty: none
  bool four_bits = false;  ///< of `format`; where another width is said, `dtype` is its nearest
  bool dynamic = false;    ///< Unsloth's mixes (UD), which are larger than `dtype`'s
};

/// The part after the last slash counts.
ModelName take_apart(std::string_view name);
/// Without the words that tell base from chat models.
std::vector<std::string> without_sibling_words(const std::vector<std::string>& words);

}  // namespace gpuready::fit
