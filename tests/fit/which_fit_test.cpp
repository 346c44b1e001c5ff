#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>

#include "fit/answer.hpp"
#include "fit/from_catalogue.hpp"
#include "fit/usable.hpp"
#include "tests/fit/shapes.hpp"

namespace gpuready::fit {
namespace {

const catalog::Catalog& tables() {
  static const catalog::Catalog all = catalog::load_catalog().value();
  return all;
}

Devices with(const std::string& gpu, std::int64_t count = 1) {
  FitRequest request;
  request.gpu = gpu, request.gpus = count;
  return devices_for(request, Machine{}, tables().gpus).value();
}

const FittingModel* named(const std::vector<FittingModel>& list, const std::string& name) {
  for (const FittingModel& model : list)
    if (model.name == name) return &model;
  return nullptr;
}

TEST(WhichFit, ListsTheCatalogueLargestFirst) {
  const auto list = which_fit(tables(), FitRequest{}, with("RTX 4090"));
  ASSERT_GT(list.size(), 200U);
  for (std::size_t i = 1; i < list.size(); ++i)
    EXPECT_GE(list[i - 1].parameters, list[i].parameters);
  if (std::getenv("GPUREADY_SHOW") != nullptr)
    for (const FittingModel& m : list)
      std::cout << m.name << ' ' << m.kind << ' ' << m.dtype << ' ' << m.max_context << ' '
                << static_cast<double>(m.total.low_bytes) / 1073741824.0 << ' '
                << static_cast<double>(m.total.expected_bytes) / 1073741824.0 << ' '
                << static_cast<double>(m.total.high_bytes) / 1073741824.0 << ' '
                << (m.speed.tokens_per_s ? m.speed.tokens_per_s->expected : 0) << '\n';
}

TEST(WhichFit, EveryModelOfTheListFitsWithWhatTheListSays) {
  const Devices devices = with("RTX 3060 12 GB");
  for (const FittingModel& model : which_fit(tables(), FitRequest{}, devices)) {
    EXPECT_LE(model.total.expected_bytes, devices.gpus[0].usable_bytes) << model.name;
    EXPECT_NE(model.verdict, FitVerdict::does_not_fit) << model.name;
    EXPECT_FALSE(model.dtype.empty()) << model.name;
  }
}

TEST(WhichFit, TakesTheTypeWithLeastLoss) {
  const auto list = which_fit(tables(), FitRequest{}, with("RTX 4090"));
  const FittingModel* small = named(list, "Qwen2.5-1.5B-Instruct");
  ASSERT_NE(small, nullptr);
  EXPECT_EQ(small->dtype, "bf16");
  const FittingModel* large = named(list, "Qwen2.5-32B-Instruct");
  ASSERT_NE(large, nullptr);
  EXPECT_EQ(large->dtype, "q4_k_m");
  EXPECT_EQ(named(list, "Llama-3.1-405B-Instruct"), nullptr);
}

TEST(WhichFit, FiltersByKindFamilyAndWords) {
  FitRequest request;
  request.kind = "speech";
  for (const FittingModel& model : which_fit(tables(), request, with("RTX 4090")))
    EXPECT_EQ(model.kind, "speech");
  request = {}, request.family = "qwen2.5";
  const auto family = which_fit(tables(), request, with("RTX 4090"));
  EXPECT_FALSE(family.empty());
  for (const FittingModel& model : family) EXPECT_EQ(model.family, "qwen2.5");
  request = {}, request.search = "CODER";
  for (const FittingModel& model : which_fit(tables(), request, with("RTX 4090")))
    EXPECT_NE(model.name.find("oder"), std::string::npos) << model.name;
}

TEST(Catalogue, EveryModelHasAnEstimateWhoseFiguresAreInOrder) {
  for (const catalog::Model& row : tables().models) {
    const auto model = model_of_row(row);
    ASSERT_TRUE(model) << row.name;
    const bool images = row.kind == "diffusion";
    for (const char* runtime : {"llama.cpp", "transformers", "vllm", "diffusers"}) {
      if (images != (std::string(runtime) == "diffusers")) continue;
      FitRequest request;
      request.runtime = runtime;
      const auto found = estimate(*model, request, with("H200 SXM 141 GB"));
      ASSERT_TRUE(found) << row.name << ": " << found.error().text;
      for (const Term& term : found->terms) {
        EXPECT_LE(term.bytes.low_bytes, term.bytes.expected_bytes) << row.name;
        EXPECT_LE(term.bytes.expected_bytes, term.bytes.high_bytes) << row.name;
      }
      EXPECT_GT(found->total.expected_bytes, 0) << row.name;
    }
  }
}

TEST(Catalogue, GivesWhatTheArchitectureNumbersGive) {
  const std::vector<std::pair<std::string, std::string>> pairs{
      {"Qwen2.5-14B-Instruct", "qwen2.5-14b"},
      {"Qwen2.5-1.5B-Instruct", "qwen2.5-1.5b"},
      {"Llama-2-7B-chat", "llama-2-7b"},
      {"Llama-3.1-8B-Instruct", "llama-3-8b"},
      {"Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b"},
      {"Phi-1.5", "phi-1.5"},
      {"gpt-oss-120b", "gpt-oss-120b"},
  };
  for (const auto& [row_name, shape_name] : pairs) {
    const auto row = std::find_if(tables().models.begin(), tables().models.end(),
                                  [&](const auto& r) { return r.name == row_name; });
    ASSERT_NE(row, tables().models.end()) << row_name;
    const auto model = model_of_row(*row);
    ASSERT_TRUE(model) << row_name;
    FitRequest request;
    request.runtime = "llama.cpp", request.inference.dtype = "q8_0";
    request.inference.context = 2048;
    const Devices devices = with("H200 SXM 141 GB");
    const auto ours = estimate(*model, request, devices);
    const auto shape = estimate(shapes::named(shape_name), request, devices);
    ASSERT_TRUE(ours && shape) << row_name;
    EXPECT_NEAR(static_cast<double>(ours->total.expected_bytes) /
                    static_cast<double>(shape->total.expected_bytes),
                1, 0.005)
        << row_name;
    EXPECT_EQ(ours->model.cache_bytes_per_token, shape->model.cache_bytes_per_token) << row_name;
  }
}

TEST(Catalogue, CacheOfOneTokenIsThatOfAllRanks) {
  const auto row = std::find_if(tables().models.begin(), tables().models.end(),
                                [](const auto& r) { return r.name == "DeepSeek-V3"; });
  ASSERT_NE(row, tables().models.end());
  FitRequest request;
  request.runtime = "vllm";
  const auto found = estimate(model_of_row(*row).value(), request, with("H200 SXM 141 GB", 8));
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(found->model.cache_bytes_per_token, 61.0 * 576 * 2);
}

TEST(Catalogue, EveryModelCanBeTrainedButImageModels) {
  for (const catalog::Model& row : tables().models) {
    const auto model = model_of_row(row);
    ASSERT_TRUE(model) << row.name;
    FitRequest request;
    request.training.task = "lora";
    const auto found = estimate(*model, request, with("H200 SXM 141 GB"));
    EXPECT_EQ(found.has_value(), row.kind != "diffusion") << row.name;
  }
}

TEST(Images, OfAPipelineReadFromItsFilesTakeItsOwnParts) {
  const Devices devices = with("H100 SXM5 80 GB");
  Model flux = shapes::named("flux.1-dev");
  const auto from_table = estimate(flux, {}, devices);
  flux.components = {{"text_encoder", "bf16", 123060480, 246120960},
                     {"text_encoder_2", "bf16", 4762310656, 9524621312},
                     {"vae", "bf16", 83819683, 167639366}};
  const auto from_files = estimate(flux, {}, devices);
  ASSERT_TRUE(from_table && from_files);
  EXPECT_EQ(from_files->total.expected_bytes, from_table->total.expected_bytes);
  FitRequest packed;
  packed.inference.dtype = "nf4";
  const auto four_bits = estimate(flux, packed, devices);
  ASSERT_TRUE(four_bits);
  EXPECT_LT(four_bits->total.expected_bytes, from_files->total.expected_bytes / 2);
  EXPECT_THAT(
      four_bits->assumptions,
      testing::Contains(Message{"fit.assume.pipeline", {"text_encoder, text_encoder_2, vae"}}));
}

TEST(WhichFit, WithoutAGpuMainMemoryCounts) {
  Machine machine;
  machine.memory.usable_bytes = Fact<std::int64_t>(std::int64_t{16} << 30U, "test");
  const auto devices = devices_for(FitRequest{}, machine, tables().gpus);
  ASSERT_TRUE(devices);
  const auto list = which_fit(tables(), FitRequest{}, *devices);
  ASSERT_FALSE(list.empty());
  const FittingModel* model = named(list, "Llama-3.1-8B-Instruct");
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->speed.bound_by, "host-memory-bandwidth");
}

}  // namespace
}  // namespace gpuready::fit
