#include "base/json.hpp"
#include "base/quantity.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "report/bench_parts.hpp"

namespace gpuready {

namespace {

using base::Align;

std::string rate_text(const Fact<double>& flops) { return flops ? base::show_flops(*flops) : "-"; }

std::string change_text(const report::Context& c, const CaseChange& change) {
  const std::string word(EnumNames<Change>::list[static_cast<std::size_t>(change.change)]);
  std::string text = c.text("compare." + base::join(base::split(word, ' '), "-"));
  if (change.ratio_ci95)
    text += ", " + c.text("compare.interval", {base::show_fixed(change.ratio_ci95->low, 2),
                                               base::show_fixed(change.ratio_ci95->high, 2)});
  return text;
}

}  // namespace

std::string show_text(const Run& /*run*/, const Comparison& comparison, const Style& style) {
  const report::Context c{base::Messages::language(style.language), style};
  std::vector<std::vector<std::string>> rows{
      {c.text("bench.peer.device"), c.text("compare.product"), "A", "B", "B/A", ""}};
  for (const CaseChange& change : comparison.changes)
    rows.push_back({base::printable(change.device + " " + change.library),
                    base::printable(change.dtype.name) + " " + report::shape_text(change.shape),
                    rate_text(change.first_flops), rate_text(change.second_flops),
                    change.ratio ? base::show_fixed(*change.ratio, 3) : "-",
                    change_text(c, change)});
  std::string out =
      report::heading(c, c.text("compare.heading", {base::printable(comparison.first_at),
                                                    base::printable(comparison.second_at)})) +
      "\n";
  if (comparison.changes.empty())
    return out + base::layout_paragraph(c.text("compare.nothing"), style.width, 2, 2);
  return out + base::layout_table(rows,
                                  {Align::left, Align::left, Align::right, Align::right,
                                   Align::right, Align::left},
                                  style.width, 2);
}

std::string show_json(const Run& run, const Comparison& comparison) {
  base::JsonWriter writer(
      [](const Message& message) { return base::Messages::language("en").text(message); });
  base::Json json = base::Json::object();
  json["schema"] = run.schema;
  json["tool"] = base::Json{{"version", run.tool.version}};
  json["at"] = run.at;
  writer.add_fields(comparison, json);
  return base::dump_json(json, true) + "\n";
}

}  // namespace gpuready
