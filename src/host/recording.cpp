#include "host/recording.hpp"

#include <array>
#include <cstring>
#include <string_view>

namespace gpuready::host {

using base::Json;

namespace {

constexpr std::array<std::string_view, 4> kinds{"regular", "directory", "character-device",
                                                "other"};
constexpr std::array<std::string_view, 4> ends{"exited", "signalled", "timed-out", "not-started"};

Json write_value(const std::string& value) { return value; }
Json write_value(bool value) { return value; }
Json write_value(const std::vector<std::string>& value) { return value; }
Json write_value(const FileStatus& value) {
  return Json{{"kind", std::string(kinds[static_cast<std::size_t>(value.kind)])},
              {"mode", value.mode},
              {"uid", value.uid},
              {"gid", value.gid},
              {"size_bytes", value.size_bytes}};
}

template <class T>
Json write_answers(const std::map<std::string, Result<T>>& answers) {
  Json json = Json::object();
  for (const auto& [path, answer] : answers)
    json[path] = answer ? write_value(*answer) : Json{{"errno", answer.error().code}};
  return json;
}

/// Reads with the strictness of a stranger's file: `where` names the place of the first fault.
class Reader {
 public:
  std::string fault;

  bool wrong(const std::string& where, const char* expected) {
    if (fault.empty()) fault = where + ": expected " + expected;
    return false;
  }

  bool read(const Json& json, const std::string& where, std::string& out) {
    if (!json.is_string()) return wrong(where, "a string");
    out = json.get<std::string>();
    return true;
  }
  bool read(const Json& json, const std::string& where, bool& out) {
    if (!json.is_boolean()) return wrong(where, "true or false");
    out = json.get<bool>();
    return true;
  }
  bool read(const Json& json, const std::string& where, std::int64_t& out) {
    if (!json.is_number_integer()) return wrong(where, "an integer");
    out = json.get<std::int64_t>();
    return true;
  }
  bool read(const Json& json, const std::string& where, std::vector<std::string>& out) {
    if (!json.is_array()) return wrong(where, "a list");
    for (const Json& item : json) {
      std::string text;
      if (!read(item, where, text)) return false;
      out.push_back(std::move(text));
    }
    return true;
  }
  bool read(const Json& json, const std::string& where, FileStatus& out) {
    std::int64_t mode = 0, uid = 0, gid = 0;
    std::size_t kind = 0;
    if (!json.is_object()) return wrong(where, "an object");
    if (!read_word(json, where, "kind", kinds, kind) || !read_at(json, where, "mode", mode) ||
        !read_at(json, where, "uid", uid) || !read_at(json, where, "gid", gid) ||
        !read_at(json, where, "size_bytes", out.size_bytes))
      return false;
    out.kind = static_cast<FileKind>(kind);
    out.mode = static_cast<std::uint32_t>(mode);
    out.uid = static_cast<std::uint32_t>(uid), out.gid = static_cast<std::uint32_t>(gid);
    return true;
  }

  /// A member that may be missing, and then keeps its default.
  template <class T>
  bool read_at(const Json& object, const std::string& where, const char* name, T& out) {
    const auto it = object.find(name);
    return it == object.end() || read(*it, where + "." + name, out);
  }

  template <class Words>
  bool read_word(const Json& object, const std::string& where, const char* name, const Words& words,
                 std::size_t& out) {
    std::string text;
    if (!read_at(object, where, name, text)) return false;
    for (std::size_t i = 0; i < words.size(); ++i)
      if (words[i] == text) return out = i, true;
    return wrong(where + "." + name, "one of the known words");
  }

  template <class T>
  bool read_answers(const Json& raw, const char* name, std::map<std::string, Result<T>>& out) {
    const auto it = raw.find(name);
    if (it == raw.end()) return true;
    const std::string where = std::string("raw.") + name;
    if (!it->is_object()) return wrong(where, "an object");
    for (const auto& [path, answer] : it->items()) {
      if (answer.is_object() && answer.contains("errno")) {
        std::int64_t code = 0;
        if (!read(answer["errno"], where + "." + path, code)) return false;
        out.emplace(path, failure(path + ": " + std::strerror(static_cast<int>(code)),
                                  static_cast<int>(code)));
        continue;
      }
      T value{};
      if (!read(answer, where + "." + path, value)) return false;
      out.emplace(path, std::move(value));
    }
    return true;
  }
};

bool read_commands(Reader& reader, const Json& raw, std::vector<RecordedCommand>& out) {
  const auto it = raw.find("commands");
  if (it == raw.end()) return true;
  if (!it->is_array()) return reader.wrong("raw.commands", "a list");
  for (const Json& item : *it) {
    if (!item.is_object()) return reader.wrong("raw.commands", "objects");
    RecordedCommand command;
    std::size_t end = 0;
    std::int64_t code = 0;
    const std::string where = "raw.commands";
    if (!reader.read_at(item, where, "argv", command.argv) ||
        !reader.read_word(item, where, "end", ends, end) ||
        !reader.read_at(item, where, "code", code) ||
        !reader.read_at(item, where, "output", command.result.output) ||
        !reader.read_at(item, where, "errors", command.result.errors))
      return false;
    command.result.end = static_cast<End>(end);
    command.result.code = static_cast<int>(code);
    out.push_back(std::move(command));
  }
  return true;
}

bool read_environment(Reader& reader, const Json& raw, std::map<std::string, std::string>& out) {
  const auto it = raw.find("environment");
  if (it == raw.end()) return true;
  if (!it->is_object()) return reader.wrong("raw.environment", "an object");
  for (const auto& [name, value] : it->items())
    if (!reader.read(value, "raw.environment." + name, out[name])) return false;
  return true;
}

}  // namespace

Json Recording::to_json() const {
  Json json = Json::object();
  json["files"] = write_answers(files);
  json["links"] = write_answers(links);
  json["real_paths"] = write_answers(real_paths);
  json["folders"] = write_answers(folders);
  json["statuses"] = write_answers(statuses);
  json["opens"] = write_answers(opens);
  json["accesses"] = write_answers(accesses);
  json["environment"] = Json::object();
  for (const auto& [name, value] : environment) json["environment"][name] = value;
  json["commands"] = Json::array();
  for (const RecordedCommand& command : commands)
    json["commands"].push_back(
        Json{{"argv", command.argv},
             {"end", std::string(ends[static_cast<std::size_t>(command.result.end)])},
             {"code", command.result.code},
             {"output", command.result.output},
             {"errors", command.result.errors}});
  json["libc"] = libc;
  json["self"] = self;
  json["now"] = now;
  return json;
}

Result<Recording> Recording::from_json(const Json& json) {
  Recording recording;
  Reader reader;
  const std::string where = "raw";
  if (!json.is_object()) return failure("raw: expected an object");
  const bool good = reader.read_answers(json, "files", recording.files) &&
                    reader.read_answers(json, "links", recording.links) &&
                    reader.read_answers(json, "real_paths", recording.real_paths) &&
                    reader.read_answers(json, "folders", recording.folders) &&
                    reader.read_answers(json, "statuses", recording.statuses) &&
                    reader.read_answers(json, "opens", recording.opens) &&
                    reader.read_answers(json, "accesses", recording.accesses) &&
                    read_environment(reader, json, recording.environment) &&
                    read_commands(reader, json, recording.commands) &&
                    reader.read_at(json, where, "libc", recording.libc) &&
                    reader.read_at(json, where, "self", recording.self) &&
                    reader.read_at(json, where, "now", recording.now);
  if (!good) return failure(reader.fault);
  return recording;
}

}  // namespace gpuready::host
