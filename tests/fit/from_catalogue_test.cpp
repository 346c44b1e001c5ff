#include "fit/from_catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "catalog/catalog.hpp"

namespace gpuready::fit {
namespace {

const catalog::Catalog& catalogue() {
  static const catalog::Catalog all = catalog::load_catalog().value_or(catalog::Catalog{});
  return all;
}

const catalog::Model& row(const std::string& name) {
  static const catalog::Model none;
  const auto it = std::ranges::find(catalogue().models, name, &catalog::Model::name);
  if (it != catalogue().models.end()) return *it;
  ADD_FAILURE() << "no row " << name;
  return none;
}

Model model(const std::string& name) {
  auto made = model_of_row(row(name));
  EXPECT_TRUE(made) << made.error().text;
  return made.value_or(Model{});
}

std::int64_t sum(const Model& made, Role role) {
  std::int64_t all = 0;
  for (const WeightGroup& group : made.weights)
    if (group.role == role) all += group.parameters;
  return all;
}

std::int64_t bytes(const Model& made) {
  std::int64_t all = 0;
  for (const WeightGroup& group : made.weights) all += group.bytes;
  return all;
}

std::int64_t count(const Model& made, Mixer mixer) {
  return std::ranges::count(made.shape.layers, mixer, &Layer::mixer);
}

TEST(FromCatalogue, EveryRowBecomesAModelWhoseWeightsSumToItsParameters) {
  for (const catalog::Model& one : catalogue().models) {
    const auto made = model_of_row(one);
    ASSERT_TRUE(made) << made.error().text;
    std::int64_t all = 0;
    for (const WeightGroup& group : made->weights) {
      all += group.parameters;
      EXPECT_GT(group.parameters, 0) << one.name;
      EXPECT_GT(group.bytes, 0) << one.name;
      EXPECT_FALSE(group.dtype.empty()) << one.name;
      EXPECT_LT(group.layer, static_cast<std::int64_t>(made->shape.layers.size())) << one.name;
    }
    EXPECT_EQ(all, one.parameters) << one.name;
    EXPECT_EQ(made->parameters, one.parameters) << one.name;
  }
}

TEST(FromCatalogue, ShapesExplainThePublishedTotalToOnePartIn10000WhereNothingIsBesideThem) {
  // Some towers, sound, and an embedding head (NV-Embed) are neither in columns nor beside them.
  for (const catalog::Model& one : catalogue().models) {
    if ((one.kind == "vlm" && !one.more.contains("sees_like")) || one.kind == "diffusion" ||
        one.family == "nv-embed" || one.more.contains("rest_is_mtp"))
      continue;
    const auto made = shapes_of_row(one);
    ASSERT_TRUE(made) << made.error().text;
    const double left = std::abs(static_cast<double>(one.parameters - made->parameters));
    EXPECT_LT(left, 1e-4 * static_cast<double>(one.parameters)) << one.name;
  }
}

TEST(FromCatalogue, ATowerIsAtMostWhatIsBesideTheDecoder) {
  for (const catalog::Model& one : catalogue().models) {
    if (one.kind != "vlm") continue;
    const Model made = model(one.name);
    EXPECT_GT(sum(made, Role::tower), 0) << one.name;
    EXPECT_LT(sum(made, Role::tower), 2'000'000'000) << one.name;
  }
}

TEST(FromCatalogue, LayersThatGrowWithTheContextAreThoseOfTheRow) {
  for (const catalog::Model& one : catalogue().models) {
    if (!one.full_attention_layers || one.family == "t5" || one.kind == "speech" ||
        one.more.contains("cache_not_known"))
      continue;
    const Model made = model(one.name);
    const auto full = std::ranges::count_if(made.shape.layers, [](const Layer& layer) {
      return layer.mixer == Mixer::attention && layer.owns_cache;
    });
    EXPECT_EQ(full, *one.full_attention_layers) << one.name;
  }
}

TEST(FromCatalogue, ActiveParametersComputedFromTheShapesAreThoseOfTheRow) {
  for (const catalog::Model& one : catalogue().models) {
    if (one.active_parameters == 0 || one.kind == "diffusion") continue;
    const auto made = shapes_of_row(one);
    ASSERT_TRUE(made);
    const auto listed = static_cast<double>(one.active_parameters);
    EXPECT_NEAR(static_cast<double>(made->active_parameters), listed, 1e-4 * listed) << one.name;
  }
}

TEST(FromCatalogue, SlidingWindowsFollowThePattern) {
  const Model gemma = model("Gemma-3-27b-it");
  EXPECT_EQ(count(gemma, Mixer::sliding), 52);
  EXPECT_EQ(count(gemma, Mixer::attention), 10);
  EXPECT_EQ(gemma.shape.layers[0].window, 1024);
  EXPECT_EQ(gemma.shape.layers[5].mixer, Mixer::attention);
}

TEST(FromCatalogue, ChunkedCrossAndSharedLayersAreTold) {
  EXPECT_EQ(count(model("Llama-4-Scout-17B-16E-Instruct"), Mixer::chunked), 36);
  EXPECT_EQ(count(model("Llama-3.2-11B-Vision-Instruct"), Mixer::cross), 8);
  const Model e2b = model("Gemma-4-E2B-it");
  EXPECT_EQ(std::ranges::count(e2b.shape.layers, true, &Layer::owns_cache), 15);
  EXPECT_EQ(e2b.shape.layers[4].head_dim_k, 512);
  EXPECT_EQ(e2b.shape.layers[0].head_dim_k, 256);
}

TEST(FromCatalogue, AHybridKeepsTheStateThatALogShows) {
  // fit.md 2.2: conv 48 x 3 x 10,240 and state 48 x 48 x 128 x 128 elements (llama.cpp PR 23792).
  const Model qwen = model("Qwen3.6-27B");
  EXPECT_EQ(count(qwen, Mixer::recurrent), 48);
  std::int64_t conv = 0, state = 0;
  for (const Layer& layer : qwen.shape.layers)
    conv += layer.conv_state, state += layer.recurrent_state;
  EXPECT_EQ(conv, 48 * 3 * 10'240);
  EXPECT_EQ(state, 48LL * 48 * 128 * 128);
}

TEST(FromCatalogue, MtpBlocksAreTheSizesThatAreKnown) {
  // models.md, "MTP blocks counted in params_total", in units of 10 million.
  const std::vector<std::pair<const char*, std::int64_t>> known{
      {"DeepSeek-V3", 1346}, {"DeepSeek-V3.2", 1348},    {"GLM-4.5", 554},
      {"GLM-4.6", 399},      {"GLM-4.5-Air", 362},       {"GLM-4.7-Flash", 128},
      {"GLM-5", 995},        {"Qwen3.5-27B", 42},        {"Qwen3-Next-80B-A3B-Instruct", 165},
      {"Qwen3.5-9B", 24},    {"Qwen3.5-397B-A17B", 660}, {"Nemotron-3-Super-120B-A12B", 294},
      {"MiMo-7B-RL", 21}};
  for (const auto& [name, size] : known) {
    const double ten_millions = static_cast<double>(model(name).mtp_parameters) / 1e7;
    EXPECT_EQ(std::llround(ten_millions), size) << name;
  }
}

TEST(FromCatalogue, ExpertsInFourBitsGiveTheBytesThatWereMeasured) {
  // hf-mem issue 60: gpt-oss-120b holds 65,248,815,744 bytes of weights.
  EXPECT_EQ(bytes(model("gpt-oss-120b")), 65'248'815'744);
}

TEST(FromCatalogue, SixteenBitRowsTakeTwoBytesEach) {
  EXPECT_EQ(bytes(model("Llama-3.1-8B-Instruct")), 2 * 8'030'261'248);
}

TEST(FromCatalogue, AnEncoderBesideTheDecoderHasItsOwnLayers) {
  const Model whisper = model("Whisper-large-v3");
  EXPECT_EQ(whisper.shape.encoder_layers, 32);
  EXPECT_EQ(count(whisper, Mixer::cross), 32);
  EXPECT_EQ(count(whisper, Mixer::attention), 32);
}

TEST(FromCatalogue, ARowWithoutATypeSaysSo) {
  const Model olmo = model("OLMo-2-7B-Instruct");
  ASSERT_EQ(olmo.doubts.size(), 1U);
  EXPECT_EQ(olmo.doubts[0].key, "fit.doubt.dtype");
}

TEST(FromCatalogue, AUsersRowThatCannotBeIsAnErrorThatNamesIt) {
  catalog::Model wrong = row("Llama-3.1-8B-Instruct");
  wrong.layers = 20'000;
  EXPECT_FALSE(model_of_row(wrong));
  wrong = row("Llama-3.1-8B-Instruct");
  wrong.heads = 0;
  const auto made = model_of_row(wrong);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().text, "Llama-3.1-8B-Instruct: num_attention_heads is missing");
}

}  // namespace
}  // namespace gpuready::fit
