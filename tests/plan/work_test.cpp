#include "plan/work.hpp"

#include <gtest/gtest.h>

namespace gpuready::plan {
namespace {

ModelSummary model_of(double parameters, double active = 0) {
  ModelSummary model;
  model.name = "a model", model.kind = "llm";
  model.parameters = static_cast<std::int64_t>(parameters);
  model.active_parameters = static_cast<std::int64_t>(active);
  return model;
}

PlanRequest training_on(double tokens, double epochs = 0) {
  PlanRequest request;
  request.train_tokens = tokens, request.epochs = epochs;
  request.fit.training.task = "full";
  return request;
}

double flops_of(const PlanRequest& request, const ModelSummary& model) {
  const auto work = work_of(request, &model);
  return work ? *work->flops : -1;
}

TEST(Work, PublishedTrainingRunsComeOutAsTheirAuthorsCountThem) {
  // Llama 3 405B: 15.6T tokens, 3.8e25 (arXiv 2407.21783); GPT-3: 174.6e9 parameters, 300e9 tokens,
  // 3.14e23 (arXiv 2005.14165, table D.1).
  const ModelSummary llama = model_of(405e9), gpt = model_of(174.6e9);
  EXPECT_NEAR(flops_of(training_on(15.6e12), llama) / 3.8e25, 1, 0.01);
  EXPECT_NEAR(flops_of(training_on(300e9), gpt) / 3.14e23, 1, 0.01);
}

TEST(Work, OnlyTheExpertsOfATokenCount) {
  // Mixtral 8x7B: 46.7e9 parameters, of which a token uses 12.9e9.
  const ModelSummary model = model_of(46.7e9, 12.9e9);
  EXPECT_DOUBLE_EQ(flops_of(training_on(1e6), model), 6 * 12.9e9 * 1e6);
}

TEST(Work, EpochsMultiply) {
  const ModelSummary model = model_of(1e9);
  EXPECT_DOUBLE_EQ(flops_of(training_on(1e6, 3), model), 3 * flops_of(training_on(1e6), model));
  EXPECT_DOUBLE_EQ(*work_of(training_on(1e6, 3), &model)->tokens, 3e6);
}

TEST(Work, FrozenWeightsTakeFourAndActivationsComputedTwiceTwoMore) {
  const ModelSummary model = model_of(1e9);
  TrainingOptions options;
  options.task = "full";
  EXPECT_DOUBLE_EQ(training_flops_per_token(model, options), 6e9);
  options.checkpointing = "full";
  EXPECT_DOUBLE_EQ(training_flops_per_token(model, options), 8e9);
  options.task = "lora";
  EXPECT_DOUBLE_EQ(training_flops_per_token(model, options), 6e9);
  options.checkpointing = "none";
  EXPECT_DOUBLE_EQ(training_flops_per_token(model, options), 4e9);
}

TEST(Work, LongSequencesAddTheScoresOfCausalAttention) {
  ModelSummary model = model_of(8.03e9);
  model.layers = 32, model.hidden = 4096;
  TrainingOptions options;
  options.task = "full", options.seq = 8192;
  // Half of 12 * 32 * 4096 * 8192.
  EXPECT_DOUBLE_EQ(training_flops_per_token(model, options), 6 * 8.03e9 + 6.442450944e9);
}

TEST(Work, GenerationTakesTwoForEachParameter) {
  const ModelSummary model = model_of(8e9);
  PlanRequest request;
  request.tokens = 1000, request.prompt_tokens = 9000;
  EXPECT_DOUBLE_EQ(flops_of(request, model), 2 * 8e9 * 10000);
}

TEST(Work, OfAModelThatReadsNoTextTokensAreAnError) {
  ModelSummary model = model_of(1e9);
  model.kind = "diffusion";
  const auto work = work_of(training_on(1e6), &model);
  ASSERT_FALSE(work);
  EXPECT_NE(work.error().text.find("--flops"), std::string::npos);
  EXPECT_FALSE(work_of(training_on(1e6), nullptr));
}

TEST(Work, HoursAndOperationsNeedNoModel) {
  PlanRequest request;
  request.cpu_hours = 8;
  EXPECT_EQ(*work_of(request, nullptr)->cpu_hours, 8);
  request.cpu_hours = 0, request.flops = 1e18, request.dtype = "half";
  EXPECT_EQ(*work_of(request, nullptr)->flops, 1e18);
  EXPECT_EQ(work_of(request, nullptr)->dtype, "half");
}

}  // namespace
}  // namespace gpuready::plan
