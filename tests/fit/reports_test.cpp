/// Public reports of other tools' wrong answers (their numbers in parentheses), asked of ours.

#include <gtest/gtest.h>

#include "base/quantity.hpp"
#include "fit/answer.hpp"
#include "fit/from_catalogue.hpp"
#include "fit/outcome.hpp"
#include "fit/usable.hpp"
#include "tests/fit/shapes.hpp"

namespace gpuready::fit {
namespace {

const catalog::Catalog& tables() {
  static const catalog::Catalog all = catalog::load_catalog().value();
  return all;
}

Model model(const std::string& name) {
  for (const catalog::Model& row : tables().models)
    if (row.name == name) return model_of_row(row).value();
  ADD_FAILURE() << "no row " << name;
  return {};
}

Estimate answer(const Model& of, const FitRequest& request, const Devices& devices) {
  auto out = estimate(of, request, devices);
  EXPECT_TRUE(out) << (out ? "" : out.error().text);
  return out ? *out : Estimate{};
}

FitRequest request(const std::string& runtime, const std::string& dtype, std::int64_t context) {
  FitRequest out;
  out.runtime = runtime, out.inference.dtype = dtype, out.inference.context = context;
  return out;
}

double term(const Estimate& estimate, TermName name) {
  for (const Term& t : estimate.terms)
    if (t.name == name) return static_cast<double>(t.bytes.expected_bytes);
  return 0;
}

constexpr double gib = 1073741824.0, mib = 1048576.0, gb = 1e9;

TEST(Reports, ExpertsCountAllNotTheActiveOnes) {  // llmfit #230 (33 GB), #497 (22 GB)
  const Estimate moe =
      answer(model("Qwen3.5-122B-A10B"), request("llama.cpp", "q4_k_m", 8192), shapes::gpus(1, 48));
  const double all = static_cast<double>(moe.total.expected_bytes + moe.host_bytes) / gb;
  EXPECT_GE(all, 70);
  EXPECT_LE(all, 78);
  EXPECT_EQ(moe.verdict, FitVerdict::does_not_fit);
  const Estimate large =
      answer(model("DeepSeek-V3"), request("llama.cpp", "q4_k_m", 8192), shapes::gpus(1, 48));
  EXPECT_NEAR(static_cast<double>(large.total.expected_bytes) / gb, 390, 25);
}

TEST(Reports, LayersWithoutAttentionKeepNoCache) {  // gguf-parser-go #31, #35 (0)
  const Estimate found =
      answer(model("LFM2-1.2B"), request("llama.cpp", "f16", 32768), shapes::gpus(1, 24));
  EXPECT_EQ(term(found, TermName::kv_cache), 384 * mib);
  EXPECT_GT(term(found, TermName::state), 0);
}

TEST(Reports, HybridsGrowInTheirAttentionLayersAlone) {  // gguf-parser-go #28, unsloth PR 4757 (4x)
  const Estimate found =
      answer(model("Qwen3.6-27B"), request("llama.cpp", "q4_k_m", 262144), shapes::gpus(1, 80));
  EXPECT_EQ(term(found, TermName::kv_cache), 16384 * mib);
  EXPECT_NEAR(term(found, TermName::state), 149.625 * mib, 1);
}

TEST(Reports,
     WindowsAreNotChargedInFull) {  // gguf-parser-go #32 (6.0 GiB), gpustack #2101 (139 GB)
  const Estimate small =
      answer(model("gpt-oss-20b"), request("llama.cpp", "", 131072), shapes::gpus(1, 24));
  EXPECT_NEAR(term(small, TermName::kv_cache) / gib, 3.05, 0.06);
  // About 32 GB were used; the report does not say in which type.
  const auto large = [&](const std::string& type) {
    return static_cast<double>(answer(model("Gemma-3-27b-it"), request("llama.cpp", type, 85000),
                                      shapes::gpus(1, 48))
                                   .total.expected_bytes) /
           gb;
  };
  EXPECT_LT(large("q4_k_m"), 32);
  EXPECT_GT(large("q8_0"), 32);
  EXPECT_LT(large("q8_0"), 40);
}

TEST(Reports, MistralSmallIsNot59Gigabytes) {  // ollama #10359: 26,694 MiB were used
  // The report does not say the context.
  const auto total = [&](std::int64_t context) {
    return static_cast<double>(answer(model("Mistral-Small-3.1-24B-Instruct-2503"),
                                      request("ollama", "q4_k_m", context), shapes::gpus(1, 48))
                                   .total.expected_bytes) /
           mib;
  };
  EXPECT_LT(total(32768), 26694);
  EXPECT_GT(total(131072), 26694);
  EXPECT_LT(total(131072), 40000);
}

TEST(Reports, HeadSizesAndLatentsAreTheModelsOwn) {  // unsloth PR 4757 (2.08 GB, 2.19 GB)
  const Estimate latent =
      answer(model("DeepSeek-V3.1"), request("llama.cpp", "q4_k_m", 163840), shapes::gpus(8, 80));
  double cache = 0;
  for (const DeviceShare& share : latent.devices)
    for (const Term& t : share.terms)
      if (t.name == TermName::kv_cache) cache += static_cast<double>(t.bytes.expected_bytes);
  EXPECT_NEAR(cache / gib, 10.72, 0.01);
  const Estimate small =
      answer(model("Qwen3-0.6B"), request("llama.cpp", "f16", 40960), shapes::gpus(1, 24));
  EXPECT_NEAR(term(small, TermName::kv_cache) / gib, 4.38, 0.01);
}

TEST(Reports, OneModelTakesTwiceTheCacheInAnotherRuntime) {  // hf-mem #60 against #70
  FitRequest pages = request("vllm", "", 8192);
  pages.inference.batch = 32, pages.inference.prompt = 8192;
  EXPECT_NEAR(
      term(answer(model("gpt-oss-20b"), pages, shapes::gpus(1, 80)), TermName::kv_cache) / gib,
      12.0, 0.05);
  FitRequest slots = request("llama.cpp", "", 8192);
  slots.inference.batch = 32;
  const double cells =
      term(answer(model("gpt-oss-20b"), slots, shapes::gpus(1, 80)), TermName::kv_cache);
  EXPECT_GE(cells / gib, 6.05);
  EXPECT_LE(cells / gib, 6.65);
}

TEST(Reports, StatesAloneAreNotWhatTrainingTakes) {  // DeepSpeed #4527 (0.49 GB; 14.7 GiB were)
  FitRequest asked;
  asked.training.task = "full", asked.training.precision = "mixed", asked.training.zero = 3;
  asked.training.offload = "all";
  const Model seven = shapes::named("llama-2-7b");
  const Estimate found = answer(seven, asked, shapes::gpus(4, 24));
  EXPECT_GT(static_cast<double>(found.total.expected_bytes) / gib, 10);
  bool told = false;  // what each GPU holds first where the model is not built in shards
  for (const Message& message : found.assumptions)
    told = told || (message.key == "fit.assume.zero-init" && message.args[0] == "12.6 GiB");
  EXPECT_TRUE(told);
  EXPECT_GT(found.host_bytes, std::int64_t{80} << 30U);
}

TEST(Reports, GatedFeedForwardsHaveThreeMatrices) {  // cookbook #36 (56.19 B)
  EXPECT_NEAR(static_cast<double>(shapes::named("qwen2.5-72b").parameters) / 1e9, 72.7, 0.05);
}

TEST(Reports, TheTypeInTheConfigurationDoesNotHalveTheRest) {  // accelerate #3379
  const Model eight = model("Llama-3.1-8B-Instruct");
  const auto weights = [&](const std::string& type) {
    return term(answer(eight, request("transformers", type, 512), shapes::gpus(1, 80)),
                TermName::weights);
  };
  EXPECT_EQ(weights("fp32"), 4.0 * 8030261248.0);
  EXPECT_EQ(weights("bf16"), 2.0 * 8030261248.0);
}

TEST(Reports, GraphsOfVllmAreBounded) {  // vLLM #45178 (3.1 x fewer tokens), #53013 (118.65 GiB)
  const Estimate found =
      answer(model("Llama-3.1-8B-Instruct"), request("vllm", "bf16", 8192), shapes::gpus(1, 80));
  EXPECT_LE(term(found, TermName::reserve) / gib, 2.0);
}

TEST(Reports, AdaptersDoNotShrinkActivations) {  // peft #2196, #3265
  FitRequest asked;
  asked.training.task = "full", asked.training.seq = 1024;
  const Model seven = shapes::named("mistral-7b");
  const double full = term(answer(seven, asked, shapes::gpus(1, 80)), TermName::activations);
  asked.training.task = "lora";
  EXPECT_GE(term(answer(seven, asked, shapes::gpus(1, 80)), TermName::activations), full);
  // peft's preparation turns what is not quantised into 32 bits: about half a GiB.
  asked.training.task = "qlora";
  const Estimate packed = answer(seven, asked, shapes::gpus(1, 8));
  EXPECT_NE(packed.verdict, FitVerdict::fits);
  for (const Term& t : packed.terms)
    if (t.name == TermName::weights) {
      EXPECT_GE(t.bytes.high_bytes - t.bytes.expected_bytes, 400LL << 20U);
    }
}

TEST(Reports, GigabytesAndGibibytesAreNotMixed) {  // ollama #6160
  EXPECT_EQ(base::show_bytes(24LL << 30U), "24.0 GiB");
  EXPECT_EQ(base::parse_bytes("24 GB").value(), 24000000000);
  EXPECT_EQ(base::parse_bytes("24GiB").value(), 24LL << 30U);
}

}  // namespace
}  // namespace gpuready::fit
