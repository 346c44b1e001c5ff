/// Towers and projectors of decoders that see. Defaults are those of transformers 5.24.

#include <array>

#include "fit/hf_config_blocks.hpp"
#include "fit/hf_config_towers.hpp"
#include "fit/parameters.hpp"

namespace gpuready::fit {

namespace {

/// What a reader of a tower works with.
struct See {
  ConfigKeys& whole;
  ConfigKeys& vision;
  std::int64_t text_hidden;
  WeightBook& book;
  Tower& tower;
};

void note(const See& see, const Stack& stack, std::int64_t tokens) {
  see.tower.layers = stack.layers, see.tower.hidden = stack.hidden;
  see.tower.heads = stack.heads, see.tower.ffn = stack.ffn;
  see.tower.tokens = tokens;
}

ImageTower usual_tower(const See& see, std::string_view fallback_type) {
  const std::string said = see.vision.text({"model_type"});
  const ImageTower tower =
      read_image_tower(see.vision, said.empty() ? fallback_type : std::string_view(said));
  note(see, tower.stack, tower.tokens());
  if (see.vision.fault().empty()) count_image_tower(tower, see.book);
  return tower;
}

void see_llava(const See& see) {
  const ImageTower tower = usual_tower(see, "clip_vision_model");
  const bool bias = see.whole.flag({"multimodal_projector_bias"}, true);
  see.book.matrix(Role::other, -1, tower.stack.hidden, see.text_hidden);
  see.book.matrix(Role::other, -1, see.text_hidden, see.text_hidden);
  if (bias) see.book.vector(-1, see.text_hidden, 2);
}

void see_llava_next(const See& see) {
  see_llava(see);
  see.book.vector(-1, see.text_hidden);  // what ends a row of patches
}

void see_gemma3(const See& see) {
  const ImageTower tower = usual_tower(see, "siglip_vision_model");
  see.book.matrix(Role::other, -1, tower.stack.hidden, see.text_hidden);
  see.book.vector(-1, tower.stack.hidden);
  see.tower.tokens = see.whole.size({"mm_tokens_per_image"}, 256);
}

void see_paligemma(const See& see) {
  const ImageTower tower = usual_tower(see, "siglip_vision_model");
  count_linear(tower.stack.hidden, see.text_hidden, see.book);
}

void see_idefics3(const See& see) {
  const ImageTower tower = usual_tower(see, "idefics3_vision");
  const std::int64_t scale = see.whole.size({"scale_factor"}, 2);
  see.book.vector(-1, tower.stack.hidden);  // bias of the patches
  count_norms(NormKind::layer, -1, tower.stack.hidden, 1, see.book);
  see.book.matrix(Role::other, -1, tower.stack.hidden * scale * scale, see.text_hidden);
  see.tower.tokens = scale > 0 ? tower.tokens() / (scale * scale) : 0;
}

void see_mistral3(const See& see) {
  const ImageTower tower = usual_tower(see, "pixtral");
  const std::int64_t merge = see.whole.size({"spatial_merge_size"}, 2);
  const std::int64_t hidden = tower.stack.hidden;
  see.book.vector(-1, hidden);
  see.book.matrix(Role::other, -1, hidden * merge * merge, hidden);
  see.book.matrix(Role::other, -1, hidden, see.text_hidden);
  see.book.matrix(Role::other, -1, see.text_hidden, see.text_hidden);
  if (see.whole.flag({"multimodal_projector_bias"}, false)) see.book.vector(-1, see.text_hidden, 2);
}

/// Patches over two frames, and a merger of 2 x 2 patches into one token of the decoder.
ImageTower read_qwen_tower(const See& see, std::int64_t hidden) {
  ImageTower tower = read_image_tower(see.vision, "qwen");
  tower.stack.hidden = hidden;
  tower.frames = see.vision.size({"temporal_patch_size"}, 2);
  tower.positions = 0;
  return tower;
}

void see_qwen2_vl(const See& see) {
  const std::int64_t hidden = see.vision.size({"embed_dim"}, 1280);
  ImageTower tower = read_qwen_tower(see, hidden);
  tower.stack.layers = see.vision.size({"depth"}, 32);
  tower.stack.heads = see.vision.size({"num_heads"}, 16);
  tower.patch = see.vision.size({"patch_size", "spatial_patch_size"}, 14);
  tower.stack.ffn = hidden * see.vision.size({"mlp_ratio"}, 4);
  const std::int64_t merge = see.vision.size({"spatial_merge_size"}, 2);
  note(see, tower.stack, 0);
  if (!see.vision.fault().empty()) return;
  count_image_tower(tower, see.book);
  const std::int64_t wide = hidden * merge * merge;
  count_norms(NormKind::layer, -1, hidden, 1, see.book);
  count_linear(wide, wide, see.book);
  count_linear(wide, see.vision.size({"hidden_size"}, see.text_hidden), see.book);
}

void see_qwen2_5_vl(const See& see) {
  const std::int64_t hidden = see.vision.size({"hidden_size"}, 1280);
  ImageTower tower = read_qwen_tower(see, hidden);
  tower.stack.layers = see.vision.size({"depth"}, 32);
  tower.stack.heads = see.vision.size({"num_heads"}, 16);
  tower.patch = see.vision.size({"patch_size", "spatial_patch_size"}, 14);
  tower.stack.ffn = see.vision.size({"intermediate_size"}, 3420);
  tower.stack.norm = NormKind::rms, tower.stack.feed_forward = FeedForward::gated;
  const std::int64_t merge = see.vision.size({"spatial_merge_size"}, 2);
  note(see, tower.stack, 0);
  if (!see.vision.fault().empty()) return;
  count_image_tower(tower, see.book);
  const std::int64_t wide = hidden * merge * merge;
  see.book.vector(-1, hidden);
  count_linear(wide, wide, see.book);
  count_linear(wide, see.vision.size({"out_hidden_size"}, see.text_hidden), see.book);
}

/// Qwen3-VL takes states of some inner layers too, each through a merger of its own.
void see_qwen3_vl(const See& see) {
  ImageTower tower = read_qwen_tower(see, see.vision.size({"hidden_size"}, 1152));
  tower.patch_bias = true;
  tower.positions = see.vision.size({"num_position_embeddings"}, 2304);
  tower.stack.layers = see.vision.size({"depth"}, 27);
  tower.stack.heads = see.vision.size({"num_heads"}, 16);
  tower.stack.ffn = see.vision.size({"intermediate_size"}, 4304);
  const std::int64_t merge = see.vision.size({"spatial_merge_size"}, 2);
  note(see, tower.stack, 0);
  if (!see.vision.fault().empty()) return;
  count_image_tower(tower, see.book);
  const std::int64_t wide = tower.stack.hidden * merge * merge;
  const std::int64_t out = see.vision.size({"out_hidden_size"}, see.text_hidden);
  const std::size_t deep = see.vision.sizes({"deepstack_visual_indexes"}).size();
  for (std::size_t i = 0; i <= deep; ++i) {
    // The last merger norms patches, the deep ones what they have joined.
    count_norms(NormKind::layer, -1, i == 0 ? tower.stack.hidden : wide, 1, see.book);
    count_linear(wide, wide, see.book);
    count_linear(wide, out, see.book);
  }
}

struct SeeFamily {
  std::string_view model_type;
  void (*read)(const See& see);
};

constexpr std::array families{
    SeeFamily{"llava", see_llava},         SeeFamily{"llava_next", see_llava_next},
    SeeFamily{"vipllava", see_llava},      SeeFamily{"gemma3", see_gemma3},
    SeeFamily{"paligemma", see_paligemma}, SeeFamily{"idefics3", see_idefics3},
    SeeFamily{"smolvlm", see_idefics3},    SeeFamily{"mistral3", see_mistral3},
    SeeFamily{"qwen2_vl", see_qwen2_vl},   SeeFamily{"qwen2_5_vl", see_qwen2_5_vl},
    SeeFamily{"qwen3_vl", see_qwen3_vl},   SeeFamily{"qwen3_vl_moe", see_qwen3_vl},
    SeeFamily{"qwen3_5", see_qwen3_vl},    SeeFamily{"qwen3_5_moe", see_qwen3_vl},
};

}  // namespace

void add_vision_tower(ConfigKeys& keys, std::string_view model_type, Blueprint& plan) {
  const base::Json* object = keys.object("vision_config");
  if (object == nullptr) return;
  ConfigKeys vision(*object);
  WeightBook book;
  const See see{keys, vision, plan.shape.hidden, book, plan.shape.tower};
  bool known = false;
  for (const SeeFamily& family : families) {
    if (family.model_type != model_type) continue;
    family.read(see);
    known = true;
  }
  if (!known) {
    see_llava(see);
    keys.doubt({"fit.doubt.tower", {std::string(model_type)}});
  }
  keys.absorb(vision);
  add_part(book, Role::tower, plan);
  plan.shape.tower.parameters = book.parameters();
}

}  // namespace gpuready::fit
