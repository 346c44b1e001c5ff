#include <algorithm>
#include <cmath>

#include "base/json.hpp"
#include "base/quantity.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "gpuready/fit_list.hpp"
#include "gpuready/units.hpp"
#include "report/bench_parts.hpp"

namespace gpuready {

namespace {

using base::Align;
using Row = std::vector<std::string>;

template <class E>
std::string name_of(E value) {
  return std::string(EnumNames<E>::list[static_cast<std::size_t>(value)]);
}

std::string bar(const report::Context& c, std::int64_t bytes, std::int64_t of) {
  constexpr double cells = 22;
  if (of <= 0) return "";
  const double part = static_cast<double>(bytes) / static_cast<double>(of);
  const auto full = static_cast<std::size_t>(std::lround(std::clamp(part, 0.0, 1.0) * cells));
  std::string out;
  for (std::size_t i = 0; i < full; ++i) out += c.style.unicode ? "\u2588" : "#";
  return out;
}

/// "5.21 GiB", and "5.0 to 5.9 GiB" where it is not certain.
std::string range_text(const report::Context& c, const Range& range) {
  if (range.low_bytes == range.high_bytes) return "";
  return c.text("fit.range",
                {base::show_bytes(range.low_bytes), base::show_bytes(range.high_bytes)});
}

Row term_row(const report::Context& c, const std::string& name, const Range& bytes,
             std::int64_t of) {
  return {name, base::show_bytes(bytes.expected_bytes), bar(c, bytes.expected_bytes, of),
          range_text(c, bytes)};
}

std::string heading_text(const report::Context& c, const Estimate& e) {
  const ModelSummary& m = e.model;
  std::string parameters = base::show_parameters(m.parameters);
  if (m.active_parameters > 0 && m.active_parameters != m.parameters)
    parameters = c.text("fit.active", {parameters, base::show_parameters(m.active_parameters)});
  return c.text("fit.model", {base::printable(m.name), parameters, base::printable(m.family)});
}

/// What was asked: runtime, types, context.
std::string setting_text(const report::Context& c, const Estimate& e) {
  if (e.task != "inference")
    return c.text("fit.setting-training", {e.task, base::printable(e.dtype)});
  if (e.context == 0)
    return c.text("fit.setting-plain", {name_of(e.runtime), base::printable(e.dtype)});
  return c.text("fit.setting", {name_of(e.runtime), base::printable(e.dtype), e.kv_dtype,
                                std::to_string(e.context)});
}

std::string rule_text(const report::Context& c, const Estimate& e) {
  const std::int64_t fp16 = 2 * e.model.parameters;
  return c.text("fit.rule", {base::show_bytes(fp16)});
}

std::string terms_table(const report::Context& c, const Estimate& e) {
  std::vector<Row> rows;
  const std::int64_t of = std::max(e.total.high_bytes, e.usable_bytes);
  for (const Term& term : e.terms)
    if (term.bytes.high_bytes > 0)
      rows.push_back(term_row(c, c.text("fit.term." + name_of(term.name)), term.bytes, of));
  rows.push_back(term_row(c, c.text("fit.total"), e.total, of));
  if (e.usable_bytes > 0)
    rows.push_back({c.text("fit.usable", {e.device}), base::show_bytes(e.usable_bytes),
                    bar(c, e.usable_bytes, of), ""});
  return base::layout_table(rows, {Align::left, Align::right, Align::left, Align::left},
                            c.style.width, 2);
}

std::string verdict_text(const report::Context& c, const Estimate& e) {
  const auto over = [&](std::int64_t x, std::int64_t y) { return base::show_bytes(x - y); };
  switch (e.verdict) {
    case FitVerdict::fits:
      return c.text("fit.verdict.fits", {over(e.usable_bytes, e.total.high_bytes)});
    case FitVerdict::tight:
      return c.text("fit.verdict.tight", {over(e.total.high_bytes, e.usable_bytes)});
    case FitVerdict::does_not_fit:
      return c.text("fit.verdict.does-not-fit", {over(e.total.expected_bytes, e.usable_bytes)});
    case FitVerdict::unknown:
      break;
  }
  return c.text("fit.verdict.unknown");
}

std::string devices_table(const report::Context& c, const Estimate& e) {
  if (e.devices.size() < 2) return "";
  std::vector<Row> rows{{c.text("fit.column.device"), c.text("fit.column.layers"),
                         c.text("fit.column.expected"), c.text("fit.column.high"),
                         c.text("fit.column.usable")}};
  for (const DeviceShare& d : e.devices)
    rows.push_back({base::printable(d.device + " " + d.gpu), std::to_string(d.layers),
                    base::show_bytes(d.total.expected_bytes), base::show_bytes(d.total.high_bytes),
                    base::show_bytes(d.usable_bytes)});
  return "\n" + base::layout_table(
                    rows, {Align::left, Align::right, Align::right, Align::right, Align::right},
                    c.style.width, 2);
}

std::string limits_text(const report::Context& c, const Limits& limits, bool trains) {
  std::vector<Row> rows;
  const auto number = [&](const char* key, const Fact<std::int64_t>& value) {
    if (value) rows.push_back({c.text(key), std::to_string(*value)});
  };
  const auto word = [&](const char* key, const Fact<std::string>& value) {
    if (value) rows.push_back({c.text(key), base::printable(*value)});
  };
  number(trains ? "fit.limit.seq" : "fit.limit.context", limits.max_context);
  number(trains ? "fit.limit.micro-batch" : "fit.limit.batch", limits.max_batch);
  number("fit.limit.rank", limits.max_lora_rank);
  number("fit.limit.layers", limits.n_gpu_layers);
  number("fit.limit.cpu-moe", limits.n_cpu_moe);
  number("fit.limit.gpus", limits.gpus);
  word("fit.limit.gpu", limits.smallest_gpu);
  word("fit.limit.dtype", limits.best_dtype);
  if (rows.empty()) return "";
  return "\n" + report::heading(c, c.text("fit.limits")) + "\n" +
         base::layout_table(rows, {Align::left, Align::left}, c.style.width, 2);
}

std::string suggestions_text(const report::Context& c, const std::vector<Suggestion>& list) {
  if (list.empty()) return "";
  std::string out = "\n" + report::heading(c, c.text("fit.suggestions")) + "\n";
  for (const Suggestion& s : list)
    out += base::layout_paragraph(
        c.text("fit.suggestion", {s.option, base::show_bytes(s.total.expected_bytes),
                                  c.text("fit.word." + name_of(s.verdict)), c.text(s.what)}),
        c.style.width, 2, 2);
  return out;
}

std::string speed_cell(const FitSpeed& speed) {
  if (!speed.tokens_per_s) return "";
  const double rate = speed.tokens_per_s->expected;
  return base::show_fixed(rate, rate < 10 ? 1 : 0);
}

std::string speed_text(const report::Context& c, const FitSpeed& speed) {
  if (!speed.tokens_per_s) return "";
  const TokenRate& rate = *speed.tokens_per_s;
  const auto show = [](double value) { return base::show_fixed(value, value < 10 ? 1 : 0); };
  return "\n" + base::layout_paragraph(c.text("fit.speed", {show(rate.expected), show(rate.low),
                                                            show(rate.high), speed.bound_by}),
                                       c.style.width);
}

std::string assumptions_text(const report::Context& c, const std::vector<Message>& list) {
  if (list.empty()) return "";
  std::string out = "\n" + report::heading(c, c.text("fit.assumptions")) + "\n";
  for (const Message& message : list)
    out += base::layout_paragraph("- " + c.text(message), c.style.width, 2, 4);
  return out;
}

std::string checks_text(const report::Context& c, const std::vector<FitCheck>& checks) {
  std::string out;
  for (const FitCheck& check : checks) {
    out += base::layout_paragraph(c.text(check.why), c.style.width);
    if (check.context_bytes)
      out += base::layout_paragraph(
          c.text("fit.check.context", {base::show_bytes(*check.context_bytes)}), c.style.width);
  }
  return out.empty() ? "" : "\n" + out;
}

/// With --verbose: how each term came about.
std::string how_text(const report::Context& c, const Estimate& e) {
  if (!c.style.verbose) return "";
  std::string out = "\n" + report::heading(c, c.text("fit.how")) + "\n";
  for (const Term& term : e.terms)
    if (term.bytes.high_bytes > 0)
      out += base::layout_paragraph(
          c.text("fit.term." + name_of(term.name)) + ": " + c.text(term.how), c.style.width, 2, 4);
  return out;
}

template <class Answer>
std::string answer_json(const Run& run, const Answer& answer) {
  base::JsonWriter writer(
      [](const Message& message) { return base::Messages::language("en").text(message); });
  base::Json json = base::Json::object();
  json["schema"] = run.schema;
  json["tool"] = base::Json{{"version", run.tool.version}};
  json["at"] = run.at;
  writer.add_fields(answer, json);
  return base::dump_json(json, true) + "\n";
}

std::string rules_table(const report::Context& c, const FitList& list) {
  std::vector<Row> rows{
      {c.text("fit.dtype"), c.text("fit.bytes"), c.text("fit.parameters"), c.text("fit.example")}};
  for (const RuleOfThumb& rule : list.rule_of_thumb)
    rows.push_back({rule.dtype, base::show_fixed(rule.bytes_per_parameter, 1),
                    base::show_parameters(rule.max_parameters),
                    rule.example ? base::printable(*rule.example) : "-"});
  return base::layout_table(rows, {Align::left, Align::right, Align::right, Align::left},
                            c.style.width, 2);
}

/// "12.8k", "128k": in thousands of 1024, as contexts are named.
std::string tokens_cell(std::int64_t tokens) {
  constexpr std::int64_t thousand = 1024;
  if (tokens <= 0) return "-";
  if (tokens < thousand) return std::to_string(tokens);
  const double thousands = static_cast<double>(tokens) / static_cast<double>(thousand);
  const bool whole = tokens % thousand == 0 || thousands >= 100;
  return base::show_fixed(std::floor(thousands * 10) / 10, whole ? 0 : 1) + "k";
}

/// The largest; all with --verbose.
std::size_t shown_models(const report::Context& c, const FitList& list) {
  constexpr std::size_t page = 25;
  return c.style.verbose ? list.models.size() : std::min(page, list.models.size());
}

std::string models_table(const report::Context& c, const FitList& list) {
  const auto any = [&](auto has) { return std::ranges::any_of(list.models, has); };
  const bool speeds = any([](const FittingModel& m) { return m.speed.tokens_per_s.known(); });
  const bool tight = any([](const FittingModel& m) { return m.verdict == FitVerdict::tight; });
  Row head{c.text("fit.column.model"), c.text("fit.column.size"), c.text("fit.dtype"),
           c.text("fit.column.memory"), c.text("fit.column.context")};
  std::vector<Align> align{Align::left, Align::right, Align::left, Align::right, Align::right};
  if (speeds) head.push_back(c.text("fit.column.speed")), align.push_back(Align::right);
  if (tight) head.emplace_back(), align.push_back(Align::left);
  std::vector<Row> rows{head};
  for (std::size_t i = 0; i < shown_models(c, list); ++i) {
    const FittingModel& m = list.models[i];
    rows.push_back({base::printable(m.name), base::show_parameters(m.parameters), m.dtype,
                    base::show_fixed(static_cast<double>(m.total.expected_bytes) / gib, 1),
                    tokens_cell(m.max_context)});
    if (speeds) rows.back().push_back(speed_cell(m.speed));
    if (tight)
      rows.back().push_back(m.verdict == FitVerdict::tight ? c.text("fit.word.tight") : "");
  }
  std::string out = base::layout_table(rows, align, c.style.width, 2);
  if (const std::size_t rest = list.models.size() - shown_models(c, list); rest > 0)
    out +=
        base::layout_paragraph(c.text("fit.list.more", {std::to_string(rest)}), c.style.width, 2);
  return out;
}

}  // namespace

std::string show_text(const Run& /*run*/, const Estimate& estimate, const Style& style) {
  const report::Context c{base::Messages::language(style.language), style};
  std::string out = report::heading(c, heading_text(c, estimate)) + "\n" +
                    base::layout_paragraph(setting_text(c, estimate), style.width) +
                    base::layout_paragraph(rule_text(c, estimate), style.width) + "\n" +
                    terms_table(c, estimate) + devices_table(c, estimate) + "\n" +
                    base::layout_paragraph(verdict_text(c, estimate), style.width);
  if (estimate.host_bytes > 0)
    out += base::layout_paragraph(c.text("fit.host", {base::show_bytes(estimate.host_bytes)}),
                                  style.width);
  return out + checks_text(c, estimate.checks) + speed_text(c, estimate.speed) +
         suggestions_text(c, estimate.suggestions) +
         limits_text(c, estimate.limits, estimate.task != "inference") + how_text(c, estimate) +
         assumptions_text(c, estimate.assumptions);
}

std::string show_text(const Run& /*run*/, const FitList& list, const Style& style) {
  const report::Context c{base::Messages::language(style.language), style};
  if (!list.usable_bytes)
    return base::layout_paragraph(
        c.text("fit.no-memory", {report::show_missing(c, list.usable_bytes.missing())}),
        style.width);
  const std::string where = base::printable(list.gpu.empty() ? list.device : list.gpu);
  std::string out =
      report::heading(c, c.text("fit.list.heading", {base::show_bytes(*list.usable_bytes), where,
                                                     std::to_string(list.gpus)})) +
      "\n" + rules_table(c, list) + base::layout_paragraph(c.text("fit.caution"), style.width, 2) +
      "\n";
  if (list.models.empty())
    return out + base::layout_paragraph(
                     c.text("fit.list.nothing", {std::to_string(list.considered)}), style.width);
  out += report::heading(c, c.text("fit.list.models", {std::to_string(list.models.size()),
                                                       std::to_string(list.considered)})) +
         "\n" + models_table(c, list);
  return out + assumptions_text(c, list.assumptions);
}

std::string show_json(const Run& run, const Estimate& estimate) {
  return answer_json(run, estimate);
}

std::string show_json(const Run& run, const FitList& list) { return answer_json(run, list); }

}  // namespace gpuready
