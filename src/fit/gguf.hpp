#pragma once
/// From GGUF files to a model: weights exactly as stored, the shape as llama.cpp takes it.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fit/byte_source.hpp"
#include "fit/model.hpp"
#include "gpuready/result.hpp"

namespace gpuready::fit {

/// Opens a file of this name beside another one.
using OpenSibling = std::function<Result<std::unique_ptr<ByteSource>>(const std::string& name)>;

/// The names of all shards of a split model, given the name (without folder) of one:
/// "x-00002-of-00003.gguf". Empty where the name is not of this form.
std::vector<std::string> gguf_shards(const std::string& name);

/// Reads a model from one file, or from all shards where `file` is one of a split model (the others
/// through `open`; its name() may be a path or an address). The error is one line; a missing shard
/// is named.
Result<Model> read_gguf(ByteSource& file, const OpenSibling& open);

}  // namespace gpuready::fit
