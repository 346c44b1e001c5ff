#pragma once
/// Where to run: what is asked of plan, and its ranked choices with time and cost.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpuready/bench.hpp"
#include "gpuready/fact.hpp"
#include "gpuready/fit.hpp"
#include "gpuready/machine.hpp"
#include "gpuready/message.hpp"
#include "gpuready/offers.hpp"
#include "gpuready/result.hpp"
#include "gpuready/units.hpp"

namespace gpuready {

struct Run;
struct Style;

/// `gpuready plan`: one amount of work, and what it may cost. 0 and empty mean: not said.
struct PlanRequest {
  /// The model and the options of its memory. `gpu`, `gpus` and `vram_bytes` stay empty: plan tries
  /// every place.
  FitRequest fit;
  double tokens = 0;         ///< to generate
  double prompt_tokens = 0;  ///< to read before, of all prompts together
  double train_tokens = 0;   ///< of one epoch
  double epochs = 0;
  double flops = 0;      ///< floating-point operations
  double cpu_hours = 0;  ///< what the work takes on this machine's CPU
  std::string dtype;     ///< of --flops and --cpu-hours on GPUs: fp32, tf32, bf16, fp16
  double budget_usd = 0, deadline_hours = 0, max_price_usd_per_hour = 0;
  std::string gpu;                     ///< only places with this GPU
  std::vector<std::string> providers;  ///< lambda, runpod, vast, colab; empty: all
  bool offline = false;                ///< ask nobody: the dated table alone
};

/// A number with its bounds, low <= expected <= high.
struct PlanRange {
  double low = 0, expected = 0, high = 0;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("low", s.low, Unit::none, "at least");
    f("expected", s.expected, Unit::none, "most likely");
    f("high", s.high, Unit::none, "at most");
  }
};

enum class WorkKind { generation, training, cpu_hours, flops };
template <>
struct EnumNames<WorkKind> {
  static constexpr std::array<std::string_view, 4> list{"generation", "training", "cpu-hours",
                                                        "flops"};
};

/// How much work it is.
struct PlanWork {
  WorkKind kind = WorkKind::flops;
  Fact<double> flops, tokens, prompt_tokens, cpu_hours;
  std::string dtype;  ///< of the arithmetic on GPUs: fp32, tf32, or half (bf16, else fp16)
  Message how;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("kind", s.kind, Unit::none, "generation, training, cpu-hours or flops");
    f("flops", s.flops, Unit::count, "floating-point operations");
    f("tokens", s.tokens, Unit::count, "tokens to generate, or to train on with every epoch");
    f("prompt_tokens", s.prompt_tokens, Unit::count, "tokens of prompts to read");
    f("cpu_hours", s.cpu_hours, Unit::none, "hours on this machine's CPU");
    f("dtype", s.dtype, Unit::none, "type of the arithmetic: fp32, tf32, bf16, fp16 or half");
    f("how", s.how, Unit::none, "the rule and its numbers");
  }
};

enum class PlanFits { yes, tight, no, unknown, not_asked };
template <>
struct EnumNames<PlanFits> {
  static constexpr std::array<std::string_view, 5> list{"yes", "tight", "no", "unknown",
                                                        "not-asked"};
};

/// Whether a deadline and a budget are kept: surely (the high figures), likely (the expected ones).
enum class PlanMeets { yes, likely, no, unknown };
template <>
struct EnumNames<PlanMeets> {
  static constexpr std::array<std::string_view, 4> list{"yes", "likely", "no", "unknown"};
};

/// A part of the time.
struct PlanStep {
  std::string name;  ///< boot, install, download, work
  PlanRange hours;
  Message how;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("name", s.name, Unit::none, "boot, install, download or work");
    f("hours", s.hours, Unit::none, "hours that it takes");
    f("how", s.how, Unit::none, "where the figures come from");
  }
};

/// One place to run, with its time and its cost.
struct Choice {
  std::string where;  ///< this-cpu, this-gpu, colab, lambda, runpod, vast
  std::string gpu;
  std::int64_t gpu_count = 0;
  std::string kind, region, offer;
  PlanFits fits = PlanFits::not_asked;
  Fact<std::int64_t> needed_bytes, usable_bytes;
  Fact<PlanRange> hours, usd;
  Fact<double> usd_per_hour;
  Fact<std::string> price_as_of;
  bool live = false;
  PlanMeets meets = PlanMeets::unknown;
  std::int64_t rank_by_cost = 0, rank_by_time = 0;
  std::vector<PlanStep> steps;
  std::vector<Message> setup;
  Message why;
  std::vector<Message> notes;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("where", s.where, Unit::none, "this-cpu, this-gpu, colab, lambda, runpod or vast");
    f("gpu", s.gpu, Unit::none, "GPU, as the table of GPUs names it; empty: none");
    f("gpu_count", s.gpu_count, Unit::count, "GPUs that are used");
    f("kind", s.kind, Unit::none, "on-demand, community or secure");
    f("region", s.region, Unit::none, "where the machine stands");
    f("offer", s.offer, Unit::none, "what the provider calls a live offer");
    f("fits", s.fits, Unit::none, "whether the model fits: yes, tight, no, unknown or not-asked");
    f("needed_bytes", s.needed_bytes, Unit::bytes, "memory on the fullest device, high figure");
    f("usable_bytes", s.usable_bytes, Unit::bytes, "memory that a program gets there");
    f("hours", s.hours, Unit::none, "hours from now to the end, with start-up and download");
    f("usd", s.usd, Unit::none, "total cost in USD");
    f("usd_per_hour", s.usd_per_hour, Unit::usd_per_hour, "price of the whole machine");
    f("price_as_of", s.price_as_of, Unit::none, "date of the price");
    f("live", s.live, Unit::none, "whether the provider told the price just now");
    f("meets", s.meets, Unit::none, "whether deadline and budget are kept");
    f("rank_by_cost", s.rank_by_cost, Unit::none, "place by expected cost, from 1; 0: not known");
    f("rank_by_time", s.rank_by_time, Unit::none, "place by expected time, from 1; 0: not known");
    f("steps", s.steps, Unit::none, "what the time is made of");
    f("setup", s.setup, Unit::none, "what to do to run there");
    f("why", s.why, Unit::none, "why it stands where it stands");
    f("notes", s.notes, Unit::none, "what to know before");
  }
};

/// A place that was not considered.
struct LeftOut {
  std::string where, gpu;
  std::int64_t gpu_count = 0;
  std::string reason;  ///< a word: gpu, max-price, providers, spot, unknown-gpu, ...
  Message why;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("where", s.where, Unit::none, "as of a choice");
    f("gpu", s.gpu, Unit::none, "its GPU");
    f("gpu_count", s.gpu_count, Unit::count, "its GPUs");
    f("reason", s.reason, Unit::none,
      "gpu, max-price, providers, spot, one-gpu, unknown-gpu, unknown-price, unavailable, "
      "not-usable, options or same");
    f("why", s.why, Unit::none, "one sentence");
  }
};

/// The answer of plan.
struct Plan {
  Message question;
  std::string model;
  PlanWork work;
  PlanMeets verdict = PlanMeets::unknown;  ///< of the first choice
  Message answer;
  Message fastest;  ///< empty where it is the first choice
  std::vector<Message> cures;
  std::vector<Choice> choices;
  std::vector<LeftOut> left_out;
  std::vector<ProviderError> errors;
  std::vector<Message> assumptions;
  std::int64_t considered = 0;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("question", s.question, Unit::none, "what was asked");
    f("model", s.model, Unit::none, "the model; empty: none was named");
    f("work", s.work, Unit::none, "how much work it is");
    f("verdict", s.verdict, Unit::none,
      "yes: the first choice fits and keeps deadline and budget; likely; no; unknown");
    f("answer", s.answer, Unit::none, "the first choice, or what is nearest, in one sentence");
    f("fastest", s.fastest, Unit::none,
      "the fastest choice that is as sure as the first; empty: the first is");
    f("cures", s.cures, Unit::none,
      "where the verdict is no: what would change it; else what is not sure");
    f("choices", s.choices, Unit::none, "places to run, best first");
    f("left_out", s.left_out, Unit::none, "places that were not considered, and why");
    f("errors", s.errors, Unit::none, "providers that could not be asked");
    f("assumptions", s.assumptions, Unit::none, "what was taken for granted");
    f("considered", s.considered, Unit::count, "offers before the filters");
  }
};

/// What a plan rests on besides the request.
struct PlanSources {
  /// Fills in the machine and gives what is measured on it. Called once, after all that can be
  /// wrong with the request was looked at: measuring takes seconds.
  std::function<Result<Bench>(Machine&)> look;
  std::string data_dir;  ///< replaces the compiled-in tables; may be empty
};

/// Where to run. The code of an error is network_fault where the Hub could not be asked.
Result<Plan> plan_work(const PlanRequest& request, const PlanSources& sources);

/// Whether the plan would use rates of products that a benchmark can measure.
bool plan_uses_rates(const PlanRequest& request);

std::string show_text(const Run& run, const Plan& plan, const Style& style);
std::string show_json(const Run& run, const Plan& plan);

}  // namespace gpuready
