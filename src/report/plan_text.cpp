#include <algorithm>
#include <map>

#include "base/cost.hpp"
#include "base/format.hpp"
#include "base/json.hpp"
#include "base/quantity.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "gpuready/plan.hpp"
#include "report/report.hpp"

namespace gpuready {

namespace {

using base::Align;
using Row = std::vector<std::string>;
using report::Context;

std::string paragraph(const Context& c, const Message& message, std::size_t indent = 0) {
  return base::layout_paragraph(c.text(message), c.style.width, indent, indent == 0 ? 0 : 2);
}

/// The words that all GPUs of a line have say nothing in a narrow column.
std::string short_gpu(const Choice& choice) {
  std::string name = choice.gpu;
  for (const std::string_view word : {"NVIDIA ", "GeForce ", "Tesla ", "Quadro "})
    if (base::starts_with(name, word)) name.erase(0, word.size());
  name = base::printable(name);
  if (choice.gpu.empty()) return "-";
  return choice.gpu_count > 1 ? base::format("{}x {}", choice.gpu_count, name) : name;
}

std::string where_cell(const Context& c, const Choice& choice) {
  const std::string name = c.text("plan.where." + choice.where);
  return choice.kind == "community" ? name + " " + c.text("plan.where-community") : name;
}

std::string fits_cell(const Context& c, const Choice& choice) {
  return c.text("plan.fits." +
                std::string(EnumNames<PlanFits>::list[static_cast<std::size_t>(choice.fits)]));
}

Row row_of(const Context& c, const Choice& choice, bool with_fits) {
  Row row{where_cell(c, choice), short_gpu(choice)};
  if (with_fits) row.push_back(fits_cell(c, choice));
  if (choice.hours && choice.fits != PlanFits::no) {
    row.push_back(base::show_hours(choice.hours->expected));
    row.push_back(base::show_hours_range(choice.hours->low, choice.hours->high));
  } else {
    row.emplace_back("-"), row.emplace_back("");
  }
  row.push_back(choice.usd && choice.fits != PlanFits::no ? base::show_usd(choice.usd->expected)
                                                          : "-");
  row.push_back(choice.usd_per_hour ? base::show_fixed(*choice.usd_per_hour, 2) : "-");
  return row;
}

std::size_t shown(const Context& c, const Plan& plan) {
  constexpr std::size_t page = 12;
  return c.style.verbose ? plan.choices.size() : std::min(page, plan.choices.size());
}

std::string choices_table(const Context& c, const Plan& plan) {
  if (plan.choices.empty()) return "";
  const bool with_fits = std::ranges::any_of(
      plan.choices, [](const Choice& choice) { return choice.fits != PlanFits::not_asked; });
  Row head{c.text("plan.column.where"), c.text("plan.column.gpu")};
  std::vector<Align> align{Align::left, Align::left};
  if (with_fits) head.push_back(c.text("plan.column.fits")), align.push_back(Align::left);
  for (const char* key :
       {"plan.column.time", "plan.column.range", "plan.column.usd", "plan.column.usd-per-hour"})
    head.push_back(c.text(key)), align.push_back(Align::right);
  std::vector<Row> rows{head};
  for (std::size_t i = 0; i < shown(c, plan); ++i)
    rows.push_back(row_of(c, plan.choices[i], with_fits));
  std::string out = "\n" + base::layout_table(rows, align, c.style.width, 2);
  if (const std::size_t rest = plan.choices.size() - shown(c, plan); rest > 0)
    out += paragraph(c, {"plan.more", {std::to_string(rest)}}, 2);
  return out;
}

/// A command over several lines, as a shell takes it.
std::string command_lines(const Context& c, const Message& command) {
  constexpr std::size_t indent = 3, room = 4;
  std::string out;
  const auto lines = base::wrap(c.text(command), c.style.width - indent - room);
  for (std::size_t i = 0; i < lines.size(); ++i)
    out += std::string(i == 0 ? indent : indent + 2, ' ') + lines[i] +
           (i + 1 < lines.size() ? " \\\n" : "\n");
  return out;
}

/// Why, what to know and what to do: of the first three, or of all with --verbose.
std::string reasons(const Context& c, const Plan& plan) {
  std::string out;
  const std::size_t most = c.style.verbose ? plan.choices.size() : 3;
  for (std::size_t i = 0; i < std::min(most, plan.choices.size()); ++i) {
    const Choice& choice = plan.choices[i];
    out += "\n" + base::layout_paragraph(
                      base::format("{}. {}{}", i + 1, c.text("plan.where." + choice.where),
                                   choice.gpu.empty() ? std::string() : ", " + short_gpu(choice)) +
                          ": " + c.text(choice.why),
                      c.style.width, 0, 3);
    for (const Message& note : choice.notes) out += paragraph(c, note, 3);
    for (const Message& step : choice.setup)
      out += step.key == "plan.setup.rent" ? command_lines(c, step) : paragraph(c, step, 3);
  }
  return out;
}

std::string left_out_text(const Context& c, const Plan& plan) {
  std::map<std::string, std::int64_t> counts;
  for (const LeftOut& left : plan.left_out)
    if (left.reason != "same") ++counts[left.reason];
  std::string out;
  for (const LeftOut& left : plan.left_out) {
    const auto found = counts.find(left.reason);
    if (found == counts.end()) continue;
    const std::string which =
        base::printable(left.where + (left.gpu.empty() ? "" : ", " + left.gpu));
    out += base::layout_paragraph(
        found->second == 1 ? c.text("plan.left-out.one", {which, c.text(left.why)})
                           : c.text("plan.left-out.many",
                                    {std::to_string(found->second), which, c.text(left.why)}),
        c.style.width, 2, 4);
    counts.erase(found);
  }
  return out.empty() ? "" : "\n" + report::heading(c, c.text("plan.left-out")) + "\n" + out;
}

std::string lines_under(const Context& c, const char* key, const std::vector<Message>& list) {
  if (list.empty()) return "";
  std::string out = "\n" + report::heading(c, c.text(key)) + "\n";
  for (const Message& message : list)
    out += base::layout_paragraph("- " + c.text(message), c.style.width, 2, 4);
  return out;
}

std::string errors_text(const Context& c, const Plan& plan) {
  std::vector<Message> lines;
  for (const ProviderError& error : plan.errors)
    lines.push_back({"plan.provider-error", {error.message}});
  return lines_under(c, "plan.errors", lines);
}

}  // namespace

std::string show_text(const Run& /*run*/, const Plan& plan, const Style& style) {
  const Context c{base::Messages::language(style.language), style};
  std::string out = report::heading(c, c.text(plan.question)) + "\n" + paragraph(c, plan.work.how) +
                    "\n" + paragraph(c, plan.answer);
  if (!plan.fastest.key.empty()) out += paragraph(c, plan.fastest);
  for (const Message& cure : plan.cures) out += paragraph(c, cure, 2);
  return out + choices_table(c, plan) + reasons(c, plan) + left_out_text(c, plan) +
         errors_text(c, plan) + lines_under(c, "plan.assumptions", plan.assumptions);
}

std::string show_json(const Run& run, const Plan& plan) {
  base::JsonWriter writer(
      [](const Message& message) { return base::Messages::language("en").text(message); });
  base::Json json = base::Json::object();
  json["schema"] = run.schema;
  json["tool"] = base::Json{{"version", run.tool.version}};
  json["at"] = run.at;
  writer.add_fields(plan, json);
  return base::dump_json(json, true) + "\n";
}

}  // namespace gpuready
