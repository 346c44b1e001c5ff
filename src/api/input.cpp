#include "api/input.hpp"

#include "base/json.hpp"
#include "base/text.hpp"

namespace gpuready::api {

namespace {

constexpr std::size_t most_bytes = std::size_t{64} << 20U;
constexpr const char* too_large = ": larger than 64 MiB; not a recording";

Result<Run> read_run(const base::Json& json) {
  Run run;
  const base::Json none = base::Json::object();
  const auto sources = json.find("sources");
  base::JsonReader reader(sources == json.end() ? none : *sources);
  if (!reader.read(json, run)) return failure(reader.error());
  return run;
}

Result<Input> understand(const base::Json& json) {
  if (!json.is_object()) return failure("expected a JSON object");
  const auto schema_at = json.find("schema");
  if (schema_at == json.end() || !schema_at->is_string())
    return failure(
        "expected a file of `gpuready record`, or of `gpuready --json`; it has no "
        "\"schema\"");
  const std::string schema = schema_at->get<std::string>();
  Input input;
  if (const auto at = json.find("at"); at != json.end() && at->is_string())
    input.at = base::printable(at->get<std::string>());
  if (schema == "gpuready.record/1") {
    if (!json.contains("raw")) return failure("the recording has no \"raw\"");
    if (!json["raw"].is_object() || json["raw"].empty())
      return failure("the recording's \"raw\" is empty");
    auto recording = host::Recording::from_json(json["raw"]);
    if (!recording) return tl::unexpected(recording.error());
    input.recording = std::move(*recording);
    return input;
  }
  if (schema == "gpuready.run/1" || schema == "gpuready.facts/1") {
    const auto machine = json.find("machine");
    if (machine == json.end() || !machine->is_object() || machine->empty())
      return failure("it has no \"machine\": nothing to answer from");
    auto run = read_run(json);
    if (!run) return tl::unexpected(run.error());
    input.run = std::move(*run);
    return input;
  }
  return failure("its schema is \"" + base::printable(schema) +
                 "\"; expected gpuready.record/1, gpuready.run/1 or gpuready.facts/1");
}

Result<std::string> read_text(host::Host& host, const std::string& path) {
  const auto status = host.status(path);
  if (!status) return failure(status.error().text);
  if (status->kind == host::FileKind::directory) return failure(path + ": is a folder");
  if (status->kind == host::FileKind::character_device)
    return failure(path + ": is a device; expected a file");
  if (status->size_bytes > static_cast<std::int64_t>(most_bytes)) return failure(path + too_large);
  auto text = host.read_file(path, most_bytes + 1);
  if (!text) return failure(text.error().text);
  if (text->size() > most_bytes) return failure(path + too_large);
  return text;
}

Result<Measured> understand_measured(const base::Json& json) {
  if (!json.is_object()) return failure("expected a JSON object");
  const auto schema_at = json.find("schema");
  const bool named = schema_at != json.end() && schema_at->is_string();
  const std::string schema = named ? schema_at->get<std::string>() : std::string();
  const bool whole = schema == "gpuready.run/1";
  if (!whole && schema != "gpuready.bench/1")
    return failure("its schema is \"" + base::printable(schema) +
                   "\"; expected gpuready.run/1 or gpuready.bench/1");
  base::JsonReader reader;
  Measured measured;
  Bench bench;
  const bool good = whole ? reader.read_member(json, "bench", bench) : reader.read(json, bench);
  if (!good) return failure(reader.error());
  if (const auto at = json.find("at"); at != json.end() && at->is_string())
    measured.at = base::printable(at->get<std::string>());
  measured.cases = std::move(bench.cases);
  return measured;
}

}  // namespace

Result<Input> input_from(std::string_view text) {
  const auto json = base::parse_json(text);
  if (!json) return failure(base::printable(json.error().text));
  auto input = understand(*json);
  if (!input) return failure(base::printable(input.error().text));
  return input;
}

Result<Input> read_input(host::Host& host, const std::string& name) {
  const std::string path = name == "-" ? "/dev/stdin" : name;
  const auto text = read_text(host, path);
  if (!text) return tl::unexpected(text.error());
  auto input = input_from(*text);
  if (!input) return failure(path + ": " + input.error().text);
  return input;
}

Result<Measured> read_measured(host::Host& host, const std::string& path) {
  const auto text = read_text(host, path);
  if (!text) return tl::unexpected(text.error());
  const auto json = base::parse_json(*text);
  if (!json) return failure(path + ": " + base::printable(json.error().text));
  auto measured = understand_measured(*json);
  if (!measured) return failure(path + ": " + base::printable(measured.error().text));
  return measured;
}

}  // namespace gpuready::api
