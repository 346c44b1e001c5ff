#include "fit/gguf_shape.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.hpp"
#include "fit/byte_cursor.hpp"
#include "fit/gguf_blocks.hpp"
#include "fit/gguf_keys.hpp"
#include "fit/gguf_layers.hpp"

namespace gpuready::fit {

namespace {

/// llama.cpp itself takes at most 512 (LLAMA_MAX_LAYERS).
constexpr std::int64_t most_blocks = 4096;

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, word) != words.end();
}

ModelKind kind_of(const GgufHeader& header, std::string_view architecture) {
  static constexpr std::array<std::string_view, 12> embedding{
      "bert",         "modern-bert", "nomic-bert", "nomic-bert-moe",  "neo-bert",    "jina-bert-v2",
      "jina-bert-v3", "eurobert",    "t5encoder",  "gemma-embedding", "llama-embed", "roberta"};
  // stable-diffusion.cpp and ComfyUI-GGUF.
  static constexpr std::array<std::string_view, 18> diffusion{
      "sd1",  "sd2",   "sd3", "sdxl",    "flux",   "flux2",      "aura",   "hidream", "cosmos",
      "ltxv", "hyvid", "wan", "lumina2", "chroma", "qwen_image", "pixart", "z_image", "omnigen"};
  if (is_one_of(architecture, embedding)) return ModelKind::embedding;
  if (is_one_of(architecture, diffusion)) return ModelKind::diffusion;
  if (architecture == "clip") return ModelKind::vision;
  if (architecture == "wavtokenizer-dec") return ModelKind::speech;
  return header.integer(std::string(architecture) + ".attention.causal") == 0 ? ModelKind::embedding
                                                                              : ModelKind::llm;
}

bool has_tensor(const GgufHeader& header, std::string_view name) {
  return std::ranges::any_of(header.tensors, [&](const auto& t) { return t.name == name; });
}

std::int64_t vocabulary(const GgufHeader& header, GgufKeys& keys) {
  if (keys.has("vocab_size")) return keys.number("vocab_size");
  const GgufValue* tokens = header.find("tokenizer.ggml.tokens");
  if (tokens != nullptr && tokens->kind == GgufValue::Kind::list) return tokens->count;
  for (const GgufTensor& tensor : header.tensors)
    if (tensor.name == "token_embd.weight" && tensor.shape.size() == 2) return tensor.shape[1];
  return 0;
}

/// A tower for images or sound (mmproj files).
Tower tower_of(const GgufHeader& header) {
  Tower tower;
  const auto number = [&](const std::string& key) {
    const std::int64_t value = header.integer("clip." + key).value_or(0);
    return value > 0 && value <= (std::int64_t{1} << 24U) ? value : 0;
  };
  const std::string part = header.find("clip.vision.block_count") != nullptr ? "vision." : "audio.";
  tower.layers = number(part + "block_count");
  tower.hidden = number(part + "embedding_length");
  tower.ffn = number(part + "feed_forward_length");
  tower.heads = number(part + "attention.head_count");
  const std::int64_t size = number(part + "image_size"), patch = number(part + "patch_size");
  if (patch > 0 && size >= patch) tower.tokens = (size / patch) * (size / patch);
  for (const GgufTensor& tensor : header.tensors)
    if (__builtin_add_overflow(tower.parameters, tensor.elements, &tower.parameters)) return {};
  return tower;
}

/// A cache of one latent for all heads: files made for it name the sizes of the heads apart. Older
/// ones (before llama.cpp's pull request 12801) keep full keys and values.
Latent latent_of(GgufKeys& keys, std::vector<Message>& doubts) {
  const std::int64_t rank = keys.number("attention.kv_lora_rank");
  if (rank == 0) return {};
  if (!keys.has("attention.key_length_mla")) {
    const bool known_without = keys.architecture() == "minicpm3" || keys.architecture() == "plm";
    if (!known_without) doubts.push_back({"fit.doubt-old-mla", {keys.architecture()}});
    return {};
  }
  // A row of the cache has key_length elements; rope.dimension_count of some converters is wrong.
  const std::int64_t row = keys.number("attention.key_length");
  const std::int64_t rope = row > rank ? row - rank : keys.number("rope.dimension_count");
  return {rank, rope, keys.number("attention.q_lora_rank"),
          keys.number("attention.indexer.key_length")};
}

void set_feed_forward(const std::vector<GgufBlock>& blocks, GgufKeys& keys, Architecture& shape) {
  const auto known = [](const GgufBlock& block) { return block.known; };
  const auto gated = [](const GgufBlock& block) { return block.gated; };
  const auto one_norm = [](const GgufBlock& block) {
    return block.one_norm && block.attention && (block.ffn > 0 || block.experts > 0);
  };
  if (std::ranges::any_of(blocks, known) && std::ranges::none_of(blocks, gated))
    shape.feed_forward = FeedForward::plain;
  // OLMo's norms have no weights.
  shape.parallel_residual =
      keys.has("use_parallel_residual")
          ? keys.number("use_parallel_residual") != 0
          : std::ranges::any_of(blocks, one_norm) && keys.architecture() != "olmo";
}

void set_positions(const GgufHeader& header, GgufKeys& keys, Architecture& shape) {
  shape.learned_positions = has_tensor(header, "position_embd.weight");
  if (shape.learned_positions) shape.rotary_part = 0;
  const auto layer = std::ranges::find_if(shape.layers, [](const Layer& l) { return l.heads > 0; });
  if (shape.learned_positions || layer == shape.layers.end() || layer->head_dim_k <= 0) return;
  const std::int64_t turned = keys.number("rope.dimension_count", layer->head_dim_k);
  shape.rotary_part =
      std::min(1.0, static_cast<double>(turned) / static_cast<double>(layer->head_dim_k));
}

/// Blocks of the main model: those for multi-token prediction come after and are counted too.
std::int64_t count_blocks(GgufKeys& keys, Architecture& shape) {
  const std::int64_t blocks = keys.number("block_count", 0, most_blocks);
  if (keys.architecture() == "t5") {
    shape.encoder_layers = blocks;
    return keys.number("decoder_block_count", blocks, most_blocks);
  }
  shape.mtp_layers = keys.number("nextn_predict_layers", 0, most_blocks);
  if (shape.mtp_layers >= blocks && shape.mtp_layers > 0)
    keys.fail("the key " + in_quotes(keys.name("nextn_predict_layers")) + " is " +
              std::to_string(shape.mtp_layers) + " of " + std::to_string(blocks) + " blocks");
  return std::max<std::int64_t>(blocks - shape.mtp_layers, 0);
}

bool has_decoder(ModelKind kind) {
  return kind != ModelKind::diffusion && kind != ModelKind::vision && kind != ModelKind::speech;
}

}  // namespace

Result<Architecture> shape_of_gguf(const GgufHeader& header, std::vector<Message>& doubts) {
  GgufKeys keys(header);
  Architecture shape;
  shape.family = base::printable(keys.architecture());
  if (shape.family.empty())
    return failure(header.file + ": no key 'general.architecture', expected one in every model");
  shape.kind = kind_of(header, keys.architecture());
  if (shape.kind == ModelKind::vision) shape.tower = tower_of(header);
  if (!has_decoder(shape.kind)) return shape;
  for (const std::string_view key : {"block_count", "embedding_length"})
    if (!keys.has(key))
      keys.fail("no key " + in_quotes(keys.name(key)) + ", expected one in every model");
  constexpr std::int64_t most_context = std::int64_t{1} << 31U;
  shape.max_context = keys.number("context_length", 0, most_context);
  shape.hidden = keys.number("embedding_length");
  shape.vocab = vocabulary(header, keys);
  const bool encoder = shape.kind == ModelKind::embedding;
  shape.tied_embeddings =
      !encoder && !has_tensor(header, "output.weight") && has_tensor(header, "token_embd.weight");
  shape.latent = latent_of(keys, doubts);
  if (keys.has("attention.compress_ratios"))
    doubts.push_back({"fit.doubt-compressed", {shape.family}});
  shape.experts_per_token = keys.number("expert_used_count");
  const std::vector<GgufBlock> blocks = gguf_blocks(header, count_blocks(keys, shape));
  shape.layers = layers_of_gguf(keys, shape, blocks, doubts);
  set_feed_forward(blocks, keys, shape);
  set_positions(header, keys, shape);
  if (!keys.fault().empty()) return failure(keys.fault());
  return shape;
}

}  // namespace gpuready::fit
