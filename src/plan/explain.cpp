#include "plan/explain.hpp"

#include <algorithm>
#include <optional>

#include "base/cost.hpp"
#include "base/quantity.hpp"

namespace gpuready::plan {

namespace {

Message question_of(const Task& task) {
  const PlanRequest& asked = task.request;
  const std::string model = task.model != nullptr ? task.model->name : std::string();
  switch (task.work.kind) {
    case WorkKind::cpu_hours:
      return {"plan.question.cpu-hours", {base::show_hours(asked.cpu_hours)}};
    case WorkKind::flops:
      return {"plan.question.flops", {base::show_amount(asked.flops)}};
    case WorkKind::training:
      return {"plan.question.training",
              {model, base::show_amount(*task.work.tokens), asked.fit.training.task}};
    case WorkKind::generation:
      break;
  }
  return {"plan.question.generation", {model, base::show_amount(asked.tokens)}};
}

/// The dates between which the prices of the choices lie.
std::optional<Message> age_of_prices(const Plan& plan, std::int64_t today) {
  std::optional<std::int64_t> oldest, newest;
  std::string first, last;
  for (const Choice& c : plan.choices) {
    if (c.live || !c.price_as_of || c.where == "colab") continue;
    const auto day = day_of(*c.price_as_of);
    if (!day) continue;
    if (!oldest || *day < *oldest) oldest = day, first = *c.price_as_of;
    if (!newest || *day > *newest) newest = day, last = *c.price_as_of;
  }
  if (!oldest) return {};
  return Message{"plan.assume.dated",
                 {first, last, std::to_string(today - *newest), std::to_string(today - *oldest)}};
}

void add_rates(const Task& task, std::vector<Message>& to) {
  const bool on_rates = task.work.kind != WorkKind::generation;
  if (!on_rates) return;
  const Rate cpu = cpu_rate(task.machine, task.bench);
  if (!cpu.flops) {
    to.push_back({"plan.assume.no-cpu-rate", {cpu.flops.missing().detail}});
    return;
  }
  to.push_back({cpu.measured ? "plan.assume.cpu-measured" : "plan.assume.cpu-guessed",
                {base::show_flops(cpu.flops->expected), base::show_flops(cpu.flops->low),
                 base::show_flops(cpu.flops->high)}});
}

}  // namespace

void explain(const Task& task, std::int64_t today, Plan& plan) {
  plan.question = question_of(task);
  std::vector<Message>& to = plan.assumptions;
  add_rates(task, to);
  if (task.work.kind == WorkKind::cpu_hours)
    to.push_back({"plan.assume.speedup", {task.work.dtype}});
  if (task.work.kind == WorkKind::training) to.push_back({"plan.assume.training", {}});
  if (task.work.kind == WorkKind::generation)
    to.push_back(
        {"plan.assume.generation",
         {std::to_string(std::max<std::int64_t>(
             {task.request.fit.inference.batch, task.request.fit.inference.parallel, 1}))}});
  if (task.work.kind == WorkKind::flops) to.push_back({"plan.assume.flops", {task.work.dtype}});
  to.push_back({"plan.assume.data", {}});
  if (task.request.deadline_hours <= 0) to.push_back({"plan.assume.patience", {}});
  if (std::ranges::any_of(plan.choices, [](const Choice& c) { return c.live; }))
    to.push_back({"plan.assume.live", {}});
  if (auto age = age_of_prices(plan, today)) to.push_back(std::move(*age));
  to.push_back({"plan.assume.own", {}});
}

}  // namespace gpuready::plan
