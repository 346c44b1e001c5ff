#include "base/json.hpp"
#include "base/quantity.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "report/bench_parts.hpp"

namespace gpuready {

namespace {

using base::Align;

/// The sizes that the message tells, or that follow from them.
std::vector<std::vector<std::string>> size_rows(const report::Context& c, const Oom& oom) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const char* key, const Fact<std::int64_t>& bytes, const std::string& more) {
    if (!bytes) return;
    rows.push_back({more.empty() ? c.text(key) : c.text("oom.asked-what", {c.text(key), more}),
                    base::show_bytes(*bytes)});
  };
  add("oom.asked", oom.asked_bytes, oom.asked_for == "unknown" ? "" : oom.asked_for);
  add("oom.total", oom.total_bytes, "");
  add("oom.free", oom.free_bytes, "");
  add("oom.process", oom.process_bytes, "");
  add("oom.allocated", oom.allocated_bytes, "");
  add("oom.reserve", oom.reserve_bytes, "");
  add("oom.context", oom.context_bytes, "");
  add("oom.other", oom.other_bytes, "");
  add("oom.missing", oom.missing_bytes, "");
  return rows;
}

}  // namespace

std::string show_text(const Run& /*run*/, const Oom& oom, const Style& style) {
  const report::Context c{base::Messages::language(style.language), style};
  const std::string where = oom.device.empty() ? "?" : base::printable(oom.device);
  std::string out = report::heading(c, c.text("oom.heading", {oom.program, where})) + "\n";
  out += base::layout_table(size_rows(c, oom), {Align::left, Align::right}, style.width, 2);
  if (oom.messages > 1)
    out += base::layout_paragraph(c.text("oom.last-of", {std::to_string(oom.messages)}),
                                  style.width, 2);
  out += "\n" + base::layout_paragraph(c.text(oom.why), style.width, 2) + "\n";
  out += base::layout_paragraph(c.text("oom.remedies"), style.width, 2);
  for (const OomRemedy& remedy : oom.remedies)
    out += base::layout_paragraph(
        (remedy.change.empty() ? "" : remedy.change + ": ") + c.text(remedy.what), style.width, 4,
        2);
  return out;
}

std::string show_json(const Run& run, const Oom& oom) {
  base::JsonWriter writer(
      [](const Message& message) { return base::Messages::language("en").text(message); });
  base::Json json = base::Json::object();
  json["schema"] = run.schema;
  json["tool"] = base::Json{{"version", run.tool.version}};
  json["at"] = run.at;
  writer.add_fields(oom, json);
  return base::dump_json(json, true) + "\n";
}

}  // namespace gpuready
