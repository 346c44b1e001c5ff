#include <gmock/gmock.h>

#include <filesystem>

#include "base/json.hpp"
#include "base/text.hpp"
#include "gpuready/gpuready.hpp"
#include "gpuready/plan.hpp"
#include "tests/golden.hpp"

namespace gpuready {
namespace {

const std::filesystem::path golden =
    std::filesystem::path(GPUREADY_SOURCE_DIR) / "tests" / "golden" / "plan";

Choice choice(const std::string& where, const std::string& gpu, PlanRange hours, PlanRange usd) {
  Choice c;
  c.where = where, c.gpu = gpu, c.gpu_count = gpu.empty() ? 0 : 1;
  c.hours = Fact<PlanRange>(hours, "test"), c.usd = Fact<PlanRange>(usd, "test");
  c.usd_per_hour = Fact<double>(where == "runpod" ? 0.34 : 0.0, "test");
  c.meets = PlanMeets::yes;
  c.why = {"plan.how.tokens", {"70", "130", "190", "memory-bandwidth"}};
  return c;
}

Plan lesson() {
  Plan plan;
  plan.question = {"plan.question.cpu-hours", {"8 h"}};
  plan.work.how = {"plan.work.cpu-hours", {"8", "fp32"}};
  plan.verdict = PlanMeets::yes;
  plan.answer = {"plan.best.free", {"Colab, Tesla T4", "1.6 h (20 min to 7.6 h)"}};
  plan.fastest = {
      "plan.fastest.rented",
      {"RunPod, GeForce RTX 4090 (community)", "12 min (2.2 min to 55 min)", "$0.07", "$0.46"}};
  Choice colab = choice("colab", "Tesla T4", {0.33, 1.6, 7.6}, {0, 0, 0});
  colab.notes = {{"plan.note.colab", {}}}, colab.setup = {{"plan.setup.colab", {}}};
  Choice own = choice("this-cpu", "", {8, 8, 8}, {0, 0, 0});
  own.why = {"plan.how.as-told", {}}, own.setup = {{"plan.setup.this-cpu", {}}};
  Choice rented = choice("runpod", "GeForce RTX 4090", {0.037, 0.2, 0.92}, {0.01, 0.07, 0.46});
  rented.kind = "community", rented.notes = {{"plan.note.strangers", {}}};
  rented.setup = {
      {"plan.setup.account", {"RunPod"}},
      {"plan.setup.rent",
       {"gpuready cloud run --provider runpod --gpu 'GeForce RTX 4090' --max-price 0.34 "
        "--max-minutes 56 -- COMMAND"}}};
  plan.choices = {colab, own, rented};
  plan.left_out = {{"vast", "GeForce RTX 4090", 1, "spot", {"plan.out.spot", {}}},
                   {"lambda", "A100 SXM4 80 GB", 8, "one-gpu", {"plan.out.one-gpu", {}}},
                   {"lambda", "H100 SXM5 80 GB", 8, "one-gpu", {"plan.out.one-gpu", {}}},
                   {"vast", "GeForce RTX 4090", 1, "same", {"plan.out.same-older", {}}}};
  plan.errors = {{"vast", "network", "console.vast.ai: no answer within 10 s"}};
  plan.assumptions = {{"plan.assume.dated", {"2025-H2", "2026-11-09", "22", "518"}}};
  return plan;
}

Plan too_large() {
  Plan plan;
  plan.model = "Llama-3.1-405B-Instruct";
  plan.question = {"plan.question.training", {plan.model, "1e9", "full"}};
  plan.work.how = {"plan.work.training", {"1e9", "2.44e12", "4.06e11", "2.44e21"}};
  plan.verdict = PlanMeets::no;
  plan.answer = {"plan.answer.nothing-fits", {"3482.0 GiB", "285.1 GiB", "B300"}};
  plan.cures = {{"plan.cure.smaller", {plan.model}}};
  Choice rented = choice("runpod", "B300", {1, 2, 3}, {8, 16, 24});
  rented.fits = PlanFits::no, rented.why = {"plan.why.does-not-fit", {"3482.0 GiB", "285.1 GiB"}};
  plan.choices = {rented};
  return plan;
}

void expect_fits_80(const std::string& text) {
  for (const std::string& line : base::split_lines(text))
    EXPECT_LE(base::display_width(line), 80U) << line;
}

TEST(GoldenPlan, TheAnswerIsFrozenAndFits) {
  const std::string text = show_text(gpuready::Run{}, lesson(), Style{});
  expect_fits_80(text);
  testing::expect_golden(golden / "lesson.txt", text);
}

TEST(GoldenPlan, WhatFitsNowhereIsFrozenAndFits) {
  const std::string text = show_text(gpuready::Run{}, too_large(), Style{});
  expect_fits_80(text);
  testing::expect_golden(golden / "too-large.txt", text);
}

TEST(GoldenPlan, ACommandOverSeveralLinesIsOneForAShell) {
  const std::string text = show_text(gpuready::Run{}, lesson(), Style{});
  const std::size_t start = text.find("gpuready cloud run");
  ASSERT_NE(start, std::string::npos);
  const std::string command = text.substr(start, text.find("COMMAND", start) - start);
  EXPECT_NE(command.find(" \\\n"), std::string::npos);
  for (const std::string& line : base::split_lines(command)) EXPECT_FALSE(line.empty());
}

TEST(GoldenPlan, WhatServersSayIsMadePrintable) {
  Plan plan = lesson();
  plan.errors[0].message = "bad\x1b[2J\x07 news";
  plan.choices[2].gpu = "RTX\x1b[31m 4090";
  plan.left_out[0].gpu = "\x1b]0;title\x07";
  const std::string text = show_text(gpuready::Run{}, plan, Style{});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
}

TEST(GoldenPlan, MoreThanAPageIsCountedAndVerboseShowsAll) {
  Plan plan = lesson();
  for (int i = 0; i < 30; ++i) plan.choices.push_back(plan.choices[2]);
  Style verbose;
  verbose.verbose = true;
  EXPECT_NE(show_text(gpuready::Run{}, plan, Style{}).find("21 more"), std::string::npos);
  EXPECT_EQ(show_text(gpuready::Run{}, plan, verbose).find(" more: "), std::string::npos);
}

TEST(GoldenPlan, JsonHasRangesAndReasonsInPlaceOfNulls) {
  Plan plan = lesson();
  plan.choices[1].hours = Fact<PlanRange>::absent(Absence::not_found, "no rate");
  const auto json = base::parse_json(show_json(gpuready::Run{}, plan));
  ASSERT_TRUE(json);
  EXPECT_EQ((*json)["choices"][0]["hours"]["expected"], 1.6);
  EXPECT_EQ((*json)["choices"][1]["hours"]["absent"], "not-found");
  EXPECT_EQ((*json)["verdict"], "yes");
  EXPECT_EQ((*json)["choices"][2]["usd_per_hour"], 0.34);
}

}  // namespace
}  // namespace gpuready
