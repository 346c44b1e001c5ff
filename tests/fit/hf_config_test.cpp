#include "fit/hf_config.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace gpuready::fit {
namespace {

/// A small Llama with further keys.
std::string llama(const std::string& more) {
  return R"({"model_type":"llama","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,)"
         R"("intermediate_size":128,"vocab_size":100,"max_position_embeddings":99,)"
         R"("torch_dtype":"float16")" +
         (more.empty() ? std::string() : "," + more) + "}";
}

Model read(const std::string& text) {
  auto model = read_hf_config(text);
  EXPECT_TRUE(model) << model.error().text;
  return model.value_or(Model{});
}

std::string error_of(const std::string& text) {
  const auto model = read_hf_config(text);
  return model ? "read" : model.error().text;
}

std::vector<std::string> doubts(const Model& model) {
  std::vector<std::string> keys;
  for (const Message& doubt : model.doubts) keys.push_back(doubt.key);
  return keys;
}

std::int64_t bytes(const Model& model, Role role) {
  std::int64_t all = 0;
  for (const WeightGroup& group : model.weights)
    if (group.role == role) all += group.bytes;
  return all;
}

TEST(HfConfig, AliasesOfKeysMeanTheSame) {
  const Model gpt2 =
      read(R"({"model_type":"gpt2","n_embd":768,"n_layer":12,"n_head":12,"vocab_size":50257,)"
           R"("n_positions":1024})");
  EXPECT_EQ(gpt2.parameters, 124'439'808);
  EXPECT_EQ(gpt2.shape.layers.size(), 12U);
  EXPECT_EQ(gpt2.shape.layers[0].kv_heads, 12);
  EXPECT_TRUE(gpt2.shape.learned_positions);
}

TEST(HfConfig, DropoutIsReadAsEachFamilyNamesIt) {
  EXPECT_EQ(read(llama("")).shape.dropout, 0);
  EXPECT_EQ(read(llama(R"("attention_dropout":0.05)")).shape.dropout, 0.05);
  EXPECT_EQ(read(llama(R"("attention_probs_dropout_prob":0.0,"hidden_dropout_prob":0.1)"))
                .shape.dropout,
            0.1);
  EXPECT_EQ(read(llama(R"("attn_pdrop":-3,"resid_pdrop":7)")).shape.dropout, 1);
}

TEST(HfConfig, HeadSizeBeatsHiddenOverHeads) {
  EXPECT_EQ(read(llama("")).shape.layers[0].head_dim_k, 16);
  EXPECT_EQ(read(llama(R"("head_dim":32)")).shape.layers[0].head_dim_k, 32);
}

TEST(HfConfig, AttentionWithoutHeadsIsAFault) {
  const std::string none =
      R"({"model_type":"llama","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":0,)"
      R"("intermediate_size":128,"vocab_size":100,"max_position_embeddings":99})";
  EXPECT_NE(error_of(none).find("num_attention_heads is 0"), std::string::npos) << error_of(none);
  const std::string no_kv = llama(R"("num_key_value_heads":0)");
  EXPECT_NE(error_of(no_kv).find("num_key_value_heads is 0"), std::string::npos) << error_of(no_kv);
}

TEST(HfConfig, AMethodOfQuantizationThatIsNotKnownIsADoubt) {
  const auto said = [](const std::string& method) {
    const Model model = read(llama(R"("quantization_config":{"quant_method":")" + method + "\"}"));
    return std::ranges::count(doubts(model), "fit.doubt.quantisation");
  };
  EXPECT_EQ(said("foo"), 1);
  for (const char* known : {"gptq", "awq", "fp8", "bitsandbytes", "mxfp4"})
    EXPECT_EQ(said(known), 0) << known;
}

TEST(HfConfig, AMissingTypeOfWeightsIsADoubt) {
  const Model model = read(
      R"({"model_type":"llama","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,)"
      R"("intermediate_size":128,"vocab_size":100,"max_position_embeddings":99})");
  EXPECT_EQ(doubts(model), std::vector<std::string>{"fit.doubt.dtype"});
}

TEST(HfConfig, AnUnknownTypeIsEstimatedWithADoubt) {
  std::string text = llama("");
  text.replace(text.find("\"llama\""), 7, "\"brandnew\"");
  const Model model = read(text);
  EXPECT_EQ(doubts(model), std::vector<std::string>{"fit.doubt.family"});
  EXPECT_EQ(model.parameters, read(llama("")).parameters);
}

TEST(HfConfig, AnUnknownTypeWithExpertsCountsAllOfThem) {
  const Model model = read(
      R"({"model_type":"brandnew_moe","hidden_size":64,"num_hidden_layers":3,"vocab_size":100,)"
      R"("num_attention_heads":4,"intermediate_size":128,"n_routed_experts":8,)"
      R"("num_experts_per_tok":2,"moe_intermediate_size":32,"n_shared_experts":1,)"
      R"("first_k_dense_replace":1,"kv_lora_rank":16,"qk_rope_head_dim":8,"qk_nope_head_dim":8,)"
      R"("v_head_dim":8,"torch_dtype":"bfloat16"})");
  EXPECT_EQ(doubts(model), std::vector<std::string>{"fit.doubt.family"});
  EXPECT_EQ(model.shape.layers[0].experts, 0);
  EXPECT_EQ(model.shape.layers[1].experts, 8);
  EXPECT_EQ(model.shape.layers[1].shared_ffn, 32);
  EXPECT_EQ(model.shape.latent.kv_lora_rank, 16);
}

TEST(HfConfig, AnUnknownTypeDoesNotChargeItsLinearLayersWithACache) {
  const Model model = read(
      R"({"model_type":"brandnew_hybrid","hidden_size":64,"num_hidden_layers":2,"vocab_size":100,)"
      R"("num_attention_heads":4,"intermediate_size":128,"torch_dtype":"bfloat16",)"
      R"("layer_types":["linear_attention","full_attention"]})");
  EXPECT_EQ(model.shape.layers[0].mixer, Mixer::recurrent);
  EXPECT_EQ(model.shape.layers[1].mixer, Mixer::attention);
}

TEST(HfConfig, AnUnknownTypeWithoutTheUsualKeysNamesTheMissingOne) {
  EXPECT_EQ(error_of(R"({"model_type":"brandnew","hidden_size":64})"), "vocab_size is missing");
}

TEST(HfConfig, DefaultsOfTheClassAreTakenAndListed) {
  const Model model = read(
      R"({"model_type":"mixtral","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,)"
      R"("num_key_value_heads":4,"intermediate_size":128,"max_position_embeddings":99,)"
      R"("torch_dtype":"bfloat16","num_local_experts":8})");
  ASSERT_EQ(model.doubts.size(), 1U);
  EXPECT_EQ(model.doubts[0],
            (Message{"fit.doubt.defaults", {"num_experts_per_tok = 2, vocab_size = 32000"}}));
}

TEST(HfConfig, APartThatSaysNothingIsItsClass) {
  // As llava-hf/llava-1.5-7b-hf has it: the decoder's sizes are all defaults.
  const Model model = read(
      R"({"model_type":"llava","torch_dtype":"float16","text_config":{"model_type":"llama",)"
      R"("max_position_embeddings":4096,"vocab_size":32064},"vision_config":{"hidden_size":1024,)"
      R"("image_size":336,"intermediate_size":4096,"model_type":"clip_vision_model",)"
      R"("num_attention_heads":16,"num_hidden_layers":24,"patch_size":14}})");
  EXPECT_EQ(model.parameters, 7'063'427'072);
  // As google/gemma-3-4b-it has it.
  const Model gemma = read(
      R"({"model_type":"gemma3","torch_dtype":"bfloat16","text_config":{"model_type":"gemma3_text",)"
      R"("hidden_size":2560,"intermediate_size":10240,"num_hidden_layers":34,)"
      R"("sliding_window":1024},"vision_config":{"hidden_size":1152,"image_size":896,)"
      R"("intermediate_size":4304,"model_type":"siglip_vision_model","num_attention_heads":16,)"
      R"("num_hidden_layers":27,"patch_size":14,"vision_use_head":false}})");
  EXPECT_EQ(gemma.parameters, 4'300'079'472);
}

TEST(HfConfig, AnAliasIsNoMissingKey) {
  // As tiiuae/falcon-7b had it at first; the class's own names would be other sizes.
  const Model model =
      read(R"({"model_type":"falcon","hidden_size":64,"n_layer":2,"n_head":4,"vocab_size":100,)"
           R"("multi_query":true,"torch_dtype":"bfloat16"})");
  EXPECT_EQ(model.shape.layers.size(), 2U);
  EXPECT_EQ(model.shape.layers[0].heads, 4);
}

TEST(HfConfig, NullIsAValueAndNoMissingKey) {
  const std::string text =
      R"({"model_type":"mistral","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,)"
      R"("num_key_value_heads":2,"intermediate_size":128,"vocab_size":100,)"
      R"("max_position_embeddings":99,"head_dim":16,"torch_dtype":"bfloat16")";
  EXPECT_EQ(read(text + R"(,"sliding_window":null})").shape.layers[0].mixer, Mixer::attention);
  EXPECT_EQ(read(text + "}").shape.layers[0].window, 4096);
}

TEST(HfConfig, AFileWithoutHiddenSizeOrLayersIsRefusedWhateverItsClassSays) {
  EXPECT_EQ(error_of(R"({"model_type":"llama"})"), "hidden_size is missing");
  EXPECT_EQ(error_of(R"({"model_type":"llama","hidden_size":64})"), "num_hidden_layers is missing");
}

TEST(HfConfig, WindowsOfQwenCountOnlyWhereTheyAreInUse) {
  const std::string common =
      R"({"model_type":"qwen2","hidden_size":64,"num_hidden_layers":4,"num_attention_heads":4,)"
      R"("intermediate_size":128,"vocab_size":100,"sliding_window":8,"max_window_layers":3,)";
  const auto windowed = [](const Model& model) {
    return std::ranges::count(model.shape.layers, Mixer::sliding, &Layer::mixer);
  };
  EXPECT_EQ(windowed(read(common + R"("use_sliding_window":false})")), 0);
  EXPECT_EQ(windowed(read(common + R"("use_sliding_window":true})")), 1);
}

TEST(HfConfig, LayerTypesBeatThePattern) {
  const Model model = read(
      R"({"model_type":"gemma3_text","hidden_size":64,"num_hidden_layers":3,"head_dim":16,)"
      R"("num_attention_heads":4,"intermediate_size":128,"vocab_size":100,"sliding_window":512,)"
      R"("layer_types":["full_attention","sliding_attention","full_attention"]})");
  EXPECT_EQ(model.shape.layers[0].mixer, Mixer::attention);
  EXPECT_EQ(model.shape.layers[1].mixer, Mixer::sliding);
  EXPECT_EQ(model.shape.layers[1].window, 512);
}

TEST(HfConfig, TheTextPartOfAModelThatSeesIsRead) {
  const Model model = read(
      R"({"model_type":"llava","torch_dtype":"float16","text_config":{"model_type":"llama",)"
      R"("hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,"intermediate_size":128,)"
      R"("vocab_size":100},"vision_config":{"model_type":"clip_vision_model","hidden_size":32,)"
      R"("num_hidden_layers":3,"num_attention_heads":2,"intermediate_size":64,"patch_size":8,)"
      R"("image_size":32}})");
  EXPECT_EQ(model.shape.kind, ModelKind::vlm);
  EXPECT_EQ(model.shape.tower.layers, 3);
  EXPECT_EQ(model.shape.tower.tokens, 17);
  EXPECT_GT(bytes(model, Role::tower), 0);
}

TEST(HfConfig, APartThatHearsIsADoubt) {
  EXPECT_EQ(doubts(read(llama(R"("audio_config":{"hidden_size":8})"))),
            std::vector<std::string>{"fit.doubt.sound"});
}

TEST(HfConfig, PythonsNanAndInfinityAreReadAsMissing) {
  const Model model = read(llama(
      R"("time_step_limit":[0.0,Infinity],"a":-Infinity,"rope_theta":NaN,"note":"NaN \" Infinity")"));
  EXPECT_EQ(model.parameters, read(llama("")).parameters);
  EXPECT_EQ(error_of(llama(R"("head_dim":NaN)")), "read");
}

TEST(HfConfig, QuantisationIsRead) {
  const auto method = [](const std::string& text) {
    const Model model = read(llama(R"("quantization_config":)" + text));
    return model.quantisation.method + " " + std::to_string(model.quantisation.bits) + " " +
           std::to_string(model.quantisation.group_size);
  };
  EXPECT_EQ(method(R"({"quant_method":"gptq","bits":4,"group_size":128})"), "gptq 4 128");
  EXPECT_EQ(method(R"({"quant_method":"gptq","bits":8,"group_size":-1})"), "gptq 8 0");
  EXPECT_EQ(method(R"({"quant_method":"awq","w_bit":4,"q_group_size":64})"), "awq 4 64");
  EXPECT_EQ(method(R"({"quant_method":"fp8","weight_block_size":[128,128]})"), "fp8 8 128");
  EXPECT_EQ(method(R"({"quant_method":"fbgemm_fp8"})"), "fp8 8 0");
  EXPECT_EQ(method(R"({"quant_method":"mxfp4"})"), "mxfp4 4 32");
  EXPECT_EQ(method(R"({"quant_method":"bitsandbytes","load_in_8bit":true})"), "bitsandbytes 8 0");
  EXPECT_EQ(method(R"({"quant_method":"bitsandbytes","load_in_4bit":true})"), "bitsandbytes 4 64");
  EXPECT_EQ(
      method(
          R"({"quant_method":"bitsandbytes","load_in_4bit":true,"bnb_4bit_use_double_quant":true})"),
      "nf4-dq 4 64");
  EXPECT_EQ(method(R"({"quant_method":"compressed-tensors","config_groups":{"group_0":{"weights":)"
                   R"({"num_bits":4,"type":"int","group_size":32}}}})"),
            "compressed-tensors 4 32");
  EXPECT_EQ(method(R"({"quant_method":"compressed-tensors","config_groups":{"group_0":{"weights":)"
                   R"({"num_bits":8,"type":"float","group_size":null}}}})"),
            "fp8 8 0");
  EXPECT_EQ(method(R"({"quant_method":"modelopt","quant_algo":"NVFP4"})"), "nvfp4 4 16");
  EXPECT_EQ(
      method(
          R"({"quant_method":"torchao","quant_type":{"default":{"_type":"Int4WeightOnlyConfig"}}})"),
      "torchao 4 128");
}

TEST(HfConfig, EmbeddingsAndHeadOfAQuantisedModelKeepTwoBytes) {
  const Model plain = read(llama(""));
  const Model packed =
      read(llama(R"("quantization_config":{"quant_method":"gptq","bits":4,"group_size":32})"));
  EXPECT_EQ(bytes(packed, Role::embedding), bytes(plain, Role::embedding));
  EXPECT_EQ(bytes(packed, Role::output), bytes(plain, Role::output));
  // 4 bits, and a 2-byte scale with a 4-bit zero point per 32.
  EXPECT_EQ(bytes(packed, Role::attention), 2 * 64 * 64 * 4 / 2 + 2 * 64 * 64 * 4 / 32 * 5 / 2);
  EXPECT_EQ(packed.parameters, plain.parameters);
}

TEST(HfConfig, ExpertsThatATokenDoesNotUseAreNotActive) {
  const Model model = read(
      R"({"model_type":"mixtral","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,)"
      R"("intermediate_size":128,"vocab_size":100,"num_local_experts":8,"num_experts_per_tok":2})");
  EXPECT_EQ(model.parameters - model.active_parameters, 2 * 6 * 3 * 64 * 128);
}

// What a stranger's file may say.

TEST(HostileHfConfig, WrongKindsAndRangesAreNamed) {
  const std::string range = ", expected a whole number from 0 to 100000000";
  EXPECT_EQ(error_of(llama(R"("num_hidden_layers":"two")")),
            "num_hidden_layers is \"two\"" + range);
  EXPECT_EQ(error_of(llama(R"("hidden_size":-64)")), "hidden_size is -64" + range);
  EXPECT_EQ(error_of(llama(R"("hidden_size":1e30)")), "hidden_size is 1e+30" + range);
  EXPECT_EQ(error_of(llama(R"("vocab_size":100.5)")), "vocab_size is 100.5" + range);
  EXPECT_EQ(error_of(llama(R"("hidden_size":[64])")), "hidden_size is [64]" + range);
  EXPECT_EQ(error_of(llama(R"("tie_word_embeddings":"yes")")),
            "tie_word_embeddings is \"yes\", expected true or false");
}

TEST(HostileHfConfig, AMillionLayersAreRefused) {
  EXPECT_EQ(error_of(llama(R"("num_hidden_layers":1000000)")),
            "num_hidden_layers is 1000000, expected 1 to 10000");
  EXPECT_EQ(error_of(llama(R"("num_hidden_layers":0)")),
            "num_hidden_layers is 0, expected 1 to 10000");
}

TEST(HostileHfConfig, SizesWhoseProductOverflowsAreRefused) {
  EXPECT_NE(error_of(llama(R"("hidden_size":100000000,"intermediate_size":100000000,)"
                           R"("num_hidden_layers":10000)"))
                .find("parameters"),
            std::string::npos);
}

TEST(HostileHfConfig, TextPartsInsideTextPartsEnd) {
  std::string text = llama("");
  for (int i = 0; i < 40; ++i) text = R"({"model_type":"llava","text_config":)" + text + "}";
  EXPECT_EQ(error_of(text), "hidden_size is missing");
}

TEST(HostileHfConfig, TensOfThousandsOfKeysAreRefused) {
  std::string more;
  for (int i = 0; i < 20'000; ++i) more += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":0";
  EXPECT_EQ(error_of(llama(more)), "more than 10000 keys");
}

TEST(HostileHfConfig, AListLongerThanAllLayersIsRefused) {
  std::string list = "0";
  for (int i = 0; i < 20'000; ++i) list += ",0";
  EXPECT_EQ(error_of(R"({"model_type":"bamba","hidden_size":64,"num_hidden_layers":2,)"
                     R"("attn_layer_indices":[)" +
                     list + "]}"),
            "attn_layer_indices: a list of more than 10000");
}

TEST(HostileHfConfig, WhatIsNoObjectIsRefused) {
  EXPECT_EQ(error_of("[]"), "expected a JSON object, found []");
  EXPECT_EQ(error_of("{}"), "hidden_size is missing");
  EXPECT_EQ(error_of(R"({"model_type":5})"), "model_type is 5, expected a text");
  EXPECT_NE(error_of("{\"a\":").find("not JSON"), std::string::npos);
}

}  // namespace
}  // namespace gpuready::fit
