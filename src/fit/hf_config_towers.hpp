#pragma once
/// Towers that see: as parts of a decoder's file, or as the model itself.

#include <string_view>

#include "fit/config_keys.hpp"
#include "fit/hf_config_stack.hpp"

namespace gpuready::fit {

/// A transformer over patches of an image.
struct ImageTower {
  Stack stack;
  std::int64_t patch = 0, image = 0, channels = 3, frames = 1;
  std::int64_t positions = -1;  ///< rows of the table; -1: one per patch and class token; 0: none
  bool class_token = false, patch_bias = false, first_norm = false, final_norm = false;
  bool pooling_head = false;  ///< attention that pools (SigLIP)

  /// Patches of one image, with the class token.
  [[nodiscard]] std::int64_t tokens() const;
};

/// Sizes of a `vision_config` (or of a whole file) of this type.
ImageTower read_image_tower(ConfigKeys& keys, std::string_view model_type);
/// Patches, positions, blocks, norms.
void count_image_tower(const ImageTower& tower, WeightBook& book);
/// The tower is the model: its blocks are the model's layers.
void become_image_tower(const ImageTower& tower, ConfigKeys& keys, Blueprint& plan);

/// Adds tower and projector of `vision_config`, as the file's own `model_type` has them. A type
/// that is not known gets the usual tower, with a doubt. `keys`: those of the whole file.
void add_vision_tower(ConfigKeys& keys, std::string_view model_type, Blueprint& plan);

}  // namespace gpuready::fit
