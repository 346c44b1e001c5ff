#include "fit/resolve.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "catalog/catalog.hpp"

namespace gpuready::fit {
namespace {

const std::vector<catalog::Model>& models() {
  static const auto all = catalog::load_models(catalog::Override{});
  return *all;
}

struct Asked {
  const char* name;
  const char* row;
  const char* dtype;
  const char* doubt;  ///< key of the first one; empty: none
};

void expect_rows(const std::vector<Asked>& list) {
  for (const Asked& asked : list) {
    const auto found = resolve_model(models(), asked.name);
    ASSERT_TRUE(found) << asked.name << ": " << found.error().text;
    EXPECT_EQ(found->row->name, asked.row) << asked.name;
    EXPECT_EQ(found->dtype, asked.dtype) << asked.name;
    EXPECT_EQ(found->doubts.empty() ? std::string() : found->doubts.front().key, asked.doubt)
        << asked.name;
  }
}

std::string error_of(const char* name) {
  const auto found = resolve_model(models(), name);
  return found ? "found " + found->row->name : found.error().text;
}

TEST(Resolve, EveryNameAndEveryIdOfTheCatalogueIsItself) {
  for (const catalog::Model& row : models()) {
    for (const std::string& name : {row.name, row.hf_id}) {
      const auto found = resolve_model(models(), name);
      ASSERT_TRUE(found) << name << ": " << found.error().text;
      EXPECT_EQ(found->row->name, row.name);
      EXPECT_TRUE(found->doubts.empty()) << name;
      EXPECT_EQ(found->dtype, "") << name;
    }
  }
}

TEST(Resolve, CaseAndSpacesDoNotMatter) {
  expect_rows({{"qwen/qwen3-8b", "Qwen3-8B", "", ""},
               {"  LLAMA-3.1-8B-INSTRUCT ", "Llama-3.1-8B-Instruct", "", ""},
               {"whisper large v3", "Whisper-large-v3", "", ""},
               {"flux.1-dev", "FLUX.1-dev transformer", "", ""},
               {"gpt2", "GPT-2", "", ""},
               {"phi_2", "Phi-2", "", ""}});
}

TEST(Resolve, ABaseOrChatSiblingIsTakenAndSaid) {
  const std::string said = "fit.resolved.sibling";
  expect_rows({{"meta-llama/Llama-3.1-8B", "Llama-3.1-8B-Instruct", "", said.c_str()},
               {"meta-llama/Llama-2-7b-hf", "Llama-2-7B-chat", "", said.c_str()},
               {"meta-llama/Meta-Llama-3-70B", "Llama-3-70B-Instruct", "", said.c_str()},
               {"mistralai/Mistral-7B-v0.3", "Mistral-7B-Instruct-v0.3", "", said.c_str()},
               {"mistralai/Mixtral-8x7B-v0.1", "Mixtral-8x7B-Instruct-v0.1", "", said.c_str()},
               {"Qwen/Qwen2.5-14B", "Qwen2.5-14B-Instruct", "", said.c_str()},
               {"Qwen/Qwen3-4B-Base", "Qwen3-4B", "", said.c_str()},
               {"google/gemma-3-27b-pt", "Gemma-3-27b-it", "", said.c_str()},
               {"google/gemma-2-9b", "Gemma-2-9b-it", "", said.c_str()},
               {"deepseek-ai/DeepSeek-V2-Lite", "DeepSeek-V2-Lite-Chat", "", said.c_str()},
               {"tiiuae/falcon-7b", "Falcon-7B-instruct", "", said.c_str()},
               {"moonshotai/Kimi-K2-Base", "Kimi-K2-Instruct", "", said.c_str()},
               {"llama3.1:8b", "Llama-3.1-8B-Instruct", "", said.c_str()},
               {"codellama:13b", "CodeLlama-13b-Instruct", "", said.c_str()}});
}

TEST(Resolve, ACopyIsItsOriginalInTheTypeThatItsNameSays) {
  const std::string copy = "fit.resolved.copy";
  expect_rows(
      {{"unsloth/Llama-3.1-8B-Instruct", "Llama-3.1-8B-Instruct", "", copy.c_str()},
       {"unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit", "Llama-3.1-8B-Instruct", "nf4",
        copy.c_str()},
       {"unsloth/Qwen3-14B-unsloth-bnb-4bit", "Qwen3-14B", "nf4", copy.c_str()},
       {"TheBloke/Mistral-7B-Instruct-v0.2-GGUF", "Mistral-7B-Instruct-v0.2", "gguf", copy.c_str()},
       {"TheBloke/Mixtral-8x7B-Instruct-v0.1-AWQ", "Mixtral-8x7B-Instruct-v0.1", "awq",
        copy.c_str()},
       {"TheBloke/Llama-2-13B-chat-GPTQ", "Llama-2-13B-chat", "gptq-int4", copy.c_str()},
       {"Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4", "Qwen2.5-72B-Instruct", "gptq-int4", copy.c_str()},
       {"Qwen/Qwen2.5-7B-Instruct-GPTQ-Int8", "Qwen2.5-7B-Instruct", "gptq-int8", copy.c_str()},
       {"Qwen/Qwen2.5-7B-Instruct-AWQ", "Qwen2.5-7B-Instruct", "awq", copy.c_str()},
       {"Qwen/Qwen3-30B-A3B-FP8", "Qwen3-30B-A3B", "fp8", copy.c_str()},
       {"neuralmagic/Meta-Llama-3.1-70B-Instruct-FP8", "Llama-3.1-70B-Instruct", "fp8",
        copy.c_str()},
       {"RedHatAI/Llama-3.3-70B-Instruct-quantized.w4a16", "Llama-3.3-70B-Instruct", "gptq-int4",
        copy.c_str()},
       {"nvidia/DeepSeek-R1-NVFP4", "DeepSeek-R1", "nvfp4", copy.c_str()},
       {"unsloth/gpt-oss-20b-BF16", "gpt-oss-20b", "bf16", copy.c_str()},
       {"bartowski/Qwen2.5-Coder-32B-Instruct-GGUF:Q4_K_M", "Qwen2.5-Coder-32B-Instruct", "q4_k_m",
        copy.c_str()},
       {"unsloth/Qwen3-235B-A22B-Instruct-2507-GGUF", "Qwen3-235B-A22B-Instruct-2507", "gguf",
        copy.c_str()},
       {"Qwen3-8B-IQ4_XS", "Qwen3-8B", "iq4_xs", ""},
       {"Qwen3-8B-Q8_0.gguf", "Qwen3-8B", "q8_0", ""},
       {"nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-FP8", "Nemotron-3-Nano-30B-A3B", "fp8",
        copy.c_str()},
       {"qwen2.5:14b-instruct-q4_K_M", "Qwen2.5-14B-Instruct", "q4_k_m", ""}});
}

TEST(Resolve, ASiblingInAnotherTypeSaysBoth) {
  expect_rows(
      {{"unsloth/Llama-3.2-3B-bnb-4bit", "Llama-3.2-3B-Instruct", "nf4", "fit.resolved.sibling"},
       {"TheBloke/Llama-2-70B-GGUF", "Llama-2-70B-chat", "gguf", "fit.resolved.sibling"}});
}

TEST(Resolve, AFormatThatIsNotEstimatedIsSaid) {
  expect_rows({{"mlx-community/Qwen3-8B-4bit", "Qwen3-8B", "", "fit.resolved.format"}});
}

TEST(Resolve, TheBitsOfAFormatThatIsNotEstimatedAreThoseOfItsName) {
  const char* said = "fit.resolved.format-as";
  expect_rows({{"mlx-community/Qwen2.5-32B-Instruct-bf16", "Qwen2.5-32B-Instruct", "bf16", said},
               {"mlx-community/Qwen2.5-32B-Instruct-8bit", "Qwen2.5-32B-Instruct", "q8_0", said},
               {"mlx-community/Qwen3-8B-6bit", "Qwen3-8B", "q6_k", said},
               {"mlx-community/Qwen3-8B-3bit", "Qwen3-8B", "q3_k_m", said},
               {"someone/Qwen3-8B-MLX-8bit", "Qwen3-8B", "q8_0", said}});
  for (const char* name : {"mlx-community/Qwen3-8B", "someone/Qwen3-8B-exl2", "x/Qwen3-8B-ONNX"})
    EXPECT_NE(error_of(name).find("does not say how many bits"), std::string::npos)
        << error_of(name);
}

TEST(Resolve, AFamilyWithoutItsSizeListsTheSizes) {
  EXPECT_NE(error_of("whisper").find("Whisper-tiny, Whisper-base, Whisper-small"),
            std::string::npos)
      << error_of("whisper");
  for (const char* name : {"t5", "flan-t5", "google/flan-t5", "dinov2", "facebook/dinov2"})
    EXPECT_NE(error_of(name).find("-large"), std::string::npos) << error_of(name);
}

TEST(Resolve, ADynamicMixIsSaidToBeLargerThanThePlainOne) {
  const auto found = resolve_model(models(), "unsloth/DeepSeek-R1-GGUF:UD-IQ1_S");
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(found->dtype, "iq1_s");
  EXPECT_TRUE(std::ranges::any_of(
      found->doubts, [](const Message& m) { return m.key == "fit.resolved.dynamic"; }));
}

TEST(Resolve, ASizeOrVersionThatIsNotThereIsNeverGuessed) {
  for (const char* name :
       {"Llama-3.1-9B", "Llama-3.1-7B-Instruct", "Qwen3-7B", "Qwen4-8B", "Qwen2.5-VL-14B",
        "Mistral-7B-Instruct-v0.9", "gemma-5-27b-it", "deepseek-ai/DeepSeek-V5", "gpt-oss-40b",
        "meta-llama/Llama-2-8b-hf", "Qwen3-8B-Thinking-2507", "Phi-4-large",
        "google/gemma-3-27b-it-vision", "bert-base-cased"})
    EXPECT_NE(error_of(name).find("is not in the catalogue"), std::string::npos) << error_of(name);
}

TEST(Resolve, AFineTuneOfAnotherNameIsNotItsBase) {
  for (const char* name :
       {"NousResearch/Hermes-3-Llama-3.1-8B", "cognitivecomputations/dolphin-2.9-llama3-8b",
        "Sao10K/L3-8B-Stheno-v3.2", "google/medgemma-27b-it", "meta-llama/Llama-Guard-3-8B",
        "Qwen/Qwen2.5-Math-7B-Instruct"})
    EXPECT_NE(error_of(name).find("is not in the catalogue"), std::string::npos) << error_of(name);
}

TEST(Resolve, AnUnknownNameListsUpToSixNearOnes) {
  const std::string error = error_of("Llama-3.1-9B-Instruct");
  EXPECT_NE(error.find("Llama-3.1-8B-Instruct"), std::string::npos) << error;
  EXPECT_LE(std::ranges::count(error, ','), 5) << error;
  EXPECT_NE(error_of("mistral-7b").find("Mistral-7B-Instruct-v0.2"), std::string::npos)
      << error_of("mistral-7b");
  EXPECT_NE(error_of("deepseek-r1:7b").find("DeepSeek-R1-Distill-Qwen-7B"), std::string::npos)
      << error_of("deepseek-r1:7b");
}

TEST(Resolve, ANameWithNothingNearSaysWhatToGiveInstead) {
  EXPECT_EQ(error_of("zzz"), "\"zzz\" is not in the catalogue: give a Hub id, a folder or a file");
  EXPECT_EQ(error_of(""), "\"\" is not in the catalogue: give a Hub id, a folder or a file");
  EXPECT_NE(error_of("----").find("is not in the catalogue"), std::string::npos);
}

}  // namespace
}  // namespace gpuready::fit
