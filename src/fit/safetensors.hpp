#pragma once
/// From safetensors headers to the weights of a model.

#include <vector>

#include "fit/model.hpp"
#include "fit/safetensors_header.hpp"
#include "gpuready/result.hpp"

namespace gpuready::fit {

/// `model` with the weights of these shards, exactly as stored: what the configuration said of
/// shape and quantisation stays, its computed weights go. A tied head that is stored beside the
/// embeddings counts once. The error names the file.
Result<Model> with_safetensors(Model model, const std::vector<SafetensorsHeader>& shards);

/// A model of weights without a configuration: what they take is known, what a context takes is
/// not, and a doubt says so.
Result<Model> model_of_safetensors(const std::vector<SafetensorsHeader>& shards);

}  // namespace gpuready::fit
