#include "plan/evaluate.hpp"

#include <gtest/gtest.h>

#include "plan/work.hpp"
#include "tests/plan/plan_places.hpp"

namespace gpuready::plan {
namespace {

constexpr double minute = 1.0 / 60;

/// Tokens a second of training Llama 3.1 8B.
PlanRange training_speed(const std::string& gpu, std::int64_t count, const std::string& task,
                         std::int64_t seq, const std::string& checkpointing) {
  Setting s;
  s.model.name = "Llama-3.1-8B", s.model.kind = "llm";
  s.model.parameters = 8030261248, s.model.layers = 32, s.model.hidden = 4096;
  s.request.train_tokens = 3600e3;
  s.request.fit.training.task = task, s.request.fit.training.seq = seq;
  s.request.fit.training.checkpointing = checkpointing;
  s.work = *work_of(s.request, &s.model);
  const WorkTime time = work_time(s.task(), place("runpod", gpu, count, 1));
  EXPECT_TRUE(time.hours);
  return {1000 / time.hours->high, 1000 / time.hours->expected, 1000 / time.hours->low};
}

TEST(PlanTruth, PublishedTrainingSpeedsLieWithinTheRange) {
  struct Row {
    std::string gpu;
    std::int64_t count;
    std::string task;
    std::int64_t seq;
    std::string checkpointing;
    double tokens_per_s;
  };
  // pytorch/torchtune README (Llama 3.1 8B, 2 x 2048 tokens); pytorch/torchtitan
  // llama3_h100_202412, table 1 (8 GPUs, 8192 tokens): 5762 and 6667 each.
  const std::vector<Row> rows{{"GeForce RTX 4090", 1, "full", 2048, "full", 1650},
                              {"GeForce RTX 4090", 1, "lora", 2048, "full", 3083},
                              {"GeForce RTX 4090", 1, "qlora", 2048, "full", 2413},
                              {"H100 SXM5 80 GB", 8, "full", 8192, "none", 8 * 5762},
                              {"H100 SXM5 80 GB", 8, "full", 8192, "none", 8 * 6667}};
  for (const Row& row : rows) {
    const PlanRange speed =
        training_speed(row.gpu, row.count, row.task, row.seq, row.checkpointing);
    EXPECT_GE(row.tokens_per_s, speed.low) << row.gpu << row.task;
    EXPECT_LE(row.tokens_per_s, speed.high) << row.gpu << row.task;
    EXPECT_LE(row.tokens_per_s / speed.expected, 2.5) << row.gpu << row.task;
    EXPECT_GE(row.tokens_per_s / speed.expected, 0.4) << row.gpu << row.task;
  }
}

TEST(PlanTruth, ATrainingOnAT4AgainstColabsCpuLiesWithinTheRange) {
  // ResNet-18, 3 epochs: 1425.24 s on Colab's Xeon (one core with AVX2), 107.13 s on its T4
  // (bishara74/GPU-Training-Tutorial).
  Setting s = cpu_hours(1425.24 / 3600, 0);
  s.machine.cpu.usable_physical_cores = Fact<std::int64_t>(1, "test");
  s.machine.cpu.instruction_sets = Fact<std::vector<std::string>>({"avx2"}, "test");
  const WorkTime time = work_time(s.task(), place("colab", "Tesla T4", 1, 0));
  ASSERT_TRUE(time.hours);
  EXPECT_GE(107.13 / 3600, time.hours->low);
  EXPECT_LE(107.13 / 3600, time.hours->high);
  EXPECT_NEAR(107.13 / 3600 / time.hours->expected, 1, 0.5);
}

TEST(Evaluate, EightCpuHoursOnAT4AreAsComputedByHand) {
  // Products: 4.17e12 * 1.05 over 220e9 is 19.9; a quarter of it is 4.98; 8 h over that is 1.608 h.
  const Setting s = cpu_hours(8, 220e9);
  const Choice colab = evaluate(s.task(), place("colab", "Tesla T4", 1, 0));
  ASSERT_EQ(colab.steps.size(), 3U);
  EXPECT_NEAR(colab.steps.back().hours.expected, 1.6079, 1e-3);
  EXPECT_NEAR(colab.hours->expected, 1.6079 + 2 * minute, 1e-3);
  EXPECT_EQ(colab.usd->high, 0);
  EXPECT_EQ(colab.meets, PlanMeets::yes);
}

TEST(Evaluate, OnTheCpuItselfItTakesWhatTheUserSaid) {
  const Choice own = evaluate(cpu_hours(8, 0).task(), this_cpu());
  EXPECT_EQ(own.hours->low, 8);
  EXPECT_EQ(own.hours->high, 8);
  EXPECT_EQ(own.usd->high, 0);
}

TEST(Evaluate, WithoutARateThereIsNoTimeButAReason) {
  const Choice rented = evaluate(cpu_hours(8, 0).task(), place("vast", "GeForce RTX 4090", 1, 0.3));
  EXPECT_FALSE(rented.hours);
  EXPECT_FALSE(rented.usd);
  EXPECT_EQ(rented.why.key, "plan.why.no-time");
  EXPECT_FALSE(rented.why.args.front().empty());
}

TEST(Evaluate, LambdaBillsStartedMinutesAndTheOthersSeconds) {
  const std::vector<PlanStep> steps{{"boot", {0, 0, 0}, {}},
                                    {"work", {61.0 / 3600, 119.5 / 3600, 120.0 / 3600}, {}}};
  const PlanRange lambda = billed_hours("lambda", steps), runpod = billed_hours("runpod", steps);
  EXPECT_DOUBLE_EQ(lambda.low, 2 * minute);
  EXPECT_DOUBLE_EQ(lambda.expected, 2 * minute);
  EXPECT_DOUBLE_EQ(lambda.high, 2 * minute);
  EXPECT_NEAR(runpod.low * 3600, 61, 1e-6);
  EXPECT_NEAR(runpod.expected * 3600, 120, 1e-6);
}

TEST(Evaluate, VastsBootIsFreeUnlessItCosts) {
  const std::vector<PlanStep> steps{{"boot", {1, 2, 3}, {}}, {"work", {10, 10, 10}, {}}};
  const PlanRange vast = billed_hours("vast", steps), runpod = billed_hours("runpod", steps);
  EXPECT_DOUBLE_EQ(vast.expected, 10);
  EXPECT_DOUBLE_EQ(vast.high, 13);
  EXPECT_DOUBLE_EQ(runpod.expected, 12);
}

TEST(Evaluate, TheModelIsDownloadedThereOrSentFromHere) {
  const Setting s = cpu_hours(8, 220e9);
  const Candidate rented = place("runpod", "GeForce RTX 4090", 1, 0.34);
  const auto download = [&](bool here) {
    const auto steps = first_steps(s.task(16e9, here), rented);
    return steps.back();
  };
  // 16 GB at 60 MB/s are 267 s; sent at 4 MB/s 4000 s.
  EXPECT_EQ(download(false).name, "download");
  EXPECT_NEAR(download(false).hours.expected * 3600, 266.7, 0.1);
  EXPECT_NEAR(download(true).hours.expected * 3600, 4000, 0.1);
  EXPECT_EQ(first_steps(s.task(16e9, true), this_cpu()).back().hours.high, 0);
}

TEST(Evaluate, ATightDeadlineOrBudgetIsKeptSurelyLikelyOrNot) {
  Setting s = cpu_hours(8, 220e9);
  const Candidate rented = place("lambda", "A10", 1, 1.29);
  const Choice free = evaluate(s.task(), rented);
  const auto meets = [&](double deadline, double budget) {
    s.request.deadline_hours = deadline, s.request.budget_usd = budget;
    return evaluate(s.task(), rented).meets;
  };
  const PlanRange hours = *free.hours, usd = *free.usd;
  EXPECT_EQ(meets(hours.high, usd.high), PlanMeets::yes);
  EXPECT_EQ(meets(hours.expected, 0), PlanMeets::likely);
  EXPECT_EQ(meets(hours.expected * 0.99, 0), PlanMeets::no);
  EXPECT_EQ(meets(0, usd.expected), PlanMeets::likely);
  EXPECT_EQ(meets(hours.high, usd.expected * 0.99), PlanMeets::no);
}

TEST(Evaluate, WhatDoesNotFitMeetsNothing) {
  const Setting s = cpu_hours(8, 220e9);
  Candidate rented = place("lambda", "A10", 1, 1.29);
  rented.memory.fits = PlanFits::no;
  rented.memory.needed_bytes = Fact<std::int64_t>(std::int64_t{30} << 30U, "test");
  rented.memory.usable_bytes = Fact<std::int64_t>(std::int64_t{23} << 30U, "test");
  const Choice choice = evaluate(s.task(), rented);
  EXPECT_EQ(choice.meets, PlanMeets::no);
  EXPECT_EQ(choice.why.key, "plan.why.does-not-fit");
  rented.memory.fits = PlanFits::tight;
  EXPECT_EQ(evaluate(s.task(), rented).meets, PlanMeets::likely);
  rented.memory.fits = PlanFits::unknown;
  EXPECT_EQ(evaluate(s.task(), rented).meets, PlanMeets::unknown);
}

TEST(Evaluate, LongWorkOnColabTakesSeveralSessions) {
  const auto notes = [](double hours) {
    std::string all;
    for (const Message& note :
         evaluate(cpu_hours(hours, 220e9).task(), place("colab", "Tesla T4", 1, 0)).notes)
      all += note.key + ' ';
    return all;
  };
  EXPECT_EQ(notes(8).find("sessions"), std::string::npos);
  EXPECT_NE(notes(200).find("plan.note.colab-sessions"), std::string::npos);
}

TEST(Evaluate, GracesCpuIsToldToBeArm) {
  const Choice grace =
      evaluate(cpu_hours(8, 220e9).task(), place("lambda", "GH200 96 GB", 1, 2.29));
  ASSERT_FALSE(grace.notes.empty());
  EXPECT_EQ(grace.notes.front().key, "plan.note.arm");
}

std::string notes_of(const Choice& choice) {
  std::string all;
  for (const Message& note : choice.notes) all += note.key + ' ';
  return all;
}

TEST(Evaluate, WhatAPlaceBillsOrLacksBesidesIsNoted) {
  Setting s;
  s.model.parameters = 1000000000, s.model.kind = "llm";
  s.request.train_tokens = 1e6, s.request.fit.training.task = "full";
  s.request.fit.training.precision = "bf16";
  s.work = *work_of(s.request, &s.model);
  const auto notes = [&](const char* where, const char* gpu) {
    return notes_of(evaluate(s.task(), place(where, gpu, 1, 0.3)));
  };
  EXPECT_NE(notes("vast", "GeForce RTX 4090").find("plan.note.traffic"), std::string::npos);
  EXPECT_NE(notes("runpod", "GeForce RTX 4090").find("plan.note.credit"), std::string::npos);
  EXPECT_NE(notes("lambda", "Tesla T4").find("plan.note.no-bf16"), std::string::npos);
  EXPECT_EQ(notes("lambda", "A10"), "");
  s.request.fit.training.precision = "amp";
  EXPECT_EQ(notes("lambda", "Tesla T4"), "");
}

TEST(Evaluate, EveryFigureIsOrderedForEveryPriceOfTheTable) {
  PlanRequest request;
  Setting s = cpu_hours(8, 0);
  s.machine.cpu.usable_physical_cores = Fact<std::int64_t>(4, "test");
  Market market;
  market.today = *day_of("2026-12-01");
  for (const Candidate& c : gather(request, s.machine, tables(), market).candidates) {
    const Choice choice = evaluate(s.task(16e9), c);
    ASSERT_TRUE(choice.hours && choice.usd) << c.where << c.gpu;
    for (const PlanRange& range : {*choice.hours, *choice.usd}) {
      EXPECT_LE(range.low, range.expected) << c.where << c.gpu;
      EXPECT_LE(range.expected, range.high) << c.where << c.gpu;
    }
    for (const PlanStep& step : choice.steps) {
      EXPECT_GE(step.hours.low, 0);
      EXPECT_LE(step.hours.low, step.hours.expected) << step.name;
      EXPECT_LE(step.hours.expected, step.hours.high) << step.name;
    }
    EXPECT_FALSE(choice.why.key.empty());
  }
}

TEST(Evaluate, SequencesTogetherAreFasterThanOneAndSlowerThanSingly) {
  Setting s;
  s.model.parameters = 8030261248, s.model.kind = "llm";
  s.request.tokens = 1e6;
  s.work = *work_of(s.request, &s.model);
  Candidate c = place("runpod", "GeForce RTX 4090", 1, 0.34);
  c.memory.speed.tokens_per_s = Fact<TokenRate>({80, 130, 190}, "test");
  const double one = work_time(s.task(), c).hours->expected;
  EXPECT_NEAR(one, 1e6 / 130 / 3600, 1e-9);
  s.request.fit.inference.batch = 16;
  const double many = work_time(s.task(), c).hours->expected;
  EXPECT_LT(many, one);
  EXPECT_GT(many, one / 16);
}

TEST(Evaluate, PromptsTakeTimeOfTheirOwn) {
  Setting s;
  s.model.parameters = 8030261248, s.model.kind = "llm";
  s.request.tokens = 1e6, s.request.prompt_tokens = 1e9;
  s.work = *work_of(s.request, &s.model);
  Candidate c = place("runpod", "GeForce RTX 4090", 1, 0.34);
  c.memory.speed.tokens_per_s = Fact<TokenRate>({80, 130, 190}, "test");
  // 2 * 8.03e9 * 1e9 operations at 0.45 of 1.05 * 160.5e12.
  const double prompts = 2 * 8030261248.0 * 1e9 / (0.45 * 1.05 * 160.5e12) / 3600;
  EXPECT_NEAR(work_time(s.task(), c).hours->expected, 1e6 / 130 / 3600 + prompts, 1e-6);
}

}  // namespace
}  // namespace gpuready::plan
