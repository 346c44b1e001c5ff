#include "tests/fit/shapes.hpp"

#include <gtest/gtest.h>

namespace gpuready::fit::shapes {

namespace {

std::int64_t in_16_bits(std::int64_t parameters) { return 2 * parameters; }

void add(Model& model, Role role, std::int64_t layer, std::int64_t parameters) {
  if (parameters == 0) return;
  model.weights.push_back(
      {role, layer, "bf16", 1, parameters, parameters, in_16_bits(parameters), false});
  model.parameters += parameters;
}

Layer layer_of(const Decoder& d) {
  Layer layer;
  layer.heads = d.heads, layer.kv_heads = d.kv_heads;
  layer.head_dim_k = layer.head_dim_v = d.head_dim;
  if (d.experts > 0) {
    layer.experts = d.experts, layer.expert_ffn = d.ffn;
  } else {
    layer.ffn = d.ffn;
  }
  return layer;
}

}  // namespace

Model decoder(const Decoder& d) {
  Model model;
  model.name = d.name, model.native_dtype = "bf16", model.source = Source::configuration;
  Architecture& shape = model.shape;
  shape.kind = d.kind, shape.hidden = d.hidden, shape.vocab = d.vocab;
  shape.tied_embeddings = d.tied, shape.experts_per_token = d.experts_per_token;
  shape.feed_forward = d.feed_forward, shape.parallel_residual = d.parallel_residual;
  shape.rotary_part = d.rotary_part, shape.dropout = d.dropout;
  const std::int64_t matrices = d.feed_forward == FeedForward::gated ? 3 : 2;
  const bool biased = d.feed_forward == FeedForward::plain;
  const std::int64_t q = d.heads * d.head_dim, kv = d.kv_heads * d.head_dim;
  for (std::int64_t i = 0; i < d.layers; ++i) {
    shape.layers.push_back(layer_of(d));
    add(model, Role::attention, i, d.hidden * (2 * q + 2 * kv));
    add(model, d.experts > 0 ? Role::experts : Role::feed_forward, i,
        matrices * d.hidden * d.ffn * std::max<std::int64_t>(d.experts, 1));
    add(model, Role::router, i, d.hidden * d.experts);
    std::int64_t vectors = 2 * d.hidden + (d.qkv_bias ? q + 2 * kv : 0);
    if (biased) vectors = 4 * d.hidden + q + 2 * kv + d.hidden + d.ffn + d.hidden;
    add(model, Role::norm, i, vectors);
  }
  add(model, Role::embedding, -1, d.vocab * d.hidden);
  if (d.positions > 0) {
    add(model, Role::embedding, -1, d.positions * d.hidden);
    model.weights.back().stays_on_host = true;
  }
  const bool headless = d.kind == ModelKind::encoder || d.kind == ModelKind::embedding;
  if (!d.tied && !headless) add(model, Role::output, -1, d.vocab * d.hidden);
  if (!headless) add(model, Role::norm, -1, d.hidden);
  return model;
}

namespace {

constexpr FeedForward plain = FeedForward::plain;

Decoder dense(std::string name) {
  if (name == "mistral-7b") return {name, 32, 4096, 32, 8, 128, 14336, 32000};
  if (name == "qwen2.5-1.5b") return {name, 28, 1536, 12, 2, 128, 8960, 151936, true, true};
  if (name == "qwen2.5-3b") return {name, 36, 2048, 16, 2, 128, 11008, 151936, true, true};
  if (name == "qwen2.5-7b") return {name, 28, 3584, 28, 4, 128, 18944, 152064, false, true};
  if (name == "qwen2.5-14b") return {name, 48, 5120, 40, 8, 128, 13824, 152064, false, true};
  if (name == "qwen2.5-32b") return {name, 64, 5120, 40, 8, 128, 27648, 152064, false, true};
  if (name == "qwen2.5-72b") return {name, 80, 8192, 64, 8, 128, 29568, 152064, false, true};
  if (name == "llama-2-7b") return {name, 32, 4096, 32, 32, 128, 11008, 32000};
  if (name == "llama-2-13b") return {name, 40, 5120, 40, 40, 128, 13824, 32000};
  if (name == "llama-3-8b") return {name, 32, 4096, 32, 8, 128, 14336, 128256};
  if (name == "llama-30b") return {name, 60, 6656, 52, 52, 128, 17920, 32000};
  if (name == "codellama-34b") return {name, 48, 8192, 64, 8, 128, 22016, 32000};
  if (name == "mixtral-8x7b") return {name, 32, 4096, 32, 8, 128, 14336, 32000, false, false, 8, 2};
  if (name == "qwen3-235b-a22b")
    return {name, 94, 4096, 64, 4, 128, 1536, 151936, false, false, 128, 8};
  if (name == "gpt-oss-20b" || name == "gpt-oss-120b")
    return {name, name == "gpt-oss-20b" ? 24 : 36,  2880, 64, 8, 64, 2880, 201088, false,
            true, name == "gpt-oss-20b" ? 32 : 128, 4};
  if (name == "phi-1.5")
    return {name, 24, 2048, 32, 32, 64, 8192, 51200, false, false, 0, 0, plain, true, 0.5};
  if (name == "stablelm-3b")
    return {name, 16, 4096, 32, 32, 128, 16384, 50432, false, false, 0, 0, plain, true, 0.25};
  if (name == "bge-m3")
    return {name,  24,      1024, 16, 16,    64,    4096, 250002,
            false, false,   0,    0,  plain, false, 0,    ModelKind::embedding,
            0,     8194 + 1};
  if (name == "bert-large")
    return {name,  24,     1024, 16, 16,    64,    4096, 30522,
            false, false,  0,    0,  plain, false, 0,    ModelKind::encoder,
            0.1,   512 + 2};
  return {};
}

/// Every n-th layer is full attention; the others keep a state of these sizes.
Model hybrid(Decoder d, std::int64_t full_every, std::int64_t conv, std::int64_t state) {
  Model model = decoder(d);
  for (std::size_t i = 0; i < model.shape.layers.size(); ++i)
    if ((i + 1) % static_cast<std::size_t>(full_every) != 0) {
      Layer& layer = model.shape.layers[i];
      layer.mixer = Mixer::recurrent, layer.conv_state = conv, layer.recurrent_state = state;
    }
  return model;
}

/// Alternate layers keep a window alone.
Model windowed(Model model, std::int64_t full_every, std::int64_t window) {
  for (std::size_t i = 0; i < model.shape.layers.size(); ++i)
    if ((i + 1) % static_cast<std::size_t>(full_every) != 0)
      model.shape.layers[i].mixer = Mixer::sliding, model.shape.layers[i].window = window;
  return model;
}

Model gpt_oss(const std::string& name) {
  Model model = windowed(decoder(dense(name)), 2, 128);
  // Biases of the experts, and one sink for each head.
  const Layer& layer = model.shape.layers[0];
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(model.shape.layers.size()); ++i)
    add(model, Role::norm, i, layer.experts * (2 * 2880 + 2880) + 64 + layer.experts + 2880);
  return model;
}

Model latent() {
  Model model =
      decoder({"deepseek-r1", 61, 7168, 128, 128, 192, 2048, 129280, false, false, 256, 8});
  for (Layer& layer : model.shape.layers) layer.head_dim_v = 128;
  model.shape.latent = {512, 64, 1536, 0};
  return model;
}

Model lfm2() {
  Model model = decoder({"lfm2-1.2b", 16, 2048, 32, 8, 64, 8192, 65536, true});
  for (const std::size_t i : {0U, 1U, 3U, 4U, 6U, 7U, 9U, 11U, 13U, 15U})
    model.shape.layers[i].mixer = Mixer::recurrent, model.shape.layers[i].conv_state = 2 * 2048;
  return model;
}

Model vision_llama() {
  Model model = decoder({"llama-3.2-11b-vision", 40, 4096, 32, 8, 128, 14336, 128256});
  for (const std::size_t i : {3U, 8U, 13U, 18U, 23U, 28U, 33U, 38U})
    model.shape.layers[i].mixer = Mixer::cross;
  model.shape.kind = ModelKind::vlm;
  // meta-llama/Llama-3.2-11B-Vision: 32 + 8 layers, four tiles of 1601 tokens; all in all 10.67 B.
  model.shape.tower = {40, 1280, 16, 5120, 10670220835 - model.parameters, 4 * 1601};
  add(model, Role::tower, -1, model.shape.tower.parameters);
  return model;
}

Model lump(std::string name, ModelKind kind, std::int64_t parameters) {
  Model model;
  model.name = std::move(name), model.native_dtype = "bf16", model.shape.kind = kind;
  add(model, kind == ModelKind::diffusion ? Role::attention : Role::other, -1, parameters);
  return model;
}

Model flux() {
  Model model = lump("FLUX.1-dev transformer", ModelKind::diffusion, 11901408320);
  model.shape.hidden = 3072;
  Layer layer;
  layer.heads = layer.kv_heads = 24, layer.head_dim_k = layer.head_dim_v = 128, layer.ffn = 12288;
  model.shape.layers.assign(57, layer);
  return model;
}

}  // namespace

Model named(const std::string& name) {
  if (name == "deepseek-r1") return latent();
  if (name == "lfm2-1.2b") return lfm2();
  if (name == "llama-3.2-11b-vision") return vision_llama();
  if (name.starts_with("gpt-oss")) return gpt_oss(name);
  if (name == "qwen3.5-27b")
    return hybrid({name, 64, 5120, 24, 4, 256, 17408, 248320}, 4, 3 * 10240, 48 * 128 * 128);
  if (name == "qwen3.5-9b")
    return hybrid({name, 32, 4096, 16, 4, 256, 12288, 248320}, 4, 3 * 8192, 32 * 128 * 128);
  if (name == "flux.1-dev") return flux();
  if (name == "sdxl") return lump("SDXL base 1.0 UNet", ModelKind::diffusion, 2567463684);
  // Without its last layer, as it was measured.
  if (name == "resnet-50") return lump("ResNet-50", ModelKind::vision, 23508032);
  return decoder(dense(name));
}

Devices gpus(std::int64_t count, double gib, double compute_capability) {
  Devices devices;
  for (std::int64_t i = 0; i < count; ++i) {
    Device device;
    device.name = "cuda:" + std::to_string(i), device.gpu = "test";
    device.usable_bytes = device.total_bytes = static_cast<std::int64_t>(gib * 1073741824.0);
    device.compute_capability = compute_capability;
    devices.gpus.push_back(device);
  }
  return devices;
}

TEST(Shapes, CountAsThePublishersDo) {
  EXPECT_EQ(named("qwen2.5-14b").parameters, 14770033664);
  EXPECT_EQ(named("qwen2.5-1.5b").parameters, 1543714304);
  EXPECT_EQ(named("llama-2-7b").parameters, 6738415616);
  EXPECT_EQ(named("llama-3-8b").parameters, 8030261248);
  EXPECT_EQ(named("mixtral-8x7b").parameters, 46702792704);
  EXPECT_NEAR(static_cast<double>(named("gpt-oss-120b").parameters), 116829156672.0, 5e6);
}

}  // namespace gpuready::fit::shapes
