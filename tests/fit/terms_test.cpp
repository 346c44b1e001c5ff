/// Each term alone, with values that others published.

#include <gtest/gtest.h>

#include "fit/compute.hpp"
#include "fit/kv_cache.hpp"
#include "fit/overhead.hpp"
#include "fit/range.hpp"
#include "fit/resolve_request.hpp"
#include "fit/training.hpp"
#include "tests/fit/shapes.hpp"

namespace gpuready::fit {
namespace {

InferencePlan plan(Runtime runtime, double context, double sequences = 1) {
  InferencePlan out;
  out.runtime = runtime, out.context = context, out.sequences = sequences;
  out.tokens = 512, out.batched_tokens = 8192;
  return out;
}

double all_cache_bytes(const Model& model, const InferencePlan& how) {
  double bytes = 0;
  for (const Layer& layer : model.shape.layers)
    bytes += cache_bytes(layer, model.shape, how).expected;
  return bytes;
}

double weight_bytes(const Model& model, const std::string& type, bool gguf) {
  return weights_as(model, *catalog::quant_named(type, gguf)).total_bytes();
}

TEST(Weights, AreTwoBytesEachInSixteenBitsAndFourInThirtyTwo) {
  const Model model = shapes::named("llama-3-8b");
  EXPECT_EQ(weight_bytes(model, "bf16", false), 2.0 * 8030261248.0);
  EXPECT_EQ(weight_bytes(model, "fp32", false), 4.0 * 8030261248.0);
}

TEST(Weights, OfGptqAndAwqLeaveEmbeddingsAndHeadInSixteenBits) {
  // 2.9 of the 9.3 GiB of Qwen2.5-14B.
  const Model model = shapes::named("qwen2.5-14b");
  const Weights weights = weights_as(model, *catalog::quant_named("gptq-int4", false));
  EXPECT_NEAR((weights.embedding + weights.output) / gibibyte, 2.9, 0.05);
  EXPECT_NEAR(weights.total_bytes() / gibibyte, 9.3, 0.05);
}

TEST(Weights, OfAMixDifferByTensorAsLlamaCppChooses) {
  // The published file of Mistral-7B in Q4_K_M is 4.07 GiB, in Q8_0 7.17 GiB, in Q2_K 2.53 GiB.
  const Model model = shapes::named("mistral-7b");
  EXPECT_NEAR(weight_bytes(model, "q4_k_m", true) / gibibyte, 4.07, 0.01);
  EXPECT_NEAR(weight_bytes(model, "q8_0", true) / gibibyte, 7.17, 0.01);
  EXPECT_NEAR(weight_bytes(model, "q2_k", true) / gibibyte, 2.53, 0.01);
}

TEST(Weights, RowsThatDoNotFillABlockTakeALargerType) {
  EXPECT_EQ(ggml_element_bytes("q4_k", 4096), 144.0 / 256);
  EXPECT_EQ(ggml_element_bytes("q4_k", 896), 22.0 / 32);
  EXPECT_EQ(ggml_element_bytes("q6_k", 2880), 34.0 / 32);
  EXPECT_EQ(ggml_element_bytes("iq4_xs", 2880), 18.0 / 32);
  EXPECT_EQ(ggml_element_bytes("q4_0", 100), 2.0);
}

TEST(Weights, OfAHeaderAreExactAndOfAMixHaveARange) {
  Model model = shapes::named("mistral-7b");
  model.source = Source::file_header;
  const Weights stored = weights_as_stored(model);
  EXPECT_EQ(stored.low, 1.0);
  EXPECT_EQ(stored.high, 1.0);
  EXPECT_EQ(weights_as(model, *catalog::quant_named("q4_k_m", true)).high, 1.06);
}

TEST(Cache, TypesOfBlocksCountTheirScales) {
  EXPECT_EQ(cache_element_bytes("q8_0"), 1.0625);
  EXPECT_EQ(cache_element_bytes("q4_0"), 0.5625);
  EXPECT_EQ(cache_element_bytes("q5_1"), 0.75);
  EXPECT_EQ(cache_element_bytes("fp8"), 1.0);
  EXPECT_EQ(cache_element_bytes("no such type"), 0.0);
}

TEST(Cache, OfLlamaCppIsPaddedTo256Cells) {
  const Model model = shapes::named("mistral-7b");
  EXPECT_EQ(all_cache_bytes(model, plan(Runtime::llama_cpp, 2000)),
            all_cache_bytes(model, plan(Runtime::llama_cpp, 2048)));
  EXPECT_LT(all_cache_bytes(model, plan(Runtime::transformers, 2000)),
            all_cache_bytes(model, plan(Runtime::transformers, 2048)));
}

TEST(Cache, OfFewHeadsIsReplicatedOverRanks) {
  const Model model = shapes::named("qwen3-235b-a22b");  // 4 heads of keys
  InferencePlan four = plan(Runtime::vllm, 4096), eight = four;
  four.tp = 4, eight.tp = 8;
  EXPECT_EQ(all_cache_bytes(model, four), all_cache_bytes(model, eight));
  EXPECT_EQ(all_cache_bytes(model, plan(Runtime::vllm, 4096)), 4 * all_cache_bytes(model, four));
}

TEST(Cache, OfLatentAttentionIsNotDividedAndTransformersExpandsIt) {
  const Model model = shapes::named("deepseek-r1");
  InferencePlan two = plan(Runtime::vllm, 4096);
  two.tp = 2;
  EXPECT_EQ(all_cache_bytes(model, two), all_cache_bytes(model, plan(Runtime::vllm, 4096)));
  // 40,960 against 576 elements: 71 times.
  EXPECT_NEAR(all_cache_bytes(model, plan(Runtime::transformers, 4096)) /
                  all_cache_bytes(model, plan(Runtime::vllm, 4096)),
              40960.0 / 576, 0.01);
}

TEST(Cache, OfALayerWithoutItsOwnIsNothing) {
  Model model = shapes::named("mistral-7b");
  const double all = all_cache_bytes(model, plan(Runtime::llama_cpp, 2048));
  model.shape.layers[5].owns_cache = false;
  EXPECT_EQ(all_cache_bytes(model, plan(Runtime::llama_cpp, 2048)), all * 31 / 32);
}

TEST(Cache, OfCrossAttentionDoesNotGrowWithTheContext) {
  const Model model = shapes::named("llama-3.2-11b-vision");
  const Layer& cross = model.shape.layers[3];
  const double bytes = cache_bytes(cross, model.shape, plan(Runtime::llama_cpp, 1024)).expected;
  EXPECT_EQ(bytes, 2.0 * 8 * 128 * 2 * 4 * 1601);
  EXPECT_EQ(cache_bytes(cross, model.shape, plan(Runtime::llama_cpp, 8192)).expected, bytes);
}

TEST(Cache, OfBgeM3InAnOldOllamaIs3072MiB) {  // G11: by the formula of every layer
  EXPECT_EQ(all_cache_bytes(shapes::named("bge-m3"), plan(Runtime::llama_cpp, 32768)),
            3072 * mebibyte);
}

TEST(State, IsThirtyTwoBitsInLlamaCppAndCountsSequences) {
  const Model model = shapes::named("qwen3.5-27b");
  double bytes = 0;
  for (const Layer& layer : model.shape.layers)
    bytes += state_bytes(layer, plan(Runtime::llama_cpp, 4096)).expected;
  EXPECT_EQ(bytes, 149.625 * mebibyte);
}

TEST(Compute, WithoutFlashAttentionGrowsWithTheContext) {
  const Model model = shapes::named("mistral-7b");
  InferencePlan off = plan(Runtime::llama_cpp, 2048);
  off.flash = false;
  EXPECT_EQ(llama_compute_bytes(model.shape, off, true).expected, 164 * mebibyte);
  off.context = 32768;
  EXPECT_GT(llama_compute_bytes(model.shape, off, true).expected, 2000 * mebibyte);
}

TEST(Compute, TheHostHoldsInputsAndLogits) {  // G4: 12.01 MiB
  const Model model = shapes::named("qwen2.5-3b");
  EXPECT_NEAR(llama_host_bytes(model.shape, plan(Runtime::llama_cpp, 4096)) / mebibyte, 12.01, 0.6);
}

TEST(Compute, AHeadElsewhereLeavesItsLogitsElsewhere) {
  const Model model = shapes::named("qwen2.5-3b");
  const InferencePlan how = plan(Runtime::llama_cpp, 4096);
  EXPECT_LT(llama_compute_bytes(model.shape, how, false).expected,
            llama_compute_bytes(model.shape, how, true).expected / 2);
}

TEST(Compute, ChosenExpertsCountNotAll) {
  EXPECT_EQ(widths_of(shapes::named("mixtral-8x7b").shape).ffn, 2.0 * 14336);
}

TEST(Context, ComesFromTheTableOfTheGeneration) {
  Device device = shapes::gpus(1, 24, 8.9).gpus[0];
  EXPECT_EQ(context_bytes(device, Runtime::llama_cpp, 1).expected, 350 * mebibyte);
  EXPECT_EQ(context_bytes(device, Runtime::transformers, 1).expected, 480 * mebibyte);
  EXPECT_EQ(context_bytes(device, Runtime::vllm, 2).expected, 880 * mebibyte);
  device.compute_capability = 7.0;
  EXPECT_EQ(context_bytes(device, Runtime::transformers, 1).high, 1343 * mebibyte);
}

TEST(Context, WhatWasMeasuredWins) {
  Device device = shapes::gpus(1, 24, 8.9).gpus[0];
  device.measured_context_bytes = 400 << 20;
  EXPECT_EQ(context_bytes(device, Runtime::llama_cpp, 1).expected, 400 * mebibyte);
  EXPECT_EQ(context_bytes(device, Runtime::transformers, 1).expected, 530 * mebibyte);
}

TEST(Context, TheCpuHasNone) {
  Device cpu;
  cpu.name = "cpu";
  EXPECT_EQ(context_bytes(cpu, Runtime::llama_cpp, 1).high, 0);
}

double states(const std::string& precision, const std::string& optimizer) {
  const StateBytes each = state_bytes_of(precision, optimizer, true);
  return each.weights.expected + each.gradients.expected + each.optimizer.expected;
}

TEST(Training, StatesOfAParameterAreThoseOfTheTable) {
  EXPECT_EQ(states("fp32", "adamw"), 16);
  EXPECT_EQ(states("mixed", "adamw"), 16);
  EXPECT_EQ(state_bytes_of("mixed", "adamw", true).gradients.high, 4);
  EXPECT_EQ(states("bf16", "adamw"), 8);
  EXPECT_NEAR(states("bf16", "adamw-8bit"), 6.03, 0.005);
  EXPECT_NEAR(states("bf16", "adamw-4bit"), 5.06, 0.005);
  EXPECT_EQ(states("bf16", "sgd"), 4);
  EXPECT_EQ(states("fp32", "sgd-momentum"), 12);
  EXPECT_EQ(states("bf16", "lion"), 6);
  EXPECT_NEAR(states("bf16", "lion-8bit"), 5.016, 0.001);
  EXPECT_NEAR(states("bf16", "adafactor"), 4, 0.02);
  EXPECT_EQ(state_bytes_of("fp32", "amp", true).weights.expected, 4);
  EXPECT_EQ(state_bytes_of("amp", "adamw", true).weights.high, 6);
}

TEST(Training, MuonKeepsOneStateOfMatricesAndTwoOfTheRest) {
  EXPECT_EQ(state_bytes_of("bf16", "muon", true).optimizer.expected, 2);
  EXPECT_EQ(state_bytes_of("bf16", "muon", false).optimizer.expected, 4);
}

TEST(Training, ActivationsOfTheClassicBlockAre34HiddenWidths) {
  Model model = shapes::named("bert-large");
  TrainingPlan how;
  how.seq = 512;
  const double flash = activation_bytes_per_token(model.shape.layers[0], model.shape, how);
  EXPECT_NEAR(flash, 34.0 * 1024, 4 * 16 + 1);
  how.flash = false;  // and 5 a s / h more: softmax, mask, dropped softmax
  EXPECT_EQ(activation_bytes_per_token(model.shape.layers[0], model.shape, how),
            34.0 * 1024 + 5.0 * 16 * 512);
}

TEST(Training, SelectiveRecomputeSavesHardlyAnythingWithFlashAttention) {  // B18, G69i: -2 %
  const Model model = shapes::named("bert-large");
  TrainingPlan how;
  how.seq = 2048, how.checkpointing = Checkpointing::selective;
  const Layer& layer = model.shape.layers[0];
  EXPECT_NEAR(kept_bytes_per_token(layer, model.shape, how) /
                  activation_bytes_per_token(layer, model.shape, how),
              24.94 / 25.52, 0.03);
  how.flash = false;
  EXPECT_LT(kept_bytes_per_token(layer, model.shape, how),
            0.5 * activation_bytes_per_token(layer, model.shape, how));
}

TEST(Training, ExpertsCountAsFarAsATokenMeetsThem) {  // B18: not priced as one dense layer of all
  const Model experts = shapes::named("mixtral-8x7b"), dense = shapes::named("mistral-7b");
  TrainingPlan how;
  const double of_experts = activation_bytes_per_token(experts.shape.layers[0], experts.shape, how);
  const double of_dense = activation_bytes_per_token(dense.shape.layers[0], dense.shape, how);
  EXPECT_GT(of_experts, of_dense + 2.0 * 4 * 14336);
  EXPECT_LT(of_experts, 2.2 * of_dense);
}

TEST(Training, AdaptersCountRowsAndColumns) {
  const Model model = shapes::named("llama-2-7b");
  TrainingPlan how;
  how.lora_rank = 8, how.lora_targets = {"q", "v"};
  EXPECT_EQ(32 * adapter_parameters(model.shape.layers[0], model.shape, how), 4194304);
  how.lora_targets = {"gate", "up", "down"};
  EXPECT_EQ(adapter_parameters(model.shape.layers[0], model.shape, how), 8.0 * 3 * (4096 + 11008));
}

TEST(Training, LogitsTakeFourteenBytesAndChunksAnEighth) {
  const Model model = shapes::named("llama-2-7b");
  TrainingPlan how;
  how.seq = 1000;
  EXPECT_EQ(loss_bytes(model.shape, how), 14.0 * 1000 * 32000);
  how.loss = Loss::chunked;
  EXPECT_EQ(loss_bytes(model.shape, how), 14.0 * 1000 * 32000 / 8);
  how.loss = Loss::fused;
  EXPECT_EQ(loss_bytes(model.shape, how), 0);
}

TEST(RangeArithmetic, SurvivesWhatIsTooLarge) {
  EXPECT_EQ(whole_bytes(1e300), std::int64_t{1} << 60U);
  EXPECT_EQ(whole_bytes(std::nan("")), std::int64_t{1} << 60U);
  EXPECT_EQ(whole_bytes(-5), 0);
  const Range most = exactly(1e300);
  EXPECT_EQ((most + most).high_bytes, std::int64_t{1} << 60U);
}

}  // namespace
}  // namespace gpuready::fit
