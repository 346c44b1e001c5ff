#include "fit/hf_config_stack.hpp"

#include "fit/parameters.hpp"

namespace gpuready::fit {

namespace {

Blueprint blueprint_of(const Stack& stack) {
  Blueprint plan;
  plan.shape.hidden = stack.hidden;
  make_blocks(stack, plan);
  return plan;
}

}  // namespace

void make_blocks(const Stack& stack, Blueprint& plan) {
  Block block;
  Layer& layer = block.layer;
  layer.heads = layer.kv_heads = stack.heads;
  const std::int64_t width = stack.attention_width > 0 ? stack.attention_width : stack.hidden;
  layer.head_dim_k = layer.head_dim_v = stack.heads > 0 ? width / stack.heads : 0;
  layer.ffn = stack.ffn;
  plan.blocks.assign(static_cast<std::size_t>(stack.layers), block);
  plan.norm = stack.norm;
  plan.norms = stack.norms;
  plan.shape.feed_forward = stack.feed_forward;
  plan.biases.q = plan.biases.v = stack.qkv_bias;
  plan.biases.k = stack.qkv_bias && stack.key_bias;
  plan.biases.out = stack.out_bias;
  plan.biases.ffn_in = plan.biases.ffn_out = stack.ffn_bias;
}

void count_stack(const Stack& stack, WeightBook& book) {
  const Blueprint plan = blueprint_of(stack);
  for (const Block& block : plan.blocks) count_block(plan, block, -1, book);
  book.vector(-1, stack.hidden, stack.vectors * stack.layers);
}

void add_part(const WeightBook& book, Role role, Blueprint& plan) {
  WeightGroup all{role, -1, {}, 0, 0, 0, 0};
  for (const WeightGroup& group : book.groups()) all.tensors += group.tensors;
  // An unsound book must not look like a small one.
  all.parameters = book.sound() ? book.parameters() : -1;
  plan.parts.push_back(all);
}

void count_linear(std::int64_t in, std::int64_t out, WeightBook& book) {
  book.matrix(Role::other, -1, in, out);
  book.vector(-1, out);
}

}  // namespace gpuready::fit
