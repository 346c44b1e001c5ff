#include "catalog/models.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "catalog/gpus.hpp"
#include "catalog/quants.hpp"

namespace gpuready::catalog {
namespace {

std::vector<Gpu> gpus() {
  auto all = load_gpus(Override{});
  EXPECT_TRUE(all) << all.error().text;
  return all.value_or(std::vector<Gpu>{});
}

std::vector<std::string> names(const std::vector<Gpu>& all, std::string_view wanted) {
  std::vector<std::string> out;
  for (const Gpu* gpu : find_gpus(all, wanted)) out.push_back(gpu->name);
  return out;
}

TEST(Models, ARowIsReadWhole) {
  const auto models = load_models(Override{});
  ASSERT_TRUE(models) << models.error().text;
  EXPECT_EQ(models->size(), 378U);
  const auto it =
      std::ranges::find_if(*models, [](const Model& m) { return m.name == "DeepSeek-V3"; });
  ASSERT_NE(it, models->end());
  EXPECT_EQ(it->kv_lora_rank, 512);
  EXPECT_EQ(it->dense_layers, 3);
  EXPECT_EQ(it->head_dim_v, 128);
  EXPECT_EQ(it->tied_embeddings, std::optional<bool>(false));
}

TEST(Models, EveryLineOfTheSideTableNamesAModel) {
  const auto models = load_models(Override{});
  const auto rows = rows_of("model_layers.csv", Override{});
  ASSERT_TRUE(models && rows);
  for (const base::CsvRow& row : *rows) {
    EXPECT_TRUE(std::ranges::any_of(*models, [&](const Model& m) {
      return row.at("model") == m.name || row.at("model") == "family:" + m.family;
    })) << row.at("model");
  }
}

TEST(Gpus, SizesThatAreSoldSideBySideAreAllRead) {
  const auto all = gpus();
  const auto it = std::ranges::find_if(all, [](const Gpu& g) { return g.name == "Apple M3 Max"; });
  ASSERT_NE(it, all.end());
  EXPECT_EQ(it->vram_gb, (std::vector<double>{36, 48, 64, 96, 128}));
  EXPECT_TRUE(it->unified_memory);
}

TEST(Gpus, ANameIsFoundAsPeopleAndDriversWriteIt) {
  const auto all = gpus();
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(all, "4090"), Names{"GeForce RTX 4090"});
  EXPECT_EQ(names(all, "rtx4090"), Names{"GeForce RTX 4090"});
  EXPECT_EQ(names(all, "NVIDIA GeForce RTX 4060"), Names{"GeForce RTX 4060"});
  EXPECT_EQ(names(all, "NVIDIA GeForce RTX 4060 Laptop GPU"), Names{"GeForce RTX 4060 Mobile"});
  EXPECT_EQ(names(all, "T4"), Names{"Tesla T4"});
  EXPECT_EQ(names(all, "NVIDIA A100-SXM4-80GB"), Names{"A100 SXM4 80 GB"});
  EXPECT_EQ(names(all, "NVIDIA H100 80GB HBM3"), Names{"H100 SXM5 80 GB"});
  EXPECT_EQ(names(all, "NVIDIA RTX 6000 Ada Generation"), Names{"RTX 6000 Ada"});
  EXPECT_EQ(names(all, "L40S"), Names{"L40S"});
  EXPECT_EQ(names(all, "A10"), Names{"A10"});
}

TEST(Gpus, ALaptopsGpuIsNeverTheDesktopsOfTheSameNumber) {
  const auto all = gpus();
  for (const char* name :
       {"NVIDIA GeForce RTX 4090 Laptop GPU", "RTX 3080 Laptop", "RTX 5080 Laptop GPU",
        "RTX 4080 Mobile", "NVIDIA RTX A2000 Laptop GPU", "NVIDIA RTX A2000 8GB Laptop GPU"})
    EXPECT_TRUE(names(all, name).empty()) << name << ": " << names(all, name).front();
}

TEST(Gpus, AWordThatMakesAnotherChipOfItIsNotDropped) {
  const auto all = gpus();
  for (const char* name :
       {"M2 Pro", "Apple M3 Ultra", "RTX 3090 Super", "GeForce RTX 2080 with Max-Q Design",
        "RTX 4000 SFF Ada Generation", "NVIDIA A40-8Q", "GRID T4-16Q", "RTX 3080 20 GB",
        "NVIDIA RTX PRO 5000 Blackwell 72GB", "NVIDIA H20-3e"})
    EXPECT_TRUE(names(all, name).empty()) << name << ": " << names(all, name).front();
}

TEST(Gpus, TheMaxOfApplesChipsCountsAndTheMaxOfMaxQDoesNot) {
  const auto all = gpus();
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(all, "M3 Max"), Names{"Apple M3 Max"});
  EXPECT_EQ(names(all, "Apple M3 Max"), Names{"Apple M3 Max"});
  EXPECT_EQ(names(all, "M1 Max"), Names{"Apple M1 Max"});
  EXPECT_EQ(names(all, "Apple M1"), Names{"Apple M1"});
  EXPECT_EQ(names(all, "M4 Max").size(), 2U);
  EXPECT_EQ(names(all, "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition"),
            Names{"RTX PRO 6000 Blackwell Max-Q"});
}

TEST(Gpus, TheExactGpuIsFoundBesideThoseWhoseNamesHoldIt) {
  const auto all = gpus();
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(all, "3090"), Names{"GeForce RTX 3090"});
  EXPECT_EQ(names(all, "4070"), Names{"GeForce RTX 4070"});
  EXPECT_EQ(names(all, "GB200"), Names{"GB200 (per GPU)"});
  EXPECT_EQ(names(all, "GB10"), Names{"GB10 (DGX Spark)"});
}

TEST(Gpus, ANameThatFitsSeveralGivesAllAndAnUnknownOneGivesNone) {
  const auto all = gpus();
  EXPECT_EQ(names(all, "H100").size(), 3U);
  EXPECT_GE(names(all, "A100").size(), 4U);
  EXPECT_TRUE(names(all, "RTX 9999").empty());
  EXPECT_TRUE(names(all, "").empty());
}

TEST(Quants, TheNamesThatPyTorchHasForTypesAreKnown) {
  for (const bool gguf : {false, true}) {
    ASSERT_NE(quant_named("bfloat16", gguf), nullptr);
    EXPECT_EQ(quant_named("bfloat16", gguf), quant_named("bf16", gguf));
    EXPECT_EQ(quant_named("float16", gguf), quant_named("fp16", gguf));
    EXPECT_EQ(quant_named("half", gguf), quant_named("f16", gguf));
    EXPECT_EQ(quant_named("float32", gguf), quant_named("fp32", gguf));
  }
}

}  // namespace
}  // namespace gpuready::catalog
