#include "fit/rule_of_thumb.hpp"

#include <gtest/gtest.h>

namespace gpuready::fit {
namespace {

constexpr std::int64_t gibibyte = std::int64_t{1} << 30U;

Gpu gpu_with(std::int64_t free_bytes, std::int64_t index, bool kernel) {
  Gpu gpu;
  gpu.memory_free_bytes = Fact<std::int64_t>(free_bytes, "test");
  gpu.cuda_index = Fact<std::int64_t>(index, "test");
  gpu.kernel = Fact<bool>(kernel, "test");
  return gpu;
}

catalog::Model model(const char* name, const char* kind, std::int64_t parameters) {
  catalog::Model row;
  row.name = name, row.kind = kind, row.parameters = parameters;
  return row;
}

catalog::Catalog models() {
  catalog::Catalog catalog;
  catalog.models = {model("small", "llm", 1000), model("seven", "llm", 7000000000),
                    model("image", "diffusion", 11000000000)};
  return catalog;
}

TEST(RuleOfThumb, TwoOneAndHalfAByteOnTheFreeMemoryOfTheGpu) {
  Machine machine;
  machine.gpus = {gpu_with(24 * gibibyte, 0, true)};
  const Fit fit = rule_of_thumb(machine, models());
  EXPECT_EQ(fit.device, "cuda:0");
  ASSERT_EQ(fit.rule_of_thumb.size(), 3U);
  EXPECT_EQ(fit.rule_of_thumb[0].max_parameters, 12 * gibibyte);
  EXPECT_EQ(fit.rule_of_thumb[1].max_parameters, 24 * gibibyte);
  EXPECT_EQ(fit.rule_of_thumb[2].max_parameters, 48 * gibibyte);
  EXPECT_EQ(*fit.rule_of_thumb[0].example, "seven");
}

TEST(RuleOfThumb, TakesTheUsableGpuWithMostFreeMemory) {
  Machine machine;
  machine.gpus = {gpu_with(8 * gibibyte, 0, true), gpu_with(80 * gibibyte, 1, false),
                  gpu_with(24 * gibibyte, 2, true)};
  EXPECT_EQ(rule_of_thumb(machine, models()).device, "cuda:2");
}

TEST(RuleOfThumb, WithoutAUsableGpuMainMemoryCounts) {
  Machine machine;
  machine.memory.usable_bytes = Fact<std::int64_t>(100, "test");
  const Fit fit = rule_of_thumb(machine, models());
  EXPECT_EQ(fit.device, "cpu");
  EXPECT_EQ(fit.rule_of_thumb[0].max_parameters, 50);
  EXPECT_TRUE(fit.rule_of_thumb[0].example.absent_for(Absence::not_found));
}

TEST(RuleOfThumb, UnknownMemoryGivesNoFigure) {
  const Fit fit = rule_of_thumb(Machine{}, models());
  EXPECT_FALSE(fit.usable_bytes);
  EXPECT_TRUE(fit.rule_of_thumb.empty());
}

}  // namespace
}  // namespace gpuready::fit
