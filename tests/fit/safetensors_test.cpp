#include "fit/safetensors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fit/torch_names.hpp"
#include "tests/fit/memory_source.hpp"
#include "tests/fit/safetensors_bytes.hpp"

namespace gpuready::fit {
namespace {

using ::testing::HasSubstr;

SafetensorsHeader shard(const SafetensorsBytes& bytes, const std::string& name = "m.safetensors") {
  MemorySource source(bytes.file(), name);
  auto header = read_safetensors_header(source);
  if (!header) ADD_FAILURE() << header.error().text;
  return header ? *header : SafetensorsHeader{};
}

Model configured(std::size_t layers, const Quantisation& quantisation = {}) {
  Model model;
  model.shape.layers.resize(layers);
  model.quantisation = quantisation;
  model.parameters = 77;
  return model;
}

Model with(Model model, const SafetensorsBytes& bytes) {
  auto read = with_safetensors(std::move(model), {shard(bytes)});
  if (!read) ADD_FAILURE() << read.error().text;
  return read ? *read : Model{};
}

std::int64_t parameters(const Model& model, Role role) {
  std::int64_t sum = 0;
  for (const WeightGroup& group : model.weights)
    if (group.role == role) sum += group.parameters;
  return sum;
}

std::int64_t bytes_of(const Model& model) {
  std::int64_t sum = 0;
  for (const WeightGroup& group : model.weights) sum += group.bytes;
  return sum;
}

TEST(Safetensors, PutsTensorsInRolesAndLayers) {
  SafetensorsBytes bytes;
  bytes.tensor("model.embed_tokens.weight", "BF16", {100, 8});
  bytes.tensor("model.layers.0.self_attn.q_proj.weight", "BF16", {8, 8});
  bytes.tensor("model.layers.0.self_attn.q_proj.bias", "BF16", {8});
  bytes.tensor("model.layers.0.mlp.up_proj.weight", "BF16", {16, 8});
  bytes.tensor("model.layers.1.mlp.gate.weight", "BF16", {4, 8});
  bytes.tensor("model.layers.1.mlp.experts.3.up_proj.weight", "BF16", {16, 8});
  bytes.tensor("model.layers.1.input_layernorm.weight", "F32", {8});
  bytes.tensor("lm_head.weight", "BF16", {100, 8});
  Model base = configured(2);
  base.shape.layers[1].experts = 4;
  base.shape.experts_per_token = 1;
  const Model model = with(base, bytes);
  EXPECT_EQ(model.source, Source::file_header);
  EXPECT_EQ(model.native_dtype, "bf16");
  EXPECT_EQ(parameters(model, Role::embedding), 800);
  EXPECT_EQ(parameters(model, Role::attention), 64);
  EXPECT_EQ(parameters(model, Role::feed_forward), 128);
  EXPECT_EQ(parameters(model, Role::router), 32);
  EXPECT_EQ(parameters(model, Role::experts), 128);
  EXPECT_EQ(parameters(model, Role::norm), 16);
  EXPECT_EQ(parameters(model, Role::output), 800);
  EXPECT_EQ(model.parameters, 1968);
  EXPECT_EQ(model.active_parameters, 1968 - 96);
  EXPECT_FALSE(model.shape.tied_embeddings);
  EXPECT_EQ(bytes_of(model), 2 * 1960 + 4 * 8);
}

TEST(Safetensors, CountsATiedHeadThatIsStoredBesideOnce) {
  SafetensorsBytes bytes;
  bytes.tensor("model.embed_tokens.weight", "BF16", {100, 8});
  bytes.tensor("lm_head.weight", "BF16", {100, 8});
  Model tied = configured(0);
  tied.shape.tied_embeddings = true;
  EXPECT_EQ(with(tied, bytes).parameters, 800);
  EXPECT_EQ(bytes_of(with(tied, bytes)), 1600);
  EXPECT_EQ(with(configured(0), bytes).parameters, 1600);
  SafetensorsBytes t5;
  t5.tensor("shared.weight", "F32", {100, 8});
  t5.tensor("encoder.embed_tokens.weight", "F32", {100, 8});
  t5.tensor("decoder.embed_tokens.weight", "F32", {100, 8});
  EXPECT_EQ(with(configured(0), t5).parameters, 800);
  EXPECT_TRUE(with(configured(0), t5).shape.tied_embeddings);
}

TEST(Safetensors, CountsBlocksPastTheLastLayerAsMultiTokenPrediction) {
  SafetensorsBytes bytes;
  bytes.tensor("model.layers.0.self_attn.o_proj.weight", "BF16", {8, 8});
  bytes.tensor("model.layers.1.self_attn.o_proj.weight", "BF16", {8, 8});
  bytes.tensor("mtp.fc.weight", "BF16", {8, 16});
  Model base = configured(1);
  base.shape.mtp_layers = 1;
  EXPECT_EQ(with(base, bytes).mtp_parameters, 64 + 128);
}

TEST(Safetensors, UnpacksGptqAndAwq) {
  SafetensorsBytes bytes;
  bytes.tensor("model.layers.0.mlp.up_proj.qweight", "I32", {512, 256});
  bytes.tensor("model.layers.0.mlp.up_proj.qzeros", "I32", {32, 32});
  bytes.tensor("model.layers.0.mlp.up_proj.scales", "F16", {32, 256});
  bytes.tensor("model.layers.0.mlp.up_proj.g_idx", "I32", {4096});
  const Model four = with(configured(1, {"gptq", 4, 128}), bytes);
  EXPECT_EQ(four.parameters, 4096 * 256);
  EXPECT_EQ(bytes_of(four), 4 * 512 * 256 + 4 * 1024 + 2 * 32 * 256 + 4 * 4096);
  EXPECT_EQ(with(configured(1, {"gptq", 8, 128}), bytes).parameters, 2048 * 256);
  EXPECT_EQ(with(configured(1), bytes).parameters, 4096 * 256);
  SafetensorsBytes three;
  three.tensor("m.qweight", "I32", {3072 * 3 / 32, 64});
  EXPECT_EQ(with(configured(0, {"gptq", 3, 128}), three).parameters, 3072 * 64);
}

TEST(Safetensors, UnpacksBytesOfTwoParameters) {
  SafetensorsBytes nf4;
  nf4.tensor("model.layers.0.mlp.up_proj.weight", "U8", {512, 1});
  nf4.tensor("model.layers.0.mlp.up_proj.weight.absmax", "U8", {16});
  nf4.tensor("model.layers.0.mlp.up_proj.weight.quant_map", "F32", {16});
  nf4.tensor("model.layers.0.mlp.up_proj.weight.nested_absmax", "F32", {1});
  nf4.tensor("model.layers.0.mlp.up_proj.weight.quant_state.bitsandbytes__nf4", "U8", {80});
  EXPECT_EQ(with(configured(1, {"bitsandbytes", 4, 64}), nf4).parameters, 1024);
  SafetensorsBytes mxfp4;
  mxfp4.tensor("model.layers.0.mlp.experts.gate_up_proj_blocks", "U8", {2, 32, 4, 16});
  mxfp4.tensor("model.layers.0.mlp.experts.gate_up_proj_scales", "U8", {2, 32, 4});
  mxfp4.tensor("model.layers.0.mlp.experts.gate_up_proj_bias", "BF16", {2, 32});
  const Model oss = with(configured(1, {"mxfp4", 4, 32}), mxfp4);
  EXPECT_EQ(parameters(oss, Role::experts), 2 * 32 * 128 + 64);
  SafetensorsBytes nvfp4;
  nvfp4.tensor("l.weight", "U8", {64, 32});
  nvfp4.tensor("l.weight_scale", "F8_E4M3", {64, 4});
  nvfp4.tensor("l.weight_scale_2", "F32", {});
  nvfp4.tensor("l.input_scale", "F32", {});
  EXPECT_EQ(with(configured(0, {"nvfp4", 4, 16}), nvfp4).parameters, 64 * 64);
  SafetensorsBytes fp8;
  fp8.tensor("l.weight", "F8_E4M3", {128, 128});
  fp8.tensor("l.weight_scale_inv", "F32", {1, 1});
  EXPECT_EQ(with(configured(0, {"fp8", 8, 128}), fp8).parameters, 128 * 128);
  EXPECT_EQ(with(configured(0, {"fp8", 8, 128}), fp8).native_dtype, "fp8");
  SafetensorsBytes int8;
  int8.tensor("l.weight", "I8", {64, 64});
  int8.tensor("l.SCB", "F32", {64});
  EXPECT_EQ(with(configured(0, {"bitsandbytes", 8, 0}), int8).parameters, 64 * 64);
  SafetensorsBytes packed;
  packed.tensor("l.weight_packed", "I32", {64, 8});
  packed.tensor("l.weight_scale", "BF16", {64, 1});
  packed.tensor("l.weight_shape", "I64", {2});
  EXPECT_EQ(with(configured(0, {"compressed-tensors", 4, 128}), packed).parameters, 64 * 64);
  SafetensorsBytes mlx;
  mlx.tensor("l.weight", "U32", {64, 8});
  mlx.tensor("l.scales", "BF16", {64, 1}).tensor("l.biases", "BF16", {64, 1});
  EXPECT_EQ(with(configured(0, {"mlx", 4, 64}), mlx).parameters, 64 * 64);
}

TEST(Safetensors, SaysWhereItDoesNotKnowThePacking) {
  SafetensorsBytes bytes;
  bytes.tensor("l.codes", "I16", {64, 8});
  const Model model = with(configured(0, {"aqlm", 2, 0}), bytes);
  EXPECT_EQ(model.parameters, 77);
  ASSERT_EQ(model.doubts.size(), 1U);
  EXPECT_EQ(model.doubts[0].key, "fit.doubt-packing");
}

TEST(Safetensors, LeavesBuffersOutOfTheParameters) {
  SafetensorsBytes bytes;
  bytes.tensor("h.0.attn.bias", "F32", {1, 1, 64, 64});
  bytes.tensor("h.0.attn.masked_bias", "F32", {});
  bytes.tensor("layers.0.self_attn.rotary_emb.inv_freq", "F32", {32});
  bytes.tensor("embeddings.position_ids", "I64", {1, 512});
  bytes.tensor("model.layers.0.self_attn.slope_rate", "F32", {64, 1, 1});
  bytes.tensor("model.layers.0.mlp.act_fn.beta", "F32", {});
  bytes.tensor("bn.running_mean", "F32", {64}).tensor("bn.num_batches_tracked", "I64", {});
  bytes.tensor("h.0.attn.c_attn.bias", "F32", {64});
  EXPECT_EQ(with(configured(1), bytes).parameters, 64);
}

TEST(Safetensors, GivesTheLayersOfAnEncoderOrAVisionModelThatStandsAlone) {
  SafetensorsBytes text;
  text.tensor("text_model.encoder.layers.1.mlp.fc1.weight", "F16", {16, 8});
  const Model encoder = with(configured(2), text);
  EXPECT_EQ(encoder.weights[0].layer, 1);
  Model beside = configured(2);
  beside.shape.encoder_layers = 2;
  EXPECT_EQ(with(beside, text).weights[0].layer, -1);
  SafetensorsBytes clip;
  clip.tensor("vision_model.encoder.layers.1.mlp.fc1.weight", "F16", {16, 8});
  clip.tensor("text_model.encoder.layers.1.mlp.fc1.weight", "F16", {4, 8});
  Model vision = configured(2);
  vision.shape.kind = ModelKind::vision;
  EXPECT_EQ(parameters(with(vision, clip), Role::feed_forward), 128);
  EXPECT_EQ(with(vision, clip).weights[0].layer, 1);
  EXPECT_EQ(parameters(with(configured(2), clip), Role::tower), 128);
}

TEST(Safetensors, LeavesTowersAndPredictionOutOfActiveParameters) {
  SafetensorsBytes bytes;
  bytes.tensor("model.layers.0.mlp.experts.0.up_proj.weight", "BF16", {8, 8});
  bytes.tensor("model.layers.0.mlp.experts.1.up_proj.weight", "BF16", {8, 8});
  bytes.tensor("model.visual.blocks.0.attn.qkv.weight", "BF16", {8, 8});
  bytes.tensor("mtp.fc.weight", "BF16", {8, 8});
  Model base = configured(1);
  base.shape.layers[0].experts = 2;
  base.shape.experts_per_token = 1;
  EXPECT_EQ(with(base, bytes).active_parameters, 64);
}

TEST(Safetensors, JoinsShardsAndRefusesATensorInTwo) {
  const SafetensorsHeader a = shard(SafetensorsBytes().tensor("x.a", "F16", {4, 4}), "1");
  const SafetensorsHeader b = shard(SafetensorsBytes().tensor("x.b", "F16", {4, 4}), "2");
  const auto both = model_of_safetensors({a, b});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->parameters, 32);
  EXPECT_EQ(both->file_bytes, a.file_bytes + b.file_bytes);
  EXPECT_EQ(both->doubts[0].key, "fit.doubt-no-config");
  EXPECT_THAT(with_safetensors({}, {a, a}).error().text, HasSubstr("the tensor 'x.a' is in 1 too"));
}

struct Named {
  std::string name;
  Role role;
  std::int64_t layer;
};

TEST(TorchNames, AreKnownForManyArchitectures) {
  const std::vector<Named> names{
      {"transformer.h.3.attn.c_attn.weight", Role::attention, 3},
      {"transformer.h.3.mlp.c_fc.weight", Role::feed_forward, 3},
      {"transformer.wte.weight", Role::embedding, -1},
      {"transformer.wpe.weight", Role::embedding, -1},
      {"bert.encoder.layer.5.attention.self.query.weight", Role::attention, 5},
      {"bert.encoder.layer.5.attention.output.dense.weight", Role::attention, 5},
      {"bert.encoder.layer.5.output.dense.weight", Role::feed_forward, 5},
      {"bert.encoder.layer.5.intermediate.dense.weight", Role::feed_forward, 5},
      {"bert.embeddings.word_embeddings.weight", Role::embedding, -1},
      {"gpt_neox.layers.2.attention.query_key_value.weight", Role::attention, 2},
      {"gpt_neox.layers.2.mlp.dense_h_to_4h.weight", Role::feed_forward, 2},
      {"gpt_neox.embed_in.weight", Role::embedding, -1},
      {"embed_out.weight", Role::output, -1},
      {"model.layers.4.block_sparse_moe.gate.weight", Role::router, 4},
      {"model.layers.4.block_sparse_moe.experts.0.w1.weight", Role::experts, 4},
      {"model.layers.4.mlp.shared_expert.up_proj.weight", Role::feed_forward, 4},
      {"model.layers.4.mlp.shared_expert_gate.weight", Role::router, 4},
      {"model.layers.4.mlp.gate_proj.weight", Role::feed_forward, 4},
      {"model.layers.4.linear_attn.in_proj_qkvz.weight", Role::attention, 4},
      {"backbone.layers.1.mixer.in_proj.weight", Role::attention, 1},
      {"model.visual.blocks.0.attn.qkv.weight", Role::tower, -1},
      {"vision_tower.vision_model.encoder.layers.0.mlp.fc1.weight", Role::tower, -1},
      {"multi_modal_projector.linear_1.weight", Role::tower, -1},
      {"language_model.model.layers.7.self_attn.k_proj.weight", Role::attention, 7},
      {"model.language_model.layers.7.mlp.down_proj.weight", Role::feed_forward, 7},
      {"model.encoder.layers.0.self_attn.q_proj.weight", Role::attention, -1},
      {"model.decoder.layers.2.encoder_attn.q_proj.weight", Role::attention, 2},
      {"encoder.block.0.layer.0.SelfAttention.q.weight", Role::attention, -1},
      {"decoder.block.1.layer.2.DenseReluDense.wi_0.weight", Role::feed_forward, 1},
      {"transformer_blocks.8.attn.to_q.weight", Role::attention, 8},
      {"transformer_blocks.8.ff.net.0.proj.weight", Role::feed_forward, 8},
      {"mtp.layers.0.self_attn.q_proj.weight", Role::mtp, -1},
      {"model.layers.61.shared_head.head.weight", Role::mtp, -1},
      {"output.weight", Role::output, -1},
      {"lm_head.qweight", Role::output, -1},
      {"lm_head.decoder.weight", Role::output, -1},
      {"lm_head.dense.weight", Role::other, -1},
      {"cls.predictions.decoder.weight", Role::output, -1},
      {"transformer.output_layer.weight", Role::output, -1},
  };
  for (const Named& named : names) {
    const Place place = torch_place(named.name, false);
    EXPECT_EQ(static_cast<int>(place.role), static_cast<int>(named.role)) << named.name;
    EXPECT_EQ(place.layer, named.layer) << named.name;
  }
  EXPECT_EQ(torch_place("model.norm.weight", true).role, Role::norm);
  EXPECT_EQ(torch_place("model.layers.0.input_layernorm.weight", true).role, Role::norm);
}

}  // namespace
}  // namespace gpuready::fit
