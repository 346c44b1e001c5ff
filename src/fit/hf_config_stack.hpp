#pragma once
/// Stacks of equal encoder blocks: towers beside a decoder, and encoders of their own.

#include <cstdint>

#include "fit/blueprint.hpp"
#include "fit/weight_book.hpp"

namespace gpuready::fit {

/// Equal blocks of attention (as many KV heads as heads) and a feed-forward.
struct Stack {
  std::int64_t layers = 0, hidden = 0, heads = 0, ffn = 0;
  std::int64_t attention_width = 0;  ///< heads x head width; 0: the hidden size
  NormKind norm = NormKind::layer;
  std::int64_t norms = 2;
  FeedForward feed_forward = FeedForward::plain;
  bool qkv_bias = true, key_bias = true, out_bias = true, ffn_bias = true;
  std::int64_t vectors = 0;  ///< further vectors of the hidden size (layer scale)
};

/// Every tensor of the stack as groups of layer -1 with their own roles.
void count_stack(const Stack& stack, WeightBook& book);
/// The same as blocks of a blueprint, which then counts them itself.
void make_blocks(const Stack& stack, Blueprint& plan);
/// Adds all that `book` holds to the plan as one part of this role.
void add_part(const WeightBook& book, Role role, Blueprint& plan);
/// A linear layer with a bias.
void count_linear(std::int64_t in, std::int64_t out, WeightBook& book);

}  // namespace gpuready::fit
