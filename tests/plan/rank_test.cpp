#include "plan/rank.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/plan/plan_places.hpp"

namespace gpuready::plan {
namespace {

std::vector<std::string> order(std::vector<Choice> choices, const PlanRequest& request = {}) {
  rank(request, choices);
  std::vector<std::string> names;
  for (const Choice& c : choices) names.push_back(c.where);
  return names;
}

using Names = std::vector<std::string>;

TEST(Rank, TheCheapestComesFirstAndOfEqualsTheFastest) {
  EXPECT_EQ(order({choice("a", 1, 5), choice("b", 2, 3), choice("c", 1, 3)}),
            (Names{"c", "b", "a"}));
}

TEST(Rank, WithoutADeadlineADayCountsMoreThanCents) {
  EXPECT_EQ(order({choice("this-cpu", 400, 0), choice("rented", 3, 2)}),
            (Names{"rented", "this-cpu"}));
  PlanRequest patient;
  patient.deadline_hours = 1000;
  EXPECT_EQ(order({choice("rented", 3, 2), choice("this-cpu", 400, 0)}, patient),
            (Names{"this-cpu", "rented"}));
}

TEST(Rank, WhatIsSureComesBeforeWhatIsLikelyUnknownLateAndTooLarge) {
  Choice timeless = choice("timeless", 1, 0);
  timeless.hours = timeless.usd = Fact<PlanRange>::absent(Absence::not_found, "no rate");
  EXPECT_EQ(
      order({choice("too-large", 1, 0, PlanFits::no, PlanMeets::no), timeless,
             choice("late", 1, 0, PlanFits::yes, PlanMeets::no),
             choice("unknown", 1, 0, PlanFits::unknown, PlanMeets::unknown),
             choice("likely", 1, 1, PlanFits::tight, PlanMeets::likely), choice("sure", 1, 9)}),
      (Names{"sure", "likely", "unknown", "late", "timeless", "too-large"}));
}

TEST(Rank, OfThoseBeyondTheLimitsTheNearestComesFirst) {
  PlanRequest request;
  request.deadline_hours = 2, request.budget_usd = 10;
  // Three times the deadline; twice the budget.
  EXPECT_EQ(order({choice("slow", 6, 1, PlanFits::yes, PlanMeets::no),
                   choice("dear", 1, 20, PlanFits::yes, PlanMeets::no)},
                  request),
            (Names{"dear", "slow"}));
}

/// On Colab for so many hours: longer than a session where `hours` is over 12.
Choice on_colab(const std::string& where, double hours) {
  Choice c = choice(where, hours, 0);
  if (c.hours->high > colab_session_hours) c.notes = {{"plan.note.colab-sessions", {"2", "3"}}};
  return c;
}

TEST(Rank, LongWorkOnColabStandsBehindWhatRunsInOneGo) {
  EXPECT_EQ(order({on_colab("colab", 20), choice("rented", 2, 3)}), (Names{"rented", "colab"}));
  EXPECT_EQ(order({on_colab("this-gpu", 20), choice("rented", 2, 3)}),
            (Names{"rented", "this-gpu"}));
  EXPECT_EQ(order({on_colab("colab", 5), choice("rented", 2, 3)}), (Names{"colab", "rented"}));
}

TEST(Rank, AHigherPriceNeverRanksBetterAtEqualTime) {
  std::mt19937 random(7);  // a fixed seed: the same thousand lists each time
  std::uniform_real_distribution<double> hours(0.1, 300), usd(0, 100);
  for (int round = 0; round < 1000; ++round) {
    std::vector<Choice> choices;
    for (int i = 0; i < 6; ++i)
      choices.push_back(
          choice(std::string(1, static_cast<char>('a' + i)), hours(random), usd(random)));
    Choice dearer = choices.front();
    dearer.where = "A-dearer";  // its name comes first, its price does not
    dearer.usd = Fact<PlanRange>(
        PlanRange{dearer.usd->low + 1, dearer.usd->expected + 1, dearer.usd->high + 1}, "test");
    choices.push_back(dearer);
    const Names names = order(choices);
    EXPECT_LT(std::ranges::find(names, "a") - names.begin(),
              std::ranges::find(names, "A-dearer") - names.begin());
  }
}

TEST(Rank, TheOrderOfTheInputDoesNotMatter) {
  std::vector<Choice> choices{choice("a", 1, 5), choice("b", 2, 3), choice("c", 30, 0),
                              choice("d", 1, 3, PlanFits::tight, PlanMeets::likely)};
  const Names first = order(choices);
  for (int i = 0; i < 24; ++i) {
    std::next_permutation(choices.begin(), choices.end(),
                          [](const Choice& x, const Choice& y) { return x.where < y.where; });
    EXPECT_EQ(order(choices), first);
  }
}

TEST(Rank, RanksByCostAndByTimeAreCountedApart) {
  std::vector<Choice> choices{choice("cheap", 9, 1), choice("fast", 1, 9),
                              choice("large", 1, 0, PlanFits::no, PlanMeets::no)};
  rank({}, choices);
  EXPECT_EQ(choices[0].where, "cheap");
  EXPECT_EQ(choices[0].rank_by_cost, 1);
  EXPECT_EQ(choices[0].rank_by_time, 2);
  EXPECT_EQ(choices[1].rank_by_time, 1);
  EXPECT_EQ(choices[2].rank_by_cost, 0);
}

Plan concluded(std::vector<Choice> choices, const PlanRequest& request = {}) {
  Plan plan;
  plan.model = "a model";
  rank(request, choices);
  plan.choices = std::move(choices);
  conclude(request, plan);
  return plan;
}

std::string keys(const std::vector<Message>& messages) {
  std::string all;
  for (const Message& message : messages) all += message.key + ' ';
  return all;
}

TEST(Conclude, TheFirstChoiceIsTheAnswerAndTheFastestIsNamedBesideIt) {
  const Plan plan = concluded({choice("this-cpu", 8, 0), choice("runpod", 0.3, 0.1)});
  EXPECT_EQ(plan.verdict, PlanMeets::yes);
  EXPECT_EQ(plan.answer.key, "plan.best.this-cpu");
  EXPECT_EQ(plan.fastest.key, "plan.fastest.rented");
  EXPECT_TRUE(concluded({choice("runpod", 1, 0)}).fastest.key.empty());
}

TEST(Conclude, WhereNothingKeepsTheLimitsTheNearestAndItsCureAreTold) {
  PlanRequest request;
  request.deadline_hours = 1, request.budget_usd = 2;
  const Plan plan = concluded({choice("runpod", 3.2, 5, PlanFits::yes, PlanMeets::no)}, request);
  EXPECT_EQ(plan.verdict, PlanMeets::no);
  EXPECT_EQ(plan.answer.key, "plan.nearest.rented");
  ASSERT_EQ(plan.cures.size(), 2U);
  // 3.2 h expected, 3.84 at most; $5 expected, $6 at most.
  EXPECT_EQ(plan.cures[0], (Message{"plan.cure.deadline", {"4", "4"}}));
  EXPECT_EQ(plan.cures[1], (Message{"plan.cure.budget", {"5.00", "6.00"}}));
}

TEST(Conclude, WhereNothingFitsTheLargestPlaceIsNamed) {
  Choice small = choice("runpod", 1, 1, PlanFits::no, PlanMeets::no), large = small;
  small.needed_bytes = large.needed_bytes = Fact<std::int64_t>(std::int64_t{400} << 30U, "test");
  small.usable_bytes = Fact<std::int64_t>(std::int64_t{23} << 30U, "test");
  large.usable_bytes = Fact<std::int64_t>(std::int64_t{178} << 30U, "test");
  PlanRequest request;
  request.gpu = "B200", request.fit.training.task = "full";
  const Plan plan = concluded({small, large}, request);
  EXPECT_NE(keys(plan.cures).find("plan.cure.shard"), std::string::npos);
  EXPECT_EQ(plan.verdict, PlanMeets::no);
  EXPECT_EQ(plan.answer.key, "plan.answer.nothing-fits");
  EXPECT_EQ(plan.answer.args[1], "178.0 GiB");
  EXPECT_NE(keys(plan.cures).find("plan.cure.smaller"), std::string::npos);
  EXPECT_NE(keys(plan.cures).find("plan.cure.filters"), std::string::npos);
}

TEST(Conclude, NoPlaceAndNoTimeAreToldApart) {
  EXPECT_EQ(concluded({}).answer.key, "plan.answer.nowhere");
  EXPECT_EQ(concluded({}).verdict, PlanMeets::no);
  Choice timeless = choice("this-cpu", 1, 0);
  timeless.hours = timeless.usd = Fact<PlanRange>::absent(Absence::not_found, "no rate");
  EXPECT_EQ(concluded({timeless}).answer.key, "plan.answer.no-time");
  EXPECT_EQ(concluded({timeless}).verdict, PlanMeets::unknown);
}

TEST(Conclude, WhatIsNotSureOfTheBestChoiceIsSaid) {
  PlanRequest request;
  request.deadline_hours = 1.1, request.budget_usd = 5.5;
  const Plan plan =
      concluded({choice("runpod", 1, 5, PlanFits::tight, PlanMeets::likely)}, request);
  EXPECT_EQ(plan.answer.key, "plan.best.rented");
  EXPECT_EQ(keys(plan.cures), "plan.doubt.tight plan.doubt.deadline plan.doubt.budget ");
  EXPECT_TRUE(concluded({choice("runpod", 1, 5)}).cures.empty());
  EXPECT_EQ(keys(concluded({on_colab("colab", 20)}).cures), "plan.doubt.sessions ");
}

TEST(Conclude, ATightOrManySessionAnswerIsNoMoreThanLikely) {
  EXPECT_EQ(concluded({choice("runpod", 1, 1, PlanFits::tight, PlanMeets::likely)}).verdict,
            PlanMeets::likely);
  EXPECT_EQ(concluded({on_colab("colab", 20)}).verdict, PlanMeets::likely);
}

}  // namespace
}  // namespace gpuready::plan
