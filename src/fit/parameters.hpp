#pragma once
/// Every tensor of a blueprint, counted: exact for the families that the readers know.

#include <string>
#include <vector>

#include "fit/blueprint.hpp"
#include "fit/weight_book.hpp"
#include "gpuready/result.hpp"

namespace gpuready::fit {

/// Tensors of one mixer; those of an attention block where `block` is one.
void count_mixer(const Blueprint& blueprint, const Block& block, std::int64_t index,
                 WeightBook& book);
/// Dense feed-forward, router, experts, shared experts.
void count_feed_forward(const Blueprint& blueprint, const Block& block, std::int64_t index,
                        WeightBook& book);
/// Mixer, feed-forward and norms of a block.
void count_block(const Blueprint& blueprint, const Block& block, std::int64_t index,
                 WeightBook& book);
/// `count` norms of this width.
void count_norms(NormKind kind, std::int64_t layer, std::int64_t width, std::int64_t count,
                 WeightBook& book);

/// The model of a blueprint: its layers, its weights by role and layer, all parameters and those of
/// one token. Weights stand in the native type or as `quantisation` stores them (storage.hpp).
/// The error says that the numbers are beyond what can be.
Result<Model> model_of(Blueprint blueprint, std::string native_dtype, Quantisation quantisation);

}  // namespace gpuready::fit
