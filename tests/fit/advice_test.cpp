/// Limits, suggestions and speed that a user acts on: each rerun with what was advised.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fit/answer.hpp"
#include "fit/from_catalogue.hpp"
#include "fit/usable.hpp"

namespace gpuready::fit {
namespace {

const catalog::Catalog& tables() {
  static const catalog::Catalog all = catalog::load_catalog().value();
  return all;
}

Model row(const std::string& name) {
  for (const catalog::Model& model : tables().models)
    if (model.name == name) return model_of_row(model).value();
  ADD_FAILURE() << name << " is not in the catalogue";
  return {};
}

Devices with(const std::string& gpu, std::int64_t count = 1) {
  FitRequest request;
  request.gpu = gpu, request.gpus = count;
  return devices_for(request, Machine{}, tables().gpus).value();
}

Estimate answer(const std::string& model, const FitRequest& request, const Devices& devices) {
  auto out = estimate_fully(row(model), request, devices, tables().gpus);
  EXPECT_TRUE(out) << (out ? "" : out.error().text);
  return out ? *out : Estimate{};
}

FitVerdict verdict(const std::string& model, const FitRequest& request, const Devices& devices) {
  const auto out = estimate(row(model), request, devices);
  EXPECT_TRUE(out) << (out ? "" : out.error().text);
  return out ? out->verdict : FitVerdict::unknown;
}

std::string options_of(const Estimate& estimate) {
  std::string out;
  for (const Suggestion& s : estimate.suggestions)
    out += s.option + (s.verdict == FitVerdict::fits ? " (fits)\n" : "\n");
  return out;
}

TEST(Advice, FewestGpusOfATrainingAreThoseOfTheTrainingAskedFor) {
  FitRequest request;
  request.training.task = "full";
  const Estimate found = answer("Llama-3.1-8B-Instruct", request, with("A100 SXM4 80 GB"));
  EXPECT_TRUE(found.limits.gpus.absent_for(Absence::not_found));
  EXPECT_THAT(options_of(found), testing::HasSubstr(" --fsdp"));
}

TEST(Advice, FewestGpusSkipNoNumber) {
  FitRequest request;
  request.inference.dtype = "q6_k";
  const Estimate found = answer("Mistral-Large-Instruct-2411", request, with("RTX 4090"));
  ASSERT_TRUE(found.limits.gpus);
  const std::int64_t count = *found.limits.gpus;
  EXPECT_EQ(verdict("Mistral-Large-Instruct-2411", request, with("RTX 4090", count)),
            FitVerdict::fits);
  EXPECT_NE(verdict("Mistral-Large-Instruct-2411", request, with("RTX 4090", count - 1)),
            FitVerdict::fits);
}

TEST(Advice, AdaptersAreOfferedRecomputingWithAFusedLossBeforeMoreGpus) {
  FitRequest request;
  request.training.task = "qlora";
  const Estimate packed = answer("gpt-oss-20b", request, with("RTX 4090"));
  EXPECT_THAT(options_of(packed), testing::HasSubstr("--checkpointing full --loss fused (fits)"));
  EXPECT_THAT(options_of(packed), testing::Not(testing::HasSubstr("--gpus 16")));
  request.training.task = "lora";
  const Estimate wide = answer("Llama-3.1-8B-Instruct", request, with("RTX 4090"));
  EXPECT_THAT(options_of(wide), testing::HasSubstr("--checkpointing full --loss fused (fits)"));
}

TEST(Advice, ZeroIsNeverOfferedFsdpWhichItExcludes) {
  FitRequest request;
  request.training.task = "full", request.training.zero = 2;
  const Estimate found = answer("Llama-3.1-8B-Instruct", request, with("RTX 4090", 2));
  EXPECT_THAT(options_of(found), testing::Not(testing::HasSubstr("--fsdp")));
  EXPECT_THAT(options_of(found), testing::HasSubstr("--zero 3"));
}

TEST(Advice, ALongContextIsKeptWhereWeightsAndCacheTogetherAreNarrowEnough) {
  FitRequest request;
  request.runtime = "vllm", request.inference.context = 131072;
  EXPECT_THAT(options_of(answer("Llama-3.1-8B-Instruct", request, with("L4"))),
              testing::HasSubstr("--dtype fp8 --kv-dtype fp8 (fits)"));
}

TEST(Advice, AnImageModelIsOfferedANarrowTypeWithItsPartsMovedInTurn) {
  EXPECT_THAT(options_of(answer("FLUX.2-dev transformer", {}, with("RTX 5090"))),
              testing::HasSubstr("--offload model (fits)"));
}

TEST(Advice, AModelPublishedInFourBitsIsOfferedNoOtherFourBits) {
  FitRequest request;
  request.runtime = "vllm";
  EXPECT_THAT(options_of(answer("gpt-oss-120b", request, with("RTX 4090"))),
              testing::Not(testing::AnyOf(testing::HasSubstr("awq"), testing::HasSubstr("gptq"))));
}

TEST(Advice, OfGpusOfOneSizeTheSlowerIsTheSmallest) {
  FitRequest request;
  request.runtime = "transformers", request.inference.dtype = "bf16";
  const Estimate found = answer("Qwen2.5-32B-Instruct", request, with("RTX 4090"));
  ASSERT_TRUE(found.limits.smallest_gpu);
  EXPECT_TRUE(found.limits.smallest_gpu.is("A100 PCIe 80 GB")) << *found.limits.smallest_gpu;
}

std::string error_of(const std::string& model, const FitRequest& request, const Devices& devices) {
  const auto out = estimate(row(model), request, devices);
  return out ? "no error" : out.error().text;
}

bool assumes(const Estimate& estimate, const std::string& key) {
  return std::any_of(estimate.assumptions.begin(), estimate.assumptions.end(),
                     [&](const Message& message) { return message.key == key; });
}

TEST(Runtimes, SayWhereTheyDoNotRun) {
  FitRequest request;
  request.runtime = "vllm";
  for (const char* gpu : {"Tesla P40", "GeForce GTX 1080 Ti", "Apple M3 Max"})
    EXPECT_THAT(error_of("Qwen2.5-1.5B-Instruct", request, with(gpu)),
                testing::HasSubstr("take --runtime llama.cpp"))
        << gpu;
}

TEST(Runtimes, VllmTakesFp16WhereTheGpuHasNoBf16) {
  FitRequest request;
  request.runtime = "vllm";
  const Estimate found = answer("Qwen2.5-7B-Instruct", request, with("Tesla T4"));
  EXPECT_EQ(found.dtype, "fp16");
  EXPECT_EQ(found.kv_dtype, "fp16");
  EXPECT_TRUE(assumes(found, "fit.assume.fp16-for-bf16"));
  EXPECT_THAT(options_of(found), testing::Not(testing::HasSubstr("--kv-dtype fp8")));
  request.inference.dtype = "bf16";
  EXPECT_THAT(error_of("Qwen2.5-7B-Instruct", request, with("Tesla T4")),
              testing::HasSubstr("take --dtype fp16"));
}

TEST(Recipes, OfTrainingAreSaid) {
  FitRequest request;
  request.training.task = "full";
  EXPECT_TRUE(assumes(answer("Llama-3.1-8B-Instruct", request, with("H200 SXM 141 GB")),
                      "fit.assume.recipe"));
  // What nobody said suits the GPU and the model; what somebody said is told where it doesn't.
  EXPECT_FALSE(assumes(answer("Llama-3.1-8B-Instruct", request, with("Tesla T4")),
                       "fit.assume.no-bf16"));
  request.training.precision = "bf16";
  const Estimate old = answer("Llama-3.1-8B-Instruct", request, with("Tesla T4"));
  EXPECT_TRUE(assumes(old, "fit.assume.no-bf16"));
  Model wide = row("Llama-3.1-8B-Instruct");
  wide.native_dtype = "fp32";
  EXPECT_TRUE(
      assumes(*estimate(wide, request, with("H200 SXM 141 GB")), "fit.assume.bf16-of-fp32"));
}

TEST(Recipes, ATypeThatNobodySaidIsNotCalledPublished) {
  const Estimate found = answer("BERT-base-uncased", {}, with("RTX 4090"));
  EXPECT_TRUE(assumes(found, "fit.assume.unsaid-type"));
  EXPECT_FALSE(assumes(found, "fit.assume.published-type"));
}

TEST(Options, ThatARuntimeOrModelCannotHaveAreErrors) {
  const auto wrong = [](const std::string& model, auto&& change) {
    FitRequest request;
    change(request);
    return error_of(model, request, with("H200 SXM 141 GB"));
  };
  using R = FitRequest&;
  const std::string llm = "Llama-3.1-8B-Instruct", images = "FLUX.2-dev transformer";
  EXPECT_THAT(wrong(llm, [](R r) { r.inference.util = 0.8; }),
              testing::HasSubstr("add --runtime vllm"));
  EXPECT_THAT(wrong(llm, [](R r) { r.inference.image_width = r.inference.image_height = 512; }),
              testing::HasSubstr("makes no images"));
  EXPECT_THAT(wrong(llm, [](R r) { r.inference.offload = "sequential"; }),
              testing::HasSubstr("takes --n-gpu-layers"));
  EXPECT_THAT(wrong(llm, [](R r) { r.training.task = "full", r.training.lora_rank = 8; }),
              testing::HasSubstr("take --task lora"));
  EXPECT_THAT(wrong(images, [](R r) { r.gpus = 2; }), testing::HasSubstr("leave --gpus out"));
}

TEST(Pace, NothingIsSaidOfTheSpeedOfWhatDoesNotFit) {
  FitRequest request;
  request.inference.dtype = "q8_0";
  const Estimate found = answer("Llama-3.1-70B-Instruct", request, with("RTX 4090"));
  ASSERT_EQ(found.verdict, FitVerdict::does_not_fit);
  EXPECT_TRUE(found.speed.tokens_per_s.absent_for(Absence::not_applicable));
}

TEST(Pace, RanksAndExpertsCostTimeInEveryLayer) {
  struct Reported {
    const char *model, *gpu, *dtype;
    double least, most;  ///< tokens a second of one sequence, as reported for eight GPUs
  };
  for (const auto& [model, gpu, dtype, least, most] :
       {Reported{"DeepSeek-R1", "H200 SXM 141 GB", "fp8", 40, 70},
        Reported{"Qwen3-235B-A22B-Instruct-2507", "H100 SXM5 80 GB", "fp8", 80, 110}}) {
    FitRequest request;
    request.runtime = "vllm", request.inference.dtype = dtype;
    const Estimate found = answer(model, request, with(gpu, 8));
    ASSERT_TRUE(found.speed.tokens_per_s) << model;
    EXPECT_LE(found.speed.tokens_per_s->low, least) << model;
    EXPECT_GE(found.speed.tokens_per_s->high, most) << model;
    EXPECT_GE(found.speed.tokens_per_s->expected, 0.8 * least) << model;
    EXPECT_LE(found.speed.tokens_per_s->expected, 1.2 * most) << model;
  }
}

TEST(Pace, EightGpusDoNotRunASmallModelEightTimesAsFast) {
  FitRequest request;
  request.runtime = "vllm";
  const double one = answer("Llama-3.1-8B-Instruct", request, with("H100 SXM5 80 GB"))
                         .speed.tokens_per_s->expected;
  const double eight = answer("Llama-3.1-8B-Instruct", request, with("H100 SXM5 80 GB", 8))
                           .speed.tokens_per_s->expected;
  EXPECT_GT(eight, one);
  EXPECT_LT(eight, 4 * one);
}

}  // namespace
}  // namespace gpuready::fit
