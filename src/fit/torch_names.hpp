#pragma once
/// What PyTorch's names of tensors say: transformers, diffusers, sentence-transformers, timm.

#include <string_view>

#include "fit/weight_groups.hpp"

namespace gpuready::fit {

/// Where a tensor belongs, by its name alone: "model.layers.3.mlp.experts.7.up_proj.weight" is an
/// expert of layer 3. `is_vector`: it has one dimension. Blocks of towers and encoders beside a
/// decoder have layer -1; `encoder_alone`: there is no decoder, and the encoder's blocks count.
Place torch_place(std::string_view name, bool is_vector, bool encoder_alone = false);

}  // namespace gpuready::fit
