#pragma once
/// What a GGUF's metadata and names of tensors say of the model's shape.

#include <string>
#include <vector>

#include "fit/gguf_header.hpp"
#include "fit/model.hpp"

namespace gpuready::fit {

/// The shape as llama.cpp takes it from this file; `header` has the tensors of all shards. What is
/// not certain goes to `doubts`. The error names the key.
Result<Architecture> shape_of_gguf(const GgufHeader& header, std::vector<Message>& doubts);

}  // namespace gpuready::fit
