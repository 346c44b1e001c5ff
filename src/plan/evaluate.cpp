#include "plan/evaluate.hpp"

#include <algorithm>
#include <cmath>

#include "base/cost.hpp"
#include "base/format.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "plan/range.hpp"
#include "plan/show.hpp"

namespace gpuready::plan {

namespace {

constexpr double seconds = 1.0 / 3600;

bool is_cpu(const Candidate& candidate) { return candidate.where == "this-cpu"; }

/// Of this machine what was measured there, else the table's; of a CPU always fp32.
Rate rate_of(const Task& task, const Candidate& candidate) {
  if (is_cpu(candidate)) return cpu_rate(task.machine, task.bench);
  if (candidate.row == nullptr)
    return {Fact<PlanRange>::absent(Absence::not_found, "no GPU of the table"), false};
  if (!candidate.device.empty()) {
    Rate measured =
        measured_rate(task.bench, candidate.device, type_on(*candidate.row, task.work.dtype));
    if (measured.flops) return measured;
  }
  return task.rates.rate(*candidate.row, task.work.dtype);
}

std::string show(const PlanRange& flops) { return base::show_flops(flops.expected); }

/// Operations at a rate of which a part is reached.
WorkTime compute_time(const Task& task, const Candidate& candidate, const PlanRange& part) {
  const Rate rate = rate_of(task, candidate);
  if (!rate.flops) return {rate.flops.pass_absence<PlanRange>(), {}};
  const PlanRange speed = product(product(*rate.flops, part),
                                  working_gpus(std::max<std::int64_t>(candidate.gpu_count, 1)));
  const PlanRange hours = scaled(quotient(exactly(*task.work.flops), speed), seconds);
  const Message how{
      rate.measured ? "plan.how.compute-measured" : "plan.how.compute",
      {show(*rate.flops), base::format("{:.0f}", 100 * part.low),
       base::format("{:.0f}", 100 * part.expected), base::format("{:.0f}", 100 * part.high)}};
  return {Fact<PlanRange>(hours, "operations / rate"), how};
}

/// The hours on this CPU over how much faster the GPU is. A program that ran on a CPU uses one GPU.
WorkTime converted_time(const Task& task, const Candidate& candidate) {
  const PlanRange asked = exactly(*task.work.cpu_hours);
  if (is_cpu(candidate)) return {Fact<PlanRange>(asked, "--cpu-hours"), {"plan.how.as-told", {}}};
  const Rate here = cpu_rate(task.machine, task.bench), there = rate_of(task, candidate);
  if (!here.flops) return {here.flops.pass_absence<PlanRange>(), {}};
  if (!there.flops) return {there.flops.pass_absence<PlanRange>(), {}};
  const PlanRange ratio = quotient(*there.flops, *here.flops);
  const PlanRange faster = product(ratio, speedup_part());
  const char* key = here.measured ? "plan.how.ratio-measured" : "plan.how.ratio";
  return {Fact<PlanRange>(quotient(asked, faster), "CPU hours / speed-up"),
          {key,
           {show(*there.flops), show(*here.flops), base::show_ratio(ratio.expected),
            base::show_two_digits(faster.low), base::show_two_digits(faster.expected),
            base::show_two_digits(faster.high)}}};
}

/// Sequences that are written at the same time.
double sequences(const InferenceOptions& options) {
  return static_cast<double>(
      std::max<std::int64_t>({options.batch, options.parallel, std::int64_t{1}}));
}

/// Tokens a second of all sequences: weights are read once for all, each further one adds its
/// operations. Never more than one sequence's times their number.
PlanRange all_sequences(const Task& task, const Candidate& candidate, const TokenRate& one) {
  const PlanRange single{one.low, one.expected, one.high};
  const double count = sequences(task.request.fit.inference);
  const Rate rate = rate_of(task, candidate);
  if (count <= 1 || !rate.flops || task.model == nullptr) return single;
  const double active = static_cast<double>(
      task.model->active_parameters > 0 ? task.model->active_parameters : task.model->parameters);
  const PlanRange speed = product(*rate.flops, prompt_part());
  const auto together = [&](double tokens_per_s, double flops) {
    return count / (1 / tokens_per_s + (count - 1) * 2 * active / flops);
  };
  return {together(one.low, speed.low), together(one.expected, speed.expected),
          together(one.high, speed.high)};
}

WorkTime generation_time(const Task& task, const Candidate& candidate) {
  const FitSpeed& speed = candidate.memory.speed;
  if (!speed.tokens_per_s) return {speed.tokens_per_s.pass_absence<PlanRange>(), {}};
  if (speed.tokens_per_s->low <= 0)
    return {Fact<PlanRange>::absent(Absence::not_found, "no speed for this model"), {}};
  const PlanRange rate = all_sequences(task, candidate, *speed.tokens_per_s);
  const double tokens = *task.work.tokens;
  PlanRange hours = scaled(quotient(exactly(tokens), rate), seconds);
  Message how{"plan.how.tokens",
              {base::show_two_digits(rate.low), base::show_two_digits(rate.expected),
               base::show_two_digits(rate.high), speed.bound_by}};
  const double prompt = *task.work.prompt_tokens;
  if (prompt > 0) {
    PlanWork work = task.work;
    work.flops = Fact<double>(*task.work.flops * prompt / (prompt + tokens), "prompts alone");
    const Task only_prompts{task.request, work, task.machine, task.bench, task.rates,
                            task.model,   0,    false};
    const WorkTime prompts = compute_time(only_prompts, candidate, prompt_part());
    if (!prompts.hours) return prompts;
    hours = sum(hours, *prompts.hours);
  }
  return {Fact<PlanRange>(hours, "tokens / speed"), std::move(how)};
}

PlanMeets worst(PlanMeets a, PlanMeets b) { return std::max(a, b); }

/// Whether a limit is kept; 0: there is none.
PlanMeets keeps(const PlanRange& range, double limit) {
  if (limit <= 0 || range.high <= limit) return PlanMeets::yes;
  return range.expected <= limit ? PlanMeets::likely : PlanMeets::no;
}

PlanMeets meets_of(const Task& task, const Choice& choice) {
  if (!choice.hours || !choice.usd) return PlanMeets::unknown;
  if (choice.fits == PlanFits::no) return PlanMeets::no;
  PlanMeets meets = worst(keeps(*choice.hours, task.request.deadline_hours),
                          keeps(*choice.usd, task.request.budget_usd));
  if (choice.fits == PlanFits::tight) meets = worst(meets, PlanMeets::likely);
  if (choice.fits == PlanFits::unknown && meets != PlanMeets::no) meets = PlanMeets::unknown;
  return meets;
}

bool has_arm_cpu(const Candidate& c) {
  // Grace is the CPU of GH200, GB200 and GB10.
  return c.cpu_arch == "aarch64" || base::starts_with(c.gpu, "GH200") ||
         base::starts_with(c.gpu, "GB200") || base::starts_with(c.gpu, "GB10");
}

void add_notes(const Task& task, const Candidate& candidate, Choice& choice) {
  if (has_arm_cpu(candidate)) choice.notes.push_back({"plan.note.arm", {}});
  if (candidate.row != nullptr && candidate.row->vendor == "AMD")
    choice.notes.push_back({"plan.note.rocm", {}});
  if (candidate.where == "vast" || candidate.kind == "community")
    choice.notes.push_back({"plan.note.strangers", {}});
  if (candidate.where == "vast") choice.notes.push_back({"plan.note.traffic", {}});
  if (candidate.where == "runpod") choice.notes.push_back({"plan.note.credit", {}});
  const bool bf16 =
      task.work.kind == WorkKind::training && (task.request.fit.training.precision == "bf16" ||
                                               task.request.fit.training.precision == "mixed");
  if (bf16 && candidate.row != nullptr && candidate.row->compute_capability > 0 &&
      candidate.row->compute_capability < 8)
    choice.notes.push_back({"plan.note.no-bf16", {candidate.gpu}});
  const bool in_colab = candidate.where == "colab" ||
                        (!candidate.device.empty() && task.machine.environment.colab.known());
  if (in_colab) {
    choice.notes.push_back({"plan.note.colab", {}});
    if (choice.hours && choice.hours->high > colab_session_hours)
      choice.notes.push_back(
          {"plan.note.colab-sessions",
           {base::format("{:.0f}", std::ceil(choice.hours->expected / colab_session_hours)),
            base::format("{:.0f}", std::ceil(choice.hours->high / colab_session_hours))}});
  }
}

std::string rental_command(const Candidate& c, const PlanRange& hours) {
  std::string command =
      "gpuready cloud run --provider " + c.where + " --gpu " + base::shell_word(c.gpu);
  if (c.gpu_count > 1) command += base::format(" --gpu-count {}", c.gpu_count);
  return command + base::format(" --max-price {:.2f} --max-minutes {:.0f} -- COMMAND",
                                std::ceil(*c.usd_per_hour * 100 - 1e-9) / 100,
                                std::ceil(hours.high * 60));
}

std::vector<Message> setup_of(const Candidate& c, const Choice& choice) {
  if (c.where == "this-cpu") return {{"plan.setup.this-cpu", {}}};
  if (c.where == "this-gpu") return {{"plan.setup.this-gpu", {}}};
  if (c.where == "colab") return {{"plan.setup.colab", {}}};
  std::vector<Message> setup{{"plan.setup.account", {provider_name(c.where)}}};
  if (choice.hours) setup.push_back({"plan.setup.rent", {rental_command(c, *choice.hours)}});
  return setup;
}

void add_time_and_cost(const Task& task, const Candidate& candidate, Choice& choice) {
  const WorkTime work = work_time(task, candidate);
  if (!work.hours) {
    choice.hours = choice.usd = work.hours;
    return;
  }
  choice.steps = first_steps(task, candidate);
  choice.steps.push_back({"work", *work.hours, work.how});
  PlanRange hours;
  for (const PlanStep& step : choice.steps) hours = sum(hours, step.hours);
  choice.hours = Fact<PlanRange>(hours, "steps");
  if (!candidate.usd_per_hour) {
    choice.usd = candidate.usd_per_hour.pass_absence<PlanRange>();
    return;
  }
  const PlanRange price = scaled(candidate.price_part, *candidate.usd_per_hour);
  const PlanRange billed = billed_hours(candidate.where, choice.steps);
  choice.usd = Fact<PlanRange>(
      {billed.low * price.low, billed.expected * price.expected, billed.high * price.high},
      "billed hours x price");
}

Message why_of(const Choice& choice) {
  if (choice.fits == PlanFits::no && choice.needed_bytes && choice.usable_bytes)
    return {"plan.why.does-not-fit",
            {base::show_bytes(*choice.needed_bytes), base::show_bytes(*choice.usable_bytes)}};
  if (!choice.hours) return {"plan.why.no-time", {choice.hours.missing().detail}};
  const Message& how = choice.steps.back().how;
  return how;
}

}  // namespace

WorkTime work_time(const Task& task, const Candidate& candidate) {
  switch (task.work.kind) {
    case WorkKind::cpu_hours:
      return converted_time(task, candidate);
    case WorkKind::generation:
      return generation_time(task, candidate);
    case WorkKind::training:
      return compute_time(task, candidate,
                          training_part(is_cpu(candidate), task.request.fit.training));
    case WorkKind::flops:
      break;
  }
  return compute_time(task, candidate, flops_part());
}

Choice evaluate(const Task& task, const Candidate& candidate) {
  Choice choice;
  choice.where = candidate.where, choice.gpu = candidate.gpu;
  choice.gpu_count = candidate.gpu_count;
  choice.kind = candidate.kind, choice.region = candidate.region, choice.offer = candidate.offer;
  choice.fits = candidate.memory.fits;
  choice.needed_bytes = candidate.memory.needed_bytes;
  choice.usable_bytes = candidate.memory.usable_bytes;
  choice.usd_per_hour = candidate.usd_per_hour, choice.price_as_of = candidate.price_as_of;
  choice.live = candidate.live, choice.notes = candidate.notes;
  add_time_and_cost(task, candidate, choice);
  choice.meets = meets_of(task, choice);
  add_notes(task, candidate, choice);
  choice.setup = setup_of(candidate, choice);
  choice.why = why_of(choice);
  return choice;
}

}  // namespace gpuready::plan
