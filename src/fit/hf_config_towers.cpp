#include "fit/hf_config_towers.hpp"

#include "fit/hf_config_blocks.hpp"
#include "fit/parameters.hpp"

namespace gpuready::fit {

namespace {

constexpr std::int64_t most_layers = 10'000;

/// What a kind of tower has beyond its sizes.
void set_parts(std::string_view type, ConfigKeys& keys, ImageTower& tower) {
  if (type == "clip_vision_model") {
    tower.class_token = tower.first_norm = tower.final_norm = true;
  } else if (type == "siglip_vision_model" || type == "siglip") {
    tower.patch_bias = tower.final_norm = true;
    tower.pooling_head = keys.flag({"vision_use_head"}, true);
  } else if (type == "pixtral") {
    tower.positions = 0, tower.first_norm = true;
    tower.stack.norm = NormKind::rms, tower.stack.feed_forward = FeedForward::gated;
    tower.stack.qkv_bias = tower.stack.out_bias = tower.stack.ffn_bias = false;
  }
}

}  // namespace

std::int64_t ImageTower::tokens() const {
  const std::int64_t side = patch > 0 ? image / patch : 0;
  return side * side + (class_token ? 1 : 0);
}

ImageTower read_image_tower(ConfigKeys& keys, std::string_view model_type) {
  ImageTower tower;
  Stack& stack = tower.stack;
  stack.hidden = keys.size({"hidden_size", "embed_dim"}, 768);
  stack.layers = keys.size({"num_hidden_layers", "depth", "num_layers"}, 12);
  stack.heads = keys.size({"num_attention_heads", "num_heads", "attention_heads"}, 12);
  stack.ffn = keys.size({"intermediate_size"}, 4 * stack.hidden);
  tower.patch = keys.size({"patch_size"}, 16), tower.image = keys.size({"image_size"}, 224);
  tower.channels = keys.size({"num_channels", "in_channels", "in_chans"}, 3);
  if (stack.layers > most_layers) keys.wrong("more than 10000 layers in the tower");
  constexpr std::int64_t longest_side = 100'000;
  if (tower.image > longest_side || tower.patch > longest_side || tower.channels > longest_side)
    keys.wrong("an image or patch of more than 100000 pixels");
  set_parts(model_type, keys, tower);
  return tower;
}

void count_image_tower(const ImageTower& tower, WeightBook& book) {
  const Stack& stack = tower.stack;
  book.matrix(Role::embedding, -1, tower.channels * tower.frames * tower.patch * tower.patch,
              stack.hidden);
  if (tower.patch_bias) book.vector(-1, stack.hidden);
  if (tower.class_token) book.vector(-1, stack.hidden);
  book.matrix(Role::embedding, -1, tower.positions < 0 ? tower.tokens() : tower.positions,
              stack.hidden);
  if (tower.first_norm) count_norms(stack.norm, -1, stack.hidden, 1, book);
  count_stack(stack, book);
  if (tower.final_norm) count_norms(stack.norm, -1, stack.hidden, 1, book);
  if (!tower.pooling_head) return;
  book.vector(-1, stack.hidden);
  count_linear(stack.hidden, 3 * stack.hidden, book);
  count_linear(stack.hidden, stack.hidden, book);
  count_norms(stack.norm, -1, stack.hidden, 1, book);
  count_linear(stack.hidden, stack.ffn, book);
  count_linear(stack.ffn, stack.hidden, book);
}

void become_image_tower(const ImageTower& tower, ConfigKeys& keys, Blueprint& plan) {
  Architecture& shape = plan.shape;
  shape.kind = ModelKind::vision;
  shape.hidden = tower.stack.hidden;
  shape.max_context = tower.tokens();
  shape.learned_positions = true, shape.rotary_part = 0;
  if (!keys.fault().empty()) return;
  make_blocks(tower.stack, plan);
  plan.head = plan.final_norm = false;
  WeightBook book;
  ImageTower around = tower;
  around.stack.layers = 0;
  count_image_tower(around, book);
  book.vector(-1, tower.stack.hidden, tower.stack.vectors * tower.stack.layers);
  add_part(book, Role::other, plan);
}

}  // namespace gpuready::fit
