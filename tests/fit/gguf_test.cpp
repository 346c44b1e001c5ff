#include "fit/gguf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fit/gguf_models.hpp"

namespace gpuready::fit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Gguf, GivesADenseModelWithGroupedHeadsAndTiedEmbeddings) {
  GgufBytes bytes = start("llama", 2);
  bytes.number("llama.attention.head_count_kv", 2).number("general.file_type", 7);
  bytes.number("llama.rope.dimension_count", 8).text("general.name", "Small");
  for (int i = 0; i < 2; ++i) attention(bytes, i), feed_forward(bytes, i);
  bytes.tensor("output_norm.weight", "f32", {64});
  const Model model = model_of(bytes);
  EXPECT_EQ(model.name, "Small");
  EXPECT_EQ(model.source, Source::file_header);
  EXPECT_EQ(model.native_dtype, "Q8_0");
  EXPECT_EQ(model.shape.family, "llama");
  EXPECT_EQ(model.shape.kind, ModelKind::llm);
  EXPECT_EQ(model.shape.hidden, 64);
  EXPECT_EQ(model.shape.vocab, 100);
  EXPECT_EQ(model.shape.max_context, 4096);
  EXPECT_TRUE(model.shape.tied_embeddings);
  EXPECT_FALSE(model.shape.parallel_residual);
  EXPECT_EQ(model.shape.feed_forward, FeedForward::gated);
  EXPECT_EQ(model.shape.rotary_part, 0.5);
  ASSERT_EQ(model.shape.layers.size(), 2U);
  const Layer& layer = model.shape.layers[1];
  EXPECT_EQ(layer.heads, 4);
  EXPECT_EQ(layer.kv_heads, 2);
  EXPECT_EQ(layer.head_dim_k, 16);
  EXPECT_EQ(layer.head_dim_v, 16);
  EXPECT_EQ(layer.ffn, 96);
  EXPECT_EQ(layer.experts, 0);
  EXPECT_TRUE(layer.owns_cache);
  EXPECT_EQ(parameters(model, Role::embedding), 6400);
  EXPECT_EQ(parameters(model, Role::attention), 2 * 4 * 64 * 64);
  EXPECT_EQ(parameters(model, Role::feed_forward), 2 * 3 * 64 * 96);
  EXPECT_EQ(parameters(model, Role::norm), 5 * 64);
  EXPECT_EQ(model.parameters, 6400 + 2 * 4 * 64 * 64 + 2 * 3 * 64 * 96 + 5 * 64);
  EXPECT_EQ(model.active_parameters, 0);
  EXPECT_EQ(model.file_bytes, static_cast<std::int64_t>(bytes.file().size()));
  EXPECT_THAT(model.doubts, IsEmpty());
}

TEST(Gguf, AttentionWithoutHeadsIsAnErrorThatNamesTheKey) {
  GgufBytes none;
  none.text("general.architecture", "llama").number("llama.block_count", 1);
  none.number("llama.embedding_length", 64).number("llama.context_length", 4096);
  none.tensor("token_embd.weight", "q8_0", {64, 100});
  attention(none, 0), feed_forward(none, 0);
  const auto model = read(none);
  ASSERT_FALSE(model);
  EXPECT_THAT(model.error().text, HasSubstr("'llama.attention.head_count' is missing or 0"));
  GgufBytes no_kv = start("llama", 1);
  no_kv.number("llama.attention.head_count_kv", 0);
  attention(no_kv, 0), feed_forward(no_kv, 0);
  const auto other = read(no_kv);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().text, HasSubstr("'llama.attention.head_count_kv' is missing or 0"));
}

TEST(Gguf, CountsEveryExpertAndThoseOfOneToken) {
  GgufBytes bytes = start("qwen3moe", 2);
  bytes.number("qwen3moe.expert_count", 8).number("qwen3moe.expert_used_count", 2);
  attention(bytes, 0), feed_forward(bytes, 0);
  attention(bytes, 1), experts(bytes, 1);
  bytes.tensor(block(1, "ffn_down_shexp.weight"), "q8_0", {32, 64});
  bytes.tensor("output.weight", "q6_k", {256, 25});
  const Model model = model_of(bytes);
  EXPECT_FALSE(model.shape.tied_embeddings);
  EXPECT_EQ(model.shape.layers[0].experts, 0);
  EXPECT_EQ(model.shape.layers[0].ffn, 96);
  EXPECT_EQ(model.shape.layers[1].experts, 8);
  EXPECT_EQ(model.shape.layers[1].expert_ffn, 32);
  EXPECT_EQ(model.shape.layers[1].shared_ffn, 32);
  EXPECT_EQ(model.shape.layers[1].ffn, 0);
  EXPECT_EQ(model.shape.experts_per_token, 2);
  EXPECT_EQ(parameters(model, Role::experts), 3 * 64 * 32 * 8);
  EXPECT_EQ(parameters(model, Role::router), 64 * 8);
  EXPECT_EQ(parameters(model, Role::output), 6400);
  EXPECT_EQ(model.active_parameters, model.parameters - 3 * 64 * 32 * 6);
}

TEST(Gguf, TakesExpertsThatAreTensorsOfTheirOwn) {
  GgufBytes bytes = start("llama", 1);
  bytes.number("llama.expert_count", 2).number("llama.expert_used_count", 1);
  attention(bytes, 0);
  for (const char* part : {"ffn_gate.0", "ffn_gate.1", "ffn_up.0", "ffn_up.1"})
    bytes.tensor(block(0, std::string(part) + ".weight"), "f16", {64, 32});
  for (const char* part : {"ffn_down.0", "ffn_down.1"})
    bytes.tensor(block(0, std::string(part) + ".weight"), "f16", {32, 64});
  const Model model = model_of(bytes);
  EXPECT_EQ(model.shape.layers[0].experts, 2);
  EXPECT_EQ(model.shape.layers[0].expert_ffn, 32);
  EXPECT_EQ(parameters(model, Role::experts), 6 * 64 * 32);
}

TEST(Gguf, SetsTheWindowsOfEachArchitectureAsLlamaCppDoes) {
  const auto with = [](const std::string& architecture, std::uint32_t window) {
    GgufBytes bytes = start(architecture, 6);
    bytes.number(architecture + ".attention.sliding_window", window);
    for (int i = 0; i < 6; ++i) attention(bytes, i);
    return model_of(bytes);
  };
  const auto s = Mixer::sliding, f = Mixer::attention, c = Mixer::chunked;
  EXPECT_THAT(mixers(with("gemma3", 512)), ElementsAre(s, s, s, s, s, f));
  EXPECT_EQ(with("gemma3", 512).shape.layers[0].window, 512);
  EXPECT_THAT(mixers(with("gpt-oss", 128)), ElementsAre(s, f, s, f, s, f));
  EXPECT_THAT(mixers(with("cohere2", 4096)), ElementsAre(s, s, s, f, s, s));
  EXPECT_THAT(mixers(with("smallthinker", 4096)), ElementsAre(f, s, s, s, f, s));
  EXPECT_THAT(mixers(with("modern-bert", 128)), ElementsAre(f, s, s, f, s, s));
  EXPECT_THAT(mixers(with("llama4", 100)), ElementsAre(c, c, c, f, c, c));
  EXPECT_EQ(with("llama4", 100).shape.layers[0].window, 8192);
  EXPECT_THAT(mixers(with("llama4", 0)), ElementsAre(f, f, f, f, f, f));
  EXPECT_THAT(mixers(with("gemma3", 0)), ElementsAre(f, f, f, f, f, f));
  EXPECT_THAT(mixers(with("gemma3", 4294967295U)), ElementsAre(f, f, f, f, f, f));
}

TEST(Gguf, LeavesAWindowThatLlamaCppDoesNotUseAndSaysSo) {
  for (const std::string architecture : {"phi3", "qwen2"}) {
    GgufBytes bytes = start(architecture, 1);
    bytes.number(architecture + ".attention.sliding_window", 2047);
    attention(bytes, 0);
    const Model model = model_of(bytes);
    EXPECT_EQ(model.shape.layers[0].mixer, Mixer::attention);
    ASSERT_EQ(model.doubts.size(), 1U);
    EXPECT_EQ(model.doubts[0].key, "fit.doubt-window-unused");
  }
}

TEST(Gguf, TakesThePatternOfWindowsFromAListOrAPeriodInTheFile) {
  GgufBytes listed = start("gemma4", 4);
  listed.number("gemma4.attention.sliding_window", 512);
  listed.list<std::uint8_t>("gemma4.attention.sliding_window_pattern", ValueType::boolean,
                            {1, 0, 1, 1});
  listed.number("gemma4.attention.key_length", 32).number("gemma4.attention.value_length", 32);
  listed.number("gemma4.attention.key_length_swa", 16);
  listed.number("gemma4.attention.value_length_swa", 16);
  listed.number("gemma4.attention.shared_kv_layers", 1);
  listed.list<std::int32_t>("gemma4.attention.head_count_kv", ValueType::i32, {4, 1, 4, 4});
  for (int i = 0; i < 4; ++i) attention(listed, i);
  listed.tensor("per_layer_token_embd.weight", "q8_0", {256, 100});
  const Model model = model_of(listed);
  EXPECT_THAT(mixers(model),
              ElementsAre(Mixer::sliding, Mixer::attention, Mixer::sliding, Mixer::sliding));
  EXPECT_EQ(model.shape.layers[0].head_dim_k, 16);
  EXPECT_EQ(model.shape.layers[1].head_dim_k, 32);
  EXPECT_EQ(model.shape.layers[1].kv_heads, 1);
  EXPECT_TRUE(model.shape.layers[2].owns_cache);
  EXPECT_FALSE(model.shape.layers[3].owns_cache);
  EXPECT_EQ(parameters(model, Role::embedding), 6400 + 25600);
  int on_host = 0;
  for (const WeightGroup& group : model.weights) on_host += group.stays_on_host ? 1 : 0;
  EXPECT_EQ(on_host, 1);

  GgufBytes period = start("afmoe", 4);
  period.number("afmoe.attention.sliding_window", 512);
  period.number("afmoe.attention.sliding_window_pattern", 2);
  for (int i = 0; i < 4; ++i) attention(period, i);
  EXPECT_THAT(mixers(model_of(period)),
              ElementsAre(Mixer::sliding, Mixer::attention, Mixer::sliding, Mixer::attention));
}

/// Sizes of Qwen3.5-27B: 149.625 MiB of state for one sequence of 48 recurrent layers, logged in
/// ggml-org/llama.cpp pull request 23792.
TEST(Gguf, GivesTheStateOfDeltaNetLayersBesideAttentionLayers) {
  GgufBytes bytes = start("qwen35", 5);
  bytes.number("qwen35.full_attention_interval", 4).number("qwen35.nextn_predict_layers", 1);
  bytes.number("qwen35.attention.head_count_kv", 2);
  bytes.number("qwen35.ssm.conv_kernel", 4).number("qwen35.ssm.inner_size", 6144);
  bytes.number("qwen35.ssm.state_size", 128).number("qwen35.ssm.group_count", 16);
  bytes.number("qwen35.ssm.time_step_rank", 48);
  for (int i = 0; i < 3; ++i) {
    bytes.tensor(block(i, "attn_qkv.weight"), "q8_0", {64, 64});
    bytes.tensor(block(i, "ssm_beta.weight"), "f32", {64, 8});
  }
  attention(bytes, 3), attention(bytes, 4);
  bytes.tensor(block(4, "nextn.eh_proj.weight"), "q8_0", {128, 64});
  const Model model = model_of(bytes);
  EXPECT_THAT(mixers(model),
              ElementsAre(Mixer::recurrent, Mixer::recurrent, Mixer::recurrent, Mixer::attention));
  const Layer& layer = model.shape.layers[0];
  EXPECT_EQ(48 * 4 * (layer.conv_state + layer.recurrent_state), 149.625 * (1 << 20U));
  EXPECT_EQ(model.shape.layers[3].conv_state, 0);
  EXPECT_EQ(model.shape.mtp_layers, 1);
  EXPECT_EQ(model.mtp_parameters, 64 + 4 * 64 * 64 + 128 * 64);
}

TEST(Gguf, GivesTheLatentOfMlaAndWholeKeysOfOlderFiles) {
  const auto deepseek = [](bool compressed) {
    GgufBytes bytes = start("deepseek2", 1);
    bytes.number("deepseek2.attention.kv_lora_rank", 512);
    bytes.number("deepseek2.rope.dimension_count", 72);
    bytes.number("deepseek2.attention.head_count_kv", compressed ? 1 : 4);
    bytes.number("deepseek2.attention.key_length", compressed ? 576 : 192);
    bytes.number("deepseek2.attention.value_length", compressed ? 512 : 128);
    if (compressed)
      bytes.number("deepseek2.attention.key_length_mla", 192)
          .number("deepseek2.attention.value_length_mla", 128);
    bytes.tensor(block(0, "attn_kv_a_mqa.weight"), "q8_0", {64, 576});
    return model_of(bytes);
  };
  const Model now = deepseek(true), old = deepseek(false);
  EXPECT_EQ(now.shape.latent.kv_lora_rank, 512);
  EXPECT_EQ(now.shape.latent.qk_rope_head_dim, 64);
  EXPECT_EQ(now.shape.layers[0].kv_heads, 4);
  EXPECT_EQ(now.shape.layers[0].head_dim_k, 192);
  EXPECT_EQ(now.shape.layers[0].head_dim_v, 128);
  EXPECT_THAT(now.doubts, IsEmpty());
  EXPECT_EQ(old.shape.latent.kv_lora_rank, 0);
  EXPECT_EQ(old.shape.layers[0].head_dim_k, 192);
  ASSERT_EQ(old.doubts.size(), 1U);
}

TEST(Gguf, SaysThatACompressedCacheIsNotModelled) {
  GgufBytes bytes = start("deepseek4", 1);
  bytes.list<std::int32_t>("deepseek4.attention.compress_ratios", ValueType::i32, {4});
  attention(bytes, 0);
  EXPECT_EQ(model_of(bytes).doubts[0].key, "fit.doubt-compressed");
}

TEST(Gguf, GivesShortConvolutionsMambaAndRwkvTheirStates) {
  GgufBytes lfm = start("lfm2", 2);
  lfm.number("lfm2.shortconv.l_cache", 3);
  lfm.list<std::int32_t>("lfm2.attention.head_count_kv", ValueType::i32, {0, 2});
  lfm.tensor(block(0, "shortconv.conv.weight"), "f32", {3, 64});
  attention(lfm, 1);
  EXPECT_THAT(mixers(model_of(lfm)), ElementsAre(Mixer::recurrent, Mixer::attention));
  EXPECT_EQ(model_of(lfm).shape.layers[0].conv_state, 128);
  EXPECT_EQ(model_of(lfm).shape.layers[0].recurrent_state, 0);
  EXPECT_EQ(model_of(lfm).shape.layers[1].kv_heads, 2);

  GgufBytes mamba = start("mamba", 1);
  mamba.number("mamba.ssm.conv_kernel", 4).number("mamba.ssm.inner_size", 128);
  mamba.number("mamba.ssm.state_size", 16);
  mamba.tensor(block(0, "ssm_in.weight"), "f16", {64, 256});
  EXPECT_EQ(model_of(mamba).shape.layers[0].mixer, Mixer::recurrent);
  EXPECT_EQ(model_of(mamba).shape.layers[0].conv_state, 3 * 128);
  EXPECT_EQ(model_of(mamba).shape.layers[0].recurrent_state, 16 * 128);

  GgufBytes rwkv = start("rwkv7", 1);
  rwkv.number("rwkv7.wkv.head_size", 16);
  rwkv.tensor(block(0, "time_mix_key.weight"), "f16", {64, 64});
  rwkv.tensor(block(0, "channel_mix_key.weight"), "f16", {64, 256});
  EXPECT_EQ(model_of(rwkv).shape.layers[0].conv_state, 2 * 64);
  EXPECT_EQ(model_of(rwkv).shape.layers[0].recurrent_state, 64 * 16);
  EXPECT_EQ(parameters(model_of(rwkv), Role::feed_forward), 64 * 256);
}

TEST(Gguf, KeepsBothCacheAndStateWhereALayerHasBoth) {
  GgufBytes bytes = start("falcon-h1", 1);
  bytes.number("falcon-h1.ssm.conv_kernel", 4).number("falcon-h1.ssm.inner_size", 128);
  bytes.number("falcon-h1.ssm.state_size", 16).number("falcon-h1.ssm.group_count", 1);
  attention(bytes, 0);
  bytes.tensor(block(0, "ssm_in.weight"), "f16", {64, 256});
  const Layer layer = model_of(bytes).shape.layers[0];
  EXPECT_EQ(layer.mixer, Mixer::attention);
  EXPECT_EQ(layer.kv_heads, 4);
  EXPECT_EQ(layer.conv_state, 3 * (128 + 32));
}

TEST(Gguf, GivesLayersWithoutAMixer) {
  GgufBytes bytes = start("nemotron_h", 3);
  bytes.number("nemotron_h.ssm.conv_kernel", 4).number("nemotron_h.ssm.inner_size", 128);
  bytes.number("nemotron_h.ssm.state_size", 16).number("nemotron_h.ssm.group_count", 2);
  bytes.list<std::int32_t>("nemotron_h.attention.head_count_kv", ValueType::i32, {0, 0, 2});
  bytes.tensor(block(0, "ssm_in.weight"), "f16", {64, 256});
  bytes.tensor(block(1, "ffn_up.weight"), "f16", {64, 96});
  bytes.tensor(block(1, "ffn_down.weight"), "f16", {96, 64});
  attention(bytes, 2);
  const Model model = model_of(bytes);
  EXPECT_THAT(mixers(model), ElementsAre(Mixer::recurrent, Mixer::none, Mixer::attention));
  EXPECT_EQ(model.shape.layers[1].ffn, 96);
  EXPECT_EQ(model.shape.feed_forward, FeedForward::plain);
}

TEST(Gguf, TellsEncodersTowersAndDiffusionApart) {
  GgufBytes bert = start("bert", 1);
  bert.tensor("position_embd.weight", "f16", {64, 512});
  attention(bert, 0);
  EXPECT_EQ(model_of(bert).shape.kind, ModelKind::embedding);
  EXPECT_TRUE(model_of(bert).shape.learned_positions);
  EXPECT_FALSE(model_of(bert).shape.tied_embeddings);

  GgufBytes clip;
  clip.text("general.architecture", "clip").number("clip.vision.block_count", 2);
  clip.number("clip.vision.embedding_length", 64).number("clip.vision.image_size", 28);
  clip.number("clip.vision.patch_size", 14);
  clip.tensor("v.blk.0.attn_q.weight", "f16", {64, 64}).tensor("mm.0.weight", "f16", {64, 32});
  const Model tower = model_of(clip);
  EXPECT_EQ(tower.shape.kind, ModelKind::vision);
  EXPECT_EQ(tower.shape.tower.layers, 2);
  EXPECT_EQ(tower.shape.tower.tokens, 4);
  EXPECT_EQ(tower.shape.tower.parameters, 64 * 96);
  EXPECT_EQ(parameters(tower, Role::tower), 64 * 96);

  GgufBytes flux;
  flux.text("general.architecture", "flux");
  flux.tensor("double_blocks.0.img_attn.qkv.weight", "q4_0", {64, 192});
  flux.tensor("double_blocks.0.img_mlp.0.weight", "q4_0", {64, 256});
  const Model image = model_of(flux);
  EXPECT_EQ(image.shape.kind, ModelKind::diffusion);
  EXPECT_THAT(image.shape.layers, IsEmpty());
  EXPECT_EQ(parameters(image, Role::attention), 64 * 192);
  EXPECT_EQ(parameters(image, Role::feed_forward), 64 * 256);
}

TEST(Gguf, CountsDecoderAndEncoderBlocksApart) {
  GgufBytes bytes = start("t5", 3);
  bytes.number("t5.decoder_block_count", 2);
  for (int i = 0; i < 3; ++i) bytes.tensor("enc." + block(i, "attn_q.weight"), "f16", {64, 64});
  for (int i = 0; i < 2; ++i) {
    bytes.tensor("dec." + block(i, "attn_q.weight"), "f16", {64, 64});
    bytes.tensor("dec." + block(i, "cross_attn_q.weight"), "f16", {64, 64});
  }
  const Model model = model_of(bytes);
  EXPECT_EQ(model.shape.layers.size(), 2U);
  EXPECT_EQ(model.shape.encoder_layers, 3);
  EXPECT_EQ(parameters(model, Role::attention), 7 * 64 * 64);
}

}  // namespace
}  // namespace gpuready::fit
