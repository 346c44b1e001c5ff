#include "plan/rank.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/cost.hpp"
#include "base/format.hpp"
#include "base/quantity.hpp"
#include "plan/show.hpp"

namespace gpuready::plan {

namespace {

/// Classes of choices, better ones first.
enum class Class { sure, likely, unknown, beyond, no_time, does_not_fit };

/// On Colab, rented or being this machine.
bool needs_sessions(const Choice& choice) {
  return choice.hours && choice.hours->expected > colab_session_hours &&
         std::ranges::any_of(choice.notes, [](const Message& note) {
           return note.key == "plan.note.colab-sessions";
         });
}

Class class_of(const Choice& choice) {
  if (choice.fits == PlanFits::no) return Class::does_not_fit;
  if (!choice.hours || !choice.usd) return Class::no_time;
  if (choice.meets == PlanMeets::no) return Class::beyond;
  if (choice.meets == PlanMeets::unknown) return Class::unknown;
  // The free GPU ends after half a day, and another is not promised.
  if (choice.meets == PlanMeets::likely || needs_sessions(choice)) return Class::likely;
  return Class::sure;
}

/// By how much a limit is passed; 1 or less: it is not.
double over(double value, double limit) { return limit > 0 ? value / limit : 0; }

double overshoot(const PlanRequest& request, const Choice& choice) {
  return std::max(over(choice.hours->expected, request.deadline_hours),
                  over(choice.usd->expected, request.budget_usd));
}

/// Who has said no deadline still has days, not months.
int patience(const PlanRequest& request, double hours) {
  constexpr double day = 24, week = 7 * day, month = 30 * day;
  if (request.deadline_hours > 0 || hours <= day) return 0;
  if (hours <= week) return 1;
  return hours <= month ? 2 : 3;
}

using Key = std::tuple<Class, double, int, double, double, std::string, std::string, std::string,
                       std::int64_t>;

Key key_of(const PlanRequest& request, const Choice& choice) {
  const Class its = class_of(choice);
  const bool timed = choice.hours.known() && choice.usd.known();
  const double hours = timed ? choice.hours->expected : HUGE_VAL;
  const double usd = timed ? choice.usd->expected : HUGE_VAL;
  const double beyond = its == Class::beyond ? overshoot(request, choice) : 0;
  return {its,        beyond,      patience(request, hours), usd, hours, choice.where,
          choice.gpu, choice.kind, choice.gpu_count};
}

/// Fills one of the ranks, from 1, by what `value` gives.
template <class Value>
void number(std::vector<Choice>& choices, std::int64_t Choice::*rank, const Value& value) {
  std::vector<Choice*> order;
  for (Choice& choice : choices)
    if (choice.hours && choice.usd && choice.fits != PlanFits::no) order.push_back(&choice);
  std::ranges::stable_sort(order, {}, [&](const Choice* c) { return value(*c); });
  std::int64_t next = 1;
  for (Choice* choice : order) choice->*rank = next++;
}

/// "25 min (8.2 min to 1.5 h)"; without bounds that say nothing.
std::string time_words(const PlanRange& hours) {
  const std::string low = base::show_hours(hours.low), high = base::show_hours(hours.high);
  const std::string expected = base::show_hours(hours.expected);
  return low == high ? expected : base::format("{} ({} to {})", expected, low, high);
}

std::vector<std::string> figures(const Choice& choice) {
  return {place_words(choice), time_words(*choice.hours), base::show_usd(choice.usd->expected),
          base::show_usd(choice.usd->high)};
}

/// The fastest of those as sure as the first, if that is another.
Message fastest_of(const std::vector<Choice>& choices) {
  const Choice* best = &choices.front();
  for (const Choice& c : choices)
    if (class_of(c) == class_of(choices.front()) && c.hours->expected < best->hours->expected)
      best = &c;
  if (best == &choices.front()) return {};
  return {"plan.fastest." + place_key(*best), figures(*best)};
}

/// What would let the nearest choice through.
std::vector<Message> cures_of(const PlanRequest& request, const Choice& nearest) {
  std::vector<Message> cures;
  const bool late = over(nearest.hours->expected, request.deadline_hours) > 1;
  const bool dear = over(nearest.usd->expected, request.budget_usd) > 1;
  if (late)
    cures.push_back({"plan.cure.deadline",
                     {base::format("{:.0f}", std::ceil(nearest.hours->expected)),
                      base::format("{:.0f}", std::ceil(nearest.hours->high))}});
  if (dear)
    cures.push_back({"plan.cure.budget",
                     {base::format("{:.2f}", std::ceil(nearest.usd->expected * 100) / 100),
                      base::format("{:.2f}", std::ceil(nearest.usd->high * 100) / 100)}});
  return cures;
}

/// What is not sure of the best choice.
std::vector<Message> doubts_of(const PlanRequest& request, const Choice& best) {
  std::vector<Message> doubts;
  if (best.fits == PlanFits::tight) doubts.push_back({"plan.doubt.tight", {}});
  if (best.fits == PlanFits::unknown) doubts.push_back({"plan.doubt.unknown", {}});
  if (over(best.hours->high, request.deadline_hours) > 1)
    doubts.push_back({"plan.doubt.deadline", {base::show_hours(best.hours->high)}});
  if (over(best.usd->high, request.budget_usd) > 1)
    doubts.push_back({"plan.doubt.budget", {base::show_usd(best.usd->high)}});
  if (needs_sessions(best)) doubts.push_back({"plan.doubt.sessions", {}});
  return doubts;
}

bool narrows(const PlanRequest& request) {
  return !request.gpu.empty() || !request.providers.empty() || request.max_price_usd_per_hour > 0;
}

void nothing_fits(const PlanRequest& request, Plan& plan) {
  const Choice* largest = nullptr;
  for (const Choice& c : plan.choices)
    if (c.usable_bytes && c.needed_bytes &&
        (largest == nullptr ||
         static_cast<double>(*c.usable_bytes) / static_cast<double>(*c.needed_bytes) >
             static_cast<double>(*largest->usable_bytes) /
                 static_cast<double>(*largest->needed_bytes)))
      largest = &c;
  if (largest == nullptr) {
    plan.answer = {plan.choices.empty() ? "plan.answer.nowhere" : "plan.answer.no-time", {}};
  } else {
    plan.answer = {
        "plan.answer.nothing-fits",
        {base::show_bytes(*largest->needed_bytes), base::show_bytes(*largest->usable_bytes),
         largest->gpu.empty() ? std::string("cpu") : largest->gpu}};
    const TrainingOptions& training = request.fit.training;
    if (training.task == "full" && !training.fsdp && training.zero < 3)
      plan.cures.push_back({"plan.cure.shard", {}});
    plan.cures.push_back({"plan.cure.smaller", {plan.model}});
  }
  if (narrows(request)) plan.cures.push_back({"plan.cure.filters", {}});
}

}  // namespace

void rank(const PlanRequest& request, std::vector<Choice>& choices) {
  std::ranges::stable_sort(choices, {},
                           [&](const Choice& choice) { return key_of(request, choice); });
  number(choices, &Choice::rank_by_cost, [](const Choice& c) {
    return std::pair{c.usd->expected, c.hours->expected};
  });
  number(choices, &Choice::rank_by_time, [](const Choice& c) {
    return std::pair{c.hours->expected, c.usd->expected};
  });
}

void conclude(const PlanRequest& request, Plan& plan) {
  const bool none = plan.choices.empty() || plan.choices.front().fits == PlanFits::no ||
                    !plan.choices.front().hours || !plan.choices.front().usd;
  if (none) {
    const bool fits_not = !plan.choices.empty() && plan.choices.front().fits == PlanFits::no;
    plan.verdict = fits_not || plan.choices.empty() ? PlanMeets::no : PlanMeets::unknown;
    nothing_fits(request, plan);
    return;
  }
  const Choice& best = plan.choices.front();
  plan.verdict = best.meets;
  if (best.meets == PlanMeets::yes && class_of(best) != Class::sure)
    plan.verdict = PlanMeets::likely;
  const bool beyond = best.meets == PlanMeets::no;
  plan.answer = {(beyond ? "plan.nearest." : "plan.best.") + place_key(best), figures(best)};
  plan.fastest = fastest_of(plan.choices);
  if (beyond) {
    plan.cures = cures_of(request, best);
    if (narrows(request)) plan.cures.push_back({"plan.cure.filters", {}});
  } else {
    plan.cures = doubts_of(request, best);
  }
}

}  // namespace gpuready::plan
