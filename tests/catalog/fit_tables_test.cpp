#include <gtest/gtest.h>

#include "catalog/context_memory.hpp"
#include "catalog/conv_nets.hpp"
#include "catalog/pipelines.hpp"
#include "catalog/quants.hpp"

namespace gpuready::catalog {
namespace {

Override with(const std::string& file, const std::string& content) {
  return [=](const std::string& name) {
    return name == file ? std::optional<std::string>(content) : std::nullopt;
  };
}

TEST(FitTables, AreReadAndEachRowHasItsSource) {
  ASSERT_TRUE(load_quants({})) << load_quants({}).error().text;
  ASSERT_TRUE(load_context_memory({})) << load_context_memory({}).error().text;
  ASSERT_TRUE(load_pipelines({})) << load_pipelines({}).error().text;
  ASSERT_TRUE(load_conv_nets({})) << load_conv_nets({}).error().text;
  EXPECT_GT(quants().size(), 40U);
}

TEST(FitTables, NamesOfSixteenAndThirtyTwoBitsAreOneInBothWorlds) {
  EXPECT_EQ(quant_named("fp16", true), quant_named("f16", true));
  EXPECT_EQ(quant_named("f32", false), quant_named("fp32", false));
  EXPECT_EQ(quant_named("q4_k_m", false), nullptr);
  EXPECT_EQ(quant_named("nf4", true), nullptr);
}

TEST(FitTables, AConditionThatIsUnknownIsAnErrorThatNamesItsPlace) {
  const auto bad = load_quants(
      with("quants.csv",
           "name,kind,offered,base,embedding,output,attn_v,attn_k,attn_q,attn_output,ffn_gate_up,"
           "ffn_down,linear_bytes,row_bytes,parts,source,as_of\n"
           "q9,gguf,true,q8_0,,,q6_k@sometimes,,,,,,,,,s,2026-08\n"));
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().text.find("attn_v"), std::string::npos) << bad.error().text;
  EXPECT_NE(bad.error().text.find("quants.csv"), std::string::npos) << bad.error().text;
}

TEST(FitTables, EveryGenerationHasAContext) {
  for (const double arch : {5.0, 6.1, 7.0, 7.5, 8.0, 8.6, 8.9, 9.0, 10.0, 12.0})
    for (const char* client : {"cuda", "torch", "nccl"})
      EXPECT_GT(context_memory(client, arch).expected_mib, 0) << client << ' ' << arch;
  EXPECT_GT(context_memory("other", 0).expected_mib, 0);
}

TEST(FitTables, PipelinesBelongToDenoisersByTheBeginningOfTheirNames) {
  EXPECT_EQ(pipeline_of("FLUX.1-dev transformer").size(), 4U);
  EXPECT_EQ(pipeline_of("FLUX.2-klein-9B transformer").size(), 3U);
  EXPECT_TRUE(pipeline_of("SD/SDXL VAE (AutoencoderKL)").empty());
}

}  // namespace
}  // namespace gpuready::catalog
