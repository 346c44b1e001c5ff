#include <gmock/gmock.h>

#include <filesystem>

#include "base/json.hpp"
#include "base/text.hpp"
#include "gpuready/gpuready.hpp"
#include "tests/golden.hpp"

namespace gpuready {
namespace {

const std::filesystem::path golden =
    std::filesystem::path(GPUREADY_SOURCE_DIR) / "tests" / "golden" / "fit";

Range range(double low_gib, double expected_gib, double high_gib) {
  const auto bytes = [](double size) { return static_cast<std::int64_t>(size * gib); };
  return {bytes(low_gib), bytes(expected_gib), bytes(high_gib)};
}

Estimate mixture() {
  Estimate e;
  e.model.name = "Qwen3-30B-A3B", e.model.family = "qwen3-moe";
  e.model.parameters = 30532122624, e.model.active_parameters = 3353000000;
  e.runtime = Runtime::llama_cpp, e.task = "inference";
  e.dtype = "q4_k_m", e.kv_dtype = "f16", e.context = 8192;
  e.terms = {{TermName::weights, range(17.2, 17.3, 17.6), {}},
             {TermName::kv_cache, range(0.75, 0.75, 0.75), {}},
             {TermName::compute, range(0.29, 0.3, 0.4), {}},
             {TermName::context, range(0.25, 0.35, 0.5), {}}};
  e.total = range(18.5, 18.7, 19.25);
  e.usable_bytes = range(0, 18.9, 0).expected_bytes;
  e.device = "cuda:0";
  e.verdict = FitVerdict::tight;
  e.limits.max_context = Fact<std::int64_t>(4096, "bisection");
  e.limits.smallest_gpu = Fact<std::string>("RTX 3090", "data/gpus.csv");
  e.suggestions = {{"--kv-dtype q8_0", {"", {"half the cache, hardly any loss"}},
                    range(18.1, 18.3, 18.8), FitVerdict::fits}};
  TokenRate rate{60, 110, 160};
  e.speed.tokens_per_s = Fact<TokenRate>(rate, "bandwidth");
  e.speed.bound_by = "memory-bandwidth";
  e.host_bytes = range(0, 0.5, 0).expected_bytes;
  e.assumptions = {{"", {"one sequence"}}};
  return e;
}

void expect_fits_80(const std::string& text) {
  for (const std::string& line : base::split_lines(text))
    EXPECT_LE(base::display_width(line), 80U) << line;
}

TEST(GoldenFit, AModelIsFrozenAndFits) {
  Estimate e = mixture();
  const std::string text = show_text(gpuready::Run{}, e, {});
  expect_fits_80(text);
  testing::expect_golden(golden / "model.txt", text);
}

TEST(GoldenFit, SeveralDevicesAreFrozenAndFit) {
  Estimate e = mixture();
  e.verdict = FitVerdict::does_not_fit;
  e.usable_bytes = range(0, 15, 0).expected_bytes;
  for (int i = 0; i < 2; ++i) {
    DeviceShare share;
    share.device = "cuda:" + std::to_string(i), share.gpu = "NVIDIA GeForce RTX 4090 Laptop GPU";
    share.layers = 24, share.usable_bytes = e.usable_bytes, share.total = range(9, 9.5, 10);
    e.devices.push_back(share);
  }
  Style style;
  style.unicode = true, style.verbose = true;
  const std::string text = show_text(gpuready::Run{}, e, style);
  expect_fits_80(text);
  testing::expect_golden(golden / "devices.txt", text);
}

TEST(GoldenFit, TheListIsFrozenAndFits) {
  FitList list;
  list.gpu = "NVIDIA GeForce RTX 4090", list.device = "cuda:0";
  list.usable_bytes = Fact<std::int64_t>(range(0, 23.5, 0).expected_bytes, "test");
  list.rule_of_thumb = {{"fp16", 2, 12616466432, {"StarCoder2-15B", "data/models.csv"}}};
  list.considered = 242;
  FittingModel m;
  m.name = "Qwen2.5-Coder-32B-Instruct", m.family = "qwen2.5", m.kind = "llm", m.dtype = "q4_k_m";
  m.parameters = 32763876352, m.max_context = 13056, m.total = range(20, 20.5, 21);
  m.speed.tokens_per_s = Fact<TokenRate>(TokenRate{30, 38, 45}, "bandwidth");
  list.models = {m, m};
  list.models[1].verdict = FitVerdict::tight;
  const std::string text = show_text(gpuready::Run{}, list, {});
  expect_fits_80(text);
  testing::expect_golden(golden / "list.txt", text);
  list.models.clear();
  EXPECT_THAT(show_text(gpuready::Run{}, list, {}), ::testing::HasSubstr("None of the 242"));
}

TEST(FitJson, HasTheContractsNames) {
  const auto json = base::parse_json(show_json(gpuready::Run{}, mixture()));
  ASSERT_TRUE(json);
  for (const char* name : {"model", "runtime", "task", "assumptions", "terms", "host_bytes", "total",
                           "usable_bytes", "verdict", "limits", "suggestions", "speed"})
    EXPECT_TRUE(json->contains(name)) << name;
  EXPECT_EQ((*json)["runtime"], "llama.cpp");
  EXPECT_EQ((*json)["terms"][1]["name"], "kv_cache");
  EXPECT_EQ((*json)["terms"][1]["expected_bytes"], 805306368);
  EXPECT_EQ((*json)["speed"]["tokens_per_s"]["expected"], 110);
}

}  // namespace
}  // namespace gpuready
