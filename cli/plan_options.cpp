#include "plan_options.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <string_view>

namespace gpuready::cli {

namespace {

using Help = std::function<std::string(const std::string&)>;

/// What an amount may be, and how it is written.
struct Amount {
  const char* name;
  double most;
  const char* units;     ///< letters for 10^3, 10^6, ...; empty: none
  const char* expected;  ///< for the error
};

constexpr const char* token_units = "kMBT";
constexpr const char* flop_units = "kMGTPEZY";

double unit_of(char letter, std::string_view units) {
  const std::size_t place = units.find(letter);
  return place == std::string_view::npos ? 0 : std::pow(1000.0, static_cast<double>(place + 1));
}

/// 0 where nothing was written.
Result<double> read_amount(const std::string& text, const Amount& amount) {
  if (text.empty()) return 0.0;
  const auto wrong = [&] {
    return failure(std::string(amount.name) + " " + text + ": expected " + amount.expected);
  };
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || !std::isfinite(value)) return wrong();
  if (read.ptr != end) {
    const double unit = read.ptr + 1 == end ? unit_of(*read.ptr, amount.units) : 0;
    if (unit == 0) return wrong();
    value *= unit;
  }
  if (!(value > 0) || value > amount.most) return wrong();
  return value;
}

struct Reading {
  const std::string& text;
  Amount amount;
  double& to;
};

Result<void> read_amounts(const PlanOptions& o, PlanRequest& r) {
  constexpr const char* tokens = "a number of tokens above 0, as 5000000, 5e6, 5M or 2B";
  constexpr const char* usd = "USD above 0, as 2.50";
  const Reading list[] = {
      {o.tokens, {"--tokens", 1e15, token_units, tokens}, r.tokens},
      {o.prompt_tokens, {"--prompt-tokens", 1e15, token_units, tokens}, r.prompt_tokens},
      {o.train_tokens, {"--train-tokens", 1e16, token_units, tokens}, r.train_tokens},
      {o.epochs, {"--epochs", 1e6, "", "a number above 0, as 3"}, r.epochs},
      {o.flops,
       {"--flops", 1e30, flop_units, "operations above 0, at most 1e30, as 1e18 or 500P"},
       r.flops},
      {o.cpu_hours, {"--cpu-hours", 1e7, "", "hours above 0, at most 1e7, as 8"}, r.cpu_hours},
      {o.budget, {"--budget", 1e9, "", usd}, r.budget_usd},
      {o.deadline, {"--deadline", 1e7, "", "hours above 0, as 12"}, r.deadline_hours},
      {o.max_price,
       {"--max-price", 1e6, "", "USD per hour above 0, as 0.60"},
       r.max_price_usd_per_hour}};
  for (const Reading& reading : list) {
    const auto value = read_amount(reading.text, reading.amount);
    if (!value) return tl::unexpected(value.error());
    reading.to = *value;
  }
  return {};
}

/// Exactly one amount of work, and nothing that belongs to another.
Result<void> check_work(const PlanOptions& o, const PlanRequest& r) {
  const int kinds = static_cast<int>(r.tokens > 0) + static_cast<int>(r.train_tokens > 0) +
                    static_cast<int>(r.flops > 0) + static_cast<int>(r.cpu_hours > 0);
  const bool by_tokens = r.tokens > 0 || r.train_tokens > 0;
  const std::string& model = o.fit.request.model;
  if (r.epochs > 0 && r.train_tokens <= 0)
    return failure("--epochs needs --train-tokens: the tokens of one epoch");
  if (r.prompt_tokens > 0 && r.tokens <= 0)
    return failure("--prompt-tokens needs --tokens: how many are generated");
  if (kinds == 0)
    return failure(
        "plan: how much work is it? say --cpu-hours H, --flops X, or MODEL with --tokens N or "
        "--train-tokens N");
  if (kinds > 1)
    return failure(
        "plan: expected one of --tokens, --train-tokens, --flops and --cpu-hours, found several");
  if (by_tokens && model.empty())
    return failure(std::string(r.tokens > 0 ? "--tokens" : "--train-tokens") +
                   " needs a MODEL: a catalogue name, a Hub id, a folder or a file");
  if (by_tokens && !o.compute_dtype.empty())
    return failure(
        "--compute-dtype is of --flops and --cpu-hours; a MODEL's types are --dtype and "
        "--precision");
  if (r.tokens > 0 && !o.fit.request.training.task.empty())
    return failure("--task " + o.fit.request.training.task +
                   " is training: say --train-tokens in place of --tokens");
  return {};
}

}  // namespace

void add_plan_options(CLI::App& command, PlanOptions& o, const Help& help) {
  auto* const model = command.add_option("MODEL", o.fit.request.model, help("plan-model"));
  const auto add = [&](const std::string& name, std::string& value, const char* unit) {
    command.add_option("--" + name, value, help("plan-" + name))->type_name(unit);
  };
  add("cpu-hours", o.cpu_hours, "H"), add("flops", o.flops, "X");
  add("tokens", o.tokens, "N"), add("prompt-tokens", o.prompt_tokens, "N");
  add("train-tokens", o.train_tokens, "N"), add("epochs", o.epochs, "N");
  add("budget", o.budget, "USD"), add("deadline", o.deadline, "H");
  add("max-price", o.max_price, "USD"), add("gpu", o.gpu, "NAME");
  command.add_option("--providers", o.providers, help("plan-providers"))
      ->type_name("NAME,...")
      ->delimiter(',')
      ->check(CLI::IsMember({"lambda", "runpod", "vast", "colab"}));
  command.add_option("--compute-dtype", o.compute_dtype, help("plan-compute-dtype"))
      ->type_name("NAME")
      ->check(CLI::IsMember({"fp32", "tf32", "bf16", "fp16", "half"}));
  command.add_flag("--offline", o.offline, help("plan-offline"));
  command.add_flag("--no-bench", o.no_bench, help("plan-no-bench"));
  const auto own = command.get_options();
  add_model_options(command, o.fit, [&](const std::string& name) { return help("fit-" + name); });
  // Options of a model's memory would change nothing without a model.
  for (CLI::Option* option : command.get_options())
    if (std::find(own.begin(), own.end(), option) == own.end()) option->needs(model);
}

Result<PlanRequest> plan_request(const PlanOptions& options) {
  PlanRequest request;
  if (const auto read = read_amounts(options, request); !read) return tl::unexpected(read.error());
  if (const auto good = check_work(options, request); !good) return tl::unexpected(good.error());
  FitOptions fit = options.fit;
  if (request.train_tokens > 0 && fit.request.training.task.empty())
    fit.request.training.task = "full";
  auto memory = fit_request(fit);
  if (!memory) return tl::unexpected(memory.error());
  request.fit = std::move(*memory);
  request.dtype = options.compute_dtype, request.gpu = options.gpu;
  request.providers = options.providers, request.offline = options.offline;
  return request;
}

}  // namespace gpuready::cli
