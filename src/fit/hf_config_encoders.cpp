/// Encoders of text and images, and models with an encoder and a decoder.
/// Defaults are those of the configuration classes of transformers 5.24.

#include <algorithm>
#include <array>

#include "fit/hf_config_blocks.hpp"
#include "fit/hf_config_families.hpp"
#include "fit/hf_config_stack.hpp"
#include "fit/hf_config_towers.hpp"
#include "fit/parameters.hpp"

namespace gpuready::fit {

namespace {

/// What stands behind the encoder: the class that the file names.
enum class Top { bare, masked_lm, classifier };

Top top_of(ConfigKeys& keys) {
  const std::vector<std::string> names = keys.words({"architectures"});
  const std::string name = names.empty() ? std::string() : names.front();
  if (name.find("ForMaskedLM") != std::string::npos ||
      name.find("ForPreTraining") != std::string::npos)
    return Top::masked_lm;
  if (name.find("ForSequenceClassification") != std::string::npos ||
      name.find("ForImageClassification") != std::string::npos)
    return Top::classifier;
  return Top::bare;
}

std::int64_t label_count(ConfigKeys& keys) {
  const base::Json* labels = keys.object("id2label");
  return labels != nullptr ? static_cast<std::int64_t>(labels->size())
                           : keys.size({"num_labels"}, 2);
}

/// Sizes that encoders of text share.
void read_text_encoder(ConfigKeys& keys, Blueprint& plan) {
  plan.shape.kind = ModelKind::encoder;
  read_shape(keys, plan, true);
  set_all_biases(plan);
  plan.norm = NormKind::layer;
  plan.shape.feed_forward = FeedForward::plain;
  plan.head = plan.final_norm = false;
  plan.extras.embedding_norm = true;
  plan.extras.positions = keys.size({"max_position_embeddings"}, 512);
  plan.shape.learned_positions = true;
  plan.shape.rotary_part = 0;
}

/// Dense layer, norm and bias of a head that guesses masked words; its matrix is the embeddings'.
void add_masked_head(const Blueprint& plan, WeightBook& book) {
  count_linear(plan.shape.hidden, plan.shape.hidden, book);
  count_norms(NormKind::layer, -1, plan.shape.hidden, 1, book);
  book.vector(-1, plan.shape.vocab);
}

void read_bert_like(ConfigKeys& keys, Blueprint& plan, bool roberta) {
  read_text_encoder(keys, plan);
  plan.extras.token_types = keys.size({"type_vocab_size"}, 2);
  const std::int64_t hidden = plan.shape.hidden;
  const Top top = top_of(keys);
  WeightBook book;
  if (top == Top::masked_lm) add_masked_head(plan, book);
  // RoBERTa's classifier has a dense layer of its own in the pooler's place.
  if (top != Top::masked_lm) count_linear(hidden, hidden, book);
  if (top == Top::classifier) count_linear(hidden, label_count(keys), book);
  add_part(book, Role::other, plan);
  if (roberta) plan.shape.max_context = std::max<std::int64_t>(plan.shape.max_context - 2, 0);
}

void read_bert(ConfigKeys& keys, Blueprint& plan) { read_bert_like(keys, plan, false); }
void read_roberta(ConfigKeys& keys, Blueprint& plan) { read_bert_like(keys, plan, true); }

void read_distilbert(ConfigKeys& keys, Blueprint& plan) {
  read_text_encoder(keys, plan);
  const std::int64_t hidden = plan.shape.hidden;
  const Top top = top_of(keys);
  WeightBook book;
  if (top == Top::masked_lm) add_masked_head(plan, book);
  if (top == Top::classifier) {
    count_linear(hidden, hidden, book);
    count_linear(hidden, label_count(keys), book);
  }
  add_part(book, Role::other, plan);
}

void read_modernbert(ConfigKeys& keys, Blueprint& plan) {
  read_text_encoder(keys, plan);
  plan.biases = {};
  plan.extras.positions = 0;
  plan.shape.learned_positions = false;
  plan.shape.rotary_part = 1;
  plan.shape.feed_forward = FeedForward::gated;
  plan.final_norm = true;
  plan.norm = keys.flag({"norm_bias"}, false) ? NormKind::layer : NormKind::layer_without_bias;
  set_attention_bias(plan, keys.flag({"attention_bias"}, false), true);
  plan.biases.ffn_in = plan.biases.ffn_out = keys.flag({"mlp_bias"}, false);
  const std::int64_t every =
      std::max<std::int64_t>(keys.size({"global_attn_every_n_layers"}, 3), 1);
  const std::int64_t window = keys.size({"local_attention"}, 128);
  for (std::size_t i = 0; i < plan.blocks.size(); ++i)
    if (static_cast<std::int64_t>(i) % every != 0)
      plan.blocks[i].layer.mixer = Mixer::sliding, plan.blocks[i].layer.window = window;
  WeightBook book;
  const std::int64_t hidden = plan.shape.hidden;
  const Top top = top_of(keys);
  if (top != Top::bare) {
    book.matrix(Role::other, -1, hidden, hidden);
    if (keys.flag({"classifier_bias"}, false)) book.vector(-1, hidden);
    count_norms(plan.norm, -1, hidden, 1, book);
  }
  if (top == Top::masked_lm && keys.flag({"decoder_bias"}, true)) book.vector(-1, plan.shape.vocab);
  if (top == Top::classifier) count_linear(hidden, label_count(keys), book);
  add_part(book, Role::other, plan);
  // The first block takes the normed embeddings as they are.
  plan.extras.embedding_norm = false;
}

void read_deberta(ConfigKeys& keys, Blueprint& plan) {
  read_text_encoder(keys, plan);
  plan.extras.token_types = keys.size({"type_vocab_size"}, 0);
  if (!keys.flag({"position_biased_input"}, true)) plan.extras.positions = 0;
  if (!keys.flag({"relative_attention"}, false)) return;
  const std::int64_t buckets = keys.size({"position_buckets"}, 0);
  const std::int64_t span = buckets > 0 ? buckets : keys.size({"max_position_embeddings"}, 512);
  plan.extras.relative_positions = 2 * span;
  WeightBook book;
  book.matrix(Role::embedding, -1, 2 * span, plan.shape.hidden);
  const std::string norm = keys.text({"norm_rel_ebd"});
  if (norm == "layer_norm") count_norms(NormKind::layer, -1, plan.shape.hidden, 1, book);
  add_part(book, Role::embedding, plan);
}

/// Rotary positions, a gated feed-forward, no biases (nomic-embed-text).
void read_nomic(ConfigKeys& keys, Blueprint& plan) {
  read_text_encoder(keys, plan);
  plan.biases = {};
  plan.extras.positions = 0;
  plan.extras.token_types = keys.size({"type_vocab_size"}, 2);
  plan.shape.learned_positions = false, plan.shape.rotary_part = 1;
  plan.shape.feed_forward = FeedForward::gated;
}

/// Splits each block in two: its own attention, and attention to the encoder's output. The
/// feed-forward stays with the second.
void add_cross_attention(Blueprint& plan) {
  std::vector<Block> blocks;
  for (const Block& block : plan.blocks) {
    Block own = block, cross = block;
    own.layer.ffn = 0;
    cross.layer.mixer = Mixer::cross;
    blocks.push_back(own);
    blocks.push_back(cross);
  }
  plan.blocks = std::move(blocks);
}

/// Relative positions: a number per bucket and head, in one block or in each (UMT5).
void read_t5_like(ConfigKeys& keys, Blueprint& plan, bool bias_in_each) {
  Architecture& shape = plan.shape;
  shape.kind = ModelKind::encoder;
  shape.hidden = keys.need({"d_model", "hidden_size"}), shape.vocab = keys.need({"vocab_size"});
  shape.tied_embeddings = keys.flag({"tie_word_embeddings"}, true);
  shape.max_context = keys.tokens({"n_positions", "max_position_embeddings"});
  shape.rotary_part = 0;
  Stack stack;
  stack.layers = read_layer_count(keys);
  stack.hidden = shape.hidden, stack.heads = keys.need({"num_heads", "num_attention_heads"});
  stack.ffn = keys.need(ffn_names);
  stack.attention_width = stack.heads * keys.size({"d_kv", "head_dim"}, 64);
  stack.norm = NormKind::rms;
  stack.qkv_bias = stack.out_bias = stack.ffn_bias = false;
  const std::string act = keys.text({"feed_forward_proj"});
  if (act.find("gated") != std::string::npos) stack.feed_forward = FeedForward::gated;
  const std::vector<std::string> names = keys.words({"architectures"});
  const bool encoder_only =
      !names.empty() && names.front().find("EncoderModel") != std::string::npos;
  const std::int64_t decoders = encoder_only ? 0 : keys.size({"num_decoder_layers"}, stack.layers);
  if (decoders > 10'000) return keys.wrong("num_decoder_layers is above 10000");
  const std::int64_t table =
      keys.size({"relative_attention_num_buckets"}, 32) * std::max<std::int64_t>(stack.heads, 0);
  const std::int64_t tables = bias_in_each ? stack.layers + decoders : (decoders > 0 ? 2 : 1);
  WeightBook book;
  book.matrix(Role::embedding, -1, table, tables);
  add_part(book, Role::embedding, plan);
  if (encoder_only) {
    make_blocks(stack, plan);
    plan.head = false;
    return;
  }
  WeightBook encoder;
  count_stack(stack, encoder);
  count_norms(stack.norm, -1, stack.hidden, 1, encoder);
  for (const WeightGroup& group : encoder.groups()) plan.parts.push_back(group);
  shape.encoder_layers = stack.layers;
  stack.layers = decoders;
  make_blocks(stack, plan);
  add_cross_attention(plan);
  // Three norms in a decoder's block, which is two of ours.
  plan.norms = 1;
  for (std::int64_t i = 0; i < decoders; ++i)
    plan.parts.push_back({Role::norm, 2 * i + 1, {}, 1, 0, shape.hidden, 0});
}

void read_t5(ConfigKeys& keys, Blueprint& plan) { read_t5_like(keys, plan, false); }
void read_umt5(ConfigKeys& keys, Blueprint& plan) { read_t5_like(keys, plan, true); }

void read_whisper(ConfigKeys& keys, Blueprint& plan) {
  Architecture& shape = plan.shape;
  shape.kind = ModelKind::speech;
  shape.hidden = keys.need({"d_model"}), shape.vocab = keys.need({"vocab_size"});
  shape.tied_embeddings = keys.flag({"tie_word_embeddings"}, true);
  shape.max_context = keys.size({"max_target_positions"}, 448);
  shape.learned_positions = true, shape.rotary_part = 0;
  Stack stack;
  stack.layers = keys.need({"encoder_layers"});
  stack.hidden = shape.hidden, stack.heads = keys.need({"encoder_attention_heads"});
  stack.ffn = keys.need({"encoder_ffn_dim"}), stack.key_bias = false;
  const std::int64_t decoders = keys.need({"decoder_layers"});
  if (stack.layers > 10'000 || decoders > 10'000) return keys.wrong("more than 10000 layers");
  WeightBook encoder;
  constexpr std::int64_t taps = 3;  // of both convolutions
  count_linear(taps * keys.size({"num_mel_bins"}, 80), stack.hidden, encoder);
  count_linear(taps * stack.hidden, stack.hidden, encoder);
  encoder.matrix(Role::embedding, -1, keys.size({"max_source_positions"}, 1500), stack.hidden);
  count_stack(stack, encoder);
  count_norms(stack.norm, -1, stack.hidden, 1, encoder);
  for (const WeightGroup& group : encoder.groups()) plan.parts.push_back(group);
  shape.encoder_layers = stack.layers;
  stack.layers = decoders;
  stack.heads = keys.need({"decoder_attention_heads"}), stack.ffn = keys.need({"decoder_ffn_dim"});
  make_blocks(stack, plan);
  add_cross_attention(plan);
  plan.norms = 1;
  for (std::int64_t i = 0; i < decoders; ++i)
    plan.parts.push_back({Role::norm, 2 * i + 1, {}, 2, 0, 2 * shape.hidden, 0});
  plan.extras.positions = shape.max_context;
}

/// An image tower is the model itself.
void read_vit(ConfigKeys& keys, Blueprint& plan) {
  ImageTower tower = read_image_tower(keys, "vit");
  tower.class_token = true, tower.patch_bias = true, tower.final_norm = true;
  tower.stack.qkv_bias = keys.flag({"qkv_bias"}, true);
  WeightBook book;
  const Top top = top_of(keys);
  if (top == Top::bare && keys.flag({"add_pooling_layer"}, true))
    count_linear(tower.stack.hidden, tower.stack.hidden, book);
  if (top == Top::classifier) count_linear(tower.stack.hidden, label_count(keys), book);
  become_image_tower(tower, keys, plan);
  add_part(book, Role::other, plan);
}

void read_dinov2(ConfigKeys& keys, Blueprint& plan) {
  ImageTower tower = read_image_tower(keys, "dinov2");
  tower.class_token = true, tower.patch_bias = true, tower.final_norm = true;
  tower.stack.qkv_bias = keys.flag({"qkv_bias"}, true);
  tower.stack.vectors = 2;  // layer scale
  const std::int64_t wide = tower.stack.hidden * keys.size({"mlp_ratio"}, 4);
  tower.stack.ffn = wide;
  if (keys.flag({"use_swiglu_ffn"}, false)) {
    constexpr std::int64_t multiple = 8;
    tower.stack.ffn = (wide * 2 / 3 + multiple - 1) / multiple * multiple;
    tower.stack.feed_forward = FeedForward::gated;
  }
  WeightBook book;
  if (keys.flag({"use_mask_token"}, true)) book.vector(-1, tower.stack.hidden);
  if (top_of(keys) == Top::classifier)
    count_linear(2 * tower.stack.hidden, label_count(keys), book);
  become_image_tower(tower, keys, plan);
  add_part(book, Role::other, plan);
}

/// The text tower of CLIP and SigLIP, with its projection.
void add_text_tower(ConfigKeys& keys, bool siglip, Blueprint& plan) {
  Stack stack;
  stack.layers = keys.size(layer_names, 12), stack.hidden = keys.size(hidden_names, 512);
  stack.heads = keys.size(head_names, 8), stack.ffn = keys.size(ffn_names, 2048);
  if (stack.layers > 10'000) return keys.wrong("num_hidden_layers is above 10000");
  WeightBook book;
  book.matrix(Role::embedding, -1, keys.size({"vocab_size"}, siglip ? 32000 : 49408), stack.hidden);
  book.matrix(Role::embedding, -1, keys.size({"max_position_embeddings"}, siglip ? 64 : 77),
              stack.hidden);
  count_stack(stack, book);
  count_norms(stack.norm, -1, stack.hidden, 1, book);
  if (siglip) count_linear(stack.hidden, keys.size({"projection_size"}, stack.hidden), book);
  add_part(book, Role::other, plan);
}

void read_two_towers(ConfigKeys& keys, Blueprint& plan, bool siglip) {
  const base::Json none = base::Json::object();
  const base::Json* vision = keys.object("vision_config");
  const base::Json* text = keys.object("text_config");
  ConfigKeys vision_keys(vision != nullptr ? *vision : none);
  ConfigKeys text_keys(text != nullptr ? *text : none);
  const ImageTower tower =
      read_image_tower(vision_keys, siglip ? "siglip_vision_model" : "clip_vision_model");
  become_image_tower(tower, vision_keys, plan);
  add_text_tower(text_keys, siglip, plan);
  WeightBook book;
  const std::int64_t width = keys.size({"projection_dim"}, 512);
  if (!siglip) {
    book.matrix(Role::other, -1, tower.stack.hidden, width);
    book.matrix(Role::other, -1, text_keys.size(hidden_names, 512), width);
  }
  book.vector(-1, 1, siglip ? 2 : 1);
  add_part(book, Role::other, plan);
  keys.absorb(vision_keys);
  keys.absorb(text_keys);
}

void read_clip(ConfigKeys& keys, Blueprint& plan) { read_two_towers(keys, plan, false); }
void read_siglip(ConfigKeys& keys, Blueprint& plan) { read_two_towers(keys, plan, true); }

/// CLIP's text tower alone, as diffusion pipelines have it.
void read_clip_text(ConfigKeys& keys, Blueprint& plan) {
  plan.shape.kind = ModelKind::encoder;
  read_shape(keys, plan, true);
  set_all_biases(plan);
  plan.norm = NormKind::layer;
  plan.shape.feed_forward = FeedForward::plain;
  plan.head = false;
  plan.extras.positions = keys.size({"max_position_embeddings"}, 77);
  plan.shape.learned_positions = true, plan.shape.rotary_part = 0;
  const std::vector<std::string> names = keys.words({"architectures"});
  if (names.empty() || names.front() != "CLIPTextModelWithProjection") return;
  WeightBook book;
  book.matrix(Role::other, -1, plan.shape.hidden, keys.size({"projection_dim"}, 512));
  add_part(book, Role::other, plan);
}

constexpr std::array families{
    Family{"bert", read_bert},
    Family{"roberta", read_roberta},
    Family{"xlm-roberta", read_roberta},
    Family{"camembert", read_roberta},
    Family{"distilbert", read_distilbert},
    Family{"modernbert", read_modernbert},
    Family{"deberta-v2", read_deberta},
    Family{"nomic_bert", read_nomic},
    Family{"t5", read_t5},
    Family{"mt5", read_t5},
    Family{"umt5", read_umt5},
    Family{"whisper", read_whisper},
    Family{"vit", read_vit},
    Family{"dinov2", read_dinov2},
    Family{"clip", read_clip},
    Family{"siglip", read_siglip},
    Family{"clip_text_model", read_clip_text},
};

}  // namespace

std::span<const Family> encoder_families() { return families; }

}  // namespace gpuready::fit
