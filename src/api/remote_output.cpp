/// What other machines said, as text and as JSON.

#include <optional>

#include "api/input.hpp"
#include "api/remote_page.hpp"
#include "base/format.hpp"
#include "base/json.hpp"
#include "base/messages.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "gpuready/cloud_run.hpp"
#include "gpuready/gpuready.hpp"
#include "gpuready/remote.hpp"

namespace gpuready {

namespace {

using base::Align;

base::Json head(const Run& run) {
  base::Json json = base::Json::object();
  json["schema"] = run.schema;
  json["tool"] = base::Json{{"version", run.tool.version}};
  json["at"] = run.at;
  return json;
}

base::JsonWriter english() {
  return base::JsonWriter(
      [](const Message& message) { return base::Messages::language("en").text(message); });
}

base::Json result_of(const std::string& text, bool is_json) {
  if (!is_json) return text;
  auto json = base::parse_json(text);
  return json ? std::move(*json) : base::Json(text);
}

std::string verdict_of(const Run& run, const Style& style) {
  const auto word = EnumNames<Verdict>::list[static_cast<std::size_t>(run.doctor.verdict)];
  return message_text(style, "verdict.word." + std::string(word));
}

/// One row of the merged table.
std::vector<std::string> row_of(const RemoteAnswer& answer, const Style& style) {
  const std::string name = base::printable(answer.host);
  if (answer.outcome != "done") return {name, "", base::printable(answer.why)};
  const auto run = api::run_from(answer.result_text);
  if (!run) return {name, "", message_text(style, "remote.no-page")};
  std::string gpus;
  for (const Gpu& gpu : run->machine.gpus)
    gpus += (gpus.empty() ? "" : ", ") + (gpu.name ? base::printable(*gpu.name) : "?");
  return {name, gpus, verdict_of(*run, style)};
}

std::string block_of(const RemoteAnswer& answer, const Style& style) {
  if (answer.outcome != "done") return {};
  return api::show_foreign(answer.result_text, answer.result_is_json, style);
}

std::string footer_of(const RemoteAnswer& answer, const Style& style) {
  std::string out;
  if (answer.checked_by == "size") out += message_text(style, "remote.size-only", {answer.host}) + "\n";
  if (!answer.kept_file.empty())
    out += message_text(style, "remote.kept", {answer.host, answer.kept_file}) + "\n";
  if (!answer.left_behind.empty())
    out += message_text(style, "remote.left", {answer.host, answer.left_behind}) + "\n";
  return out;
}

}  // namespace

std::optional<Run> api::run_from(const std::string& text) {
  auto input = input_from(text);
  if (!input || !input->run) return {};
  return std::move(input->run);
}

std::string api::show_foreign(const std::string& text, bool is_json, const Style& style) {
  if (const auto run = is_json ? run_from(text) : std::nullopt)
    return gpuready::show_text(*run, View::page, style);
  if (is_json) {
    const auto json = base::parse_json(text);
    return json ? base::dump_json(*json, true) + "\n" : std::string();
  }
  std::string out;
  for (const std::string& line : base::split_lines(text)) out += base::printable(line) + "\n";
  return out;
}

std::string show_text(const std::vector<RemoteAnswer>& answers, const Style& style) {
  std::string out;
  const bool alone = answers.size() == 1;
  std::vector<std::vector<std::string>> rows{{message_text(style, "remote.host"),
                                              message_text(style, "remote.gpus"),
                                              message_text(style, "remote.verdict")}};
  bool pages = true;
  for (const RemoteAnswer& answer : answers) {
    rows.push_back(row_of(answer, style));
    pages = pages && (answer.outcome != "done" || api::run_from(answer.result_text));
  }
  if (!alone && pages)
    out += base::layout_table(rows, {Align::left, Align::left, Align::left}, style.width);
  for (const RemoteAnswer& answer : answers) {
    if (!alone && !pages) out += "== " + base::printable(answer.host) + "\n";
    if (alone || !pages) out += block_of(answer, style);
    out += footer_of(answer, style);
  }
  return out;
}

std::string show_json(const Run& run, const std::vector<RemoteAnswer>& answers) {
  base::Json json = head(run);
  base::JsonWriter writer = english();
  json["hosts"] = base::Json::array();
  for (const RemoteAnswer& answer : answers) {
    base::Json one = writer.write(answer);
    if (answer.outcome == "done") one["result"] = result_of(answer.result_text, answer.result_is_json);
    json["hosts"].push_back(std::move(one));
  }
  return base::dump_json(json, true) + "\n";
}

std::string show_json(const Run& run, const CloudRun& cloud) {
  base::Json json = head(run);
  base::JsonWriter writer = english();
  writer.add_fields(cloud, json);
  if (!cloud.result_text.empty()) json["result"] = result_of(cloud.result_text, cloud.result_is_json);
  return base::dump_json(json, true) + "\n";
}

std::string show_json(const Run& run, const CloudEnds& ends) {
  base::Json json = head(run);
  base::JsonWriter writer = english();
  writer.add_fields(ends, json);
  return base::dump_json(json, true) + "\n";
}

std::string show_text(const CloudRun& run, const Style& style) {
  const auto line = [&](const char* key, std::vector<std::string> args) {
    return base::layout_paragraph(message_text(style, key, std::move(args)), style.width);
  };
  std::string out;
  if (!run.result_text.empty())
    out += api::show_foreign(run.result_text, run.result_is_json, style) + "\n";
  for (const std::string& note : run.notes) out += base::layout_paragraph(base::printable(note), style.width, 0, 2);
  double seconds = 0;
  std::string stages;
  for (const CloudStage& stage : run.stages) {
    seconds += stage.seconds;
    stages += base::format("{}{} {:.0f} s", stages.empty() ? "" : ", ", stage.name, stage.seconds);
  }
  if (!stages.empty()) out += base::layout_paragraph(stages, style.width);
  if (run.destroyed == "confirmed")
    out += line("cloud.run.gone", {run.instance.provider, run.instance.gpu, run.instance.id,
                                   base::format("{:.0f}", seconds),
                                   base::format("{:.2f}", run.cost_usd)});
  return out;
}

std::string show_text(const CloudEnds& ends, const Style& style) {
  std::string out;
  for (const CloudEnd& end : ends.machines)
    out += base::layout_paragraph(
        message_text(style, "cloud.end." + end.outcome,
                     {end.provider, base::printable(end.id.empty() ? end.token : end.id),
                      base::printable(end.message)}),
        style.width, 0, 2);
  for (const ProviderError& error : ends.errors)
    if (error.code != "no-key" || style.verbose)
      out += base::layout_paragraph(error.provider + ": " + base::printable(error.message),
                                    style.width, 0, 2);
  if (ends.machines.empty() && !ends.uncertain) out += message_text(style, "cloud.end.nothing") + "\n";
  return out;
}

}  // namespace gpuready
