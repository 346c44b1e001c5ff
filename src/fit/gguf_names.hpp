#pragma once
/// What llama.cpp's names of tensors say.

#include <cstdint>
#include <string_view>

#include "fit/weight_groups.hpp"

namespace gpuready::fit {

/// A name of a block's tensor in its parts: "blk.3.ffn_up.weight" is 3, "ffn_up".
struct GgufName {
  std::int64_t block = -1;  ///< -1: in no block
  bool in_encoder = false;  ///< enc.blk.N of encoder-decoder models
  std::string_view part;    ///< without the block and without .weight, .bias, .scale
  bool is_bias = false;
};

GgufName split_gguf_name(std::string_view name);

/// Where a tensor belongs. `layers` is the number of blocks that are not for multi-token
/// prediction; `is_vector` whether it has one dimension.
Place gguf_place(std::string_view name, std::int64_t layers, bool is_vector);

}  // namespace gpuready::fit
