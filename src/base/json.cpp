#include "base/json.hpp"

#include <limits>

#include "base/text.hpp"

namespace gpuready::base {

namespace {

/// Escapes DEL and the control characters U+0080 to U+009F, which JSON may hold as they are. In a
/// dumped text they stand in strings only.
std::string escape_controls(const std::string& json) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    auto byte = static_cast<unsigned char>(json[i]);
    const auto next = static_cast<unsigned char>(i + 1 < json.size() ? json[i + 1] : 0);
    const bool high = byte == 0xC2 && next >= 0x80 && next < 0xA0;
    if (high) byte = next, ++i;
    if (high || byte == 0x7F)
      (out += "\\u00") += {digits[byte >> 4U], digits[byte & 0x0FU]};
    else
      out += json[i];
  }
  return out;
}

}  // namespace

std::string dump_json(const Json& value, bool indented) {
  return escape_controls(value.dump(indented ? 2 : -1, ' ', false, Json::error_handler_t::replace));
}

namespace {
/// ASCII's unit separator: no text for people holds it.
constexpr char message_mark = '\x1f';
}  // namespace

std::string keep_message(const Message& message) {
  std::string packed = message_mark + message.key;
  for (const std::string& arg : message.args) packed += message_mark + arg;
  return packed;
}

Message unpack_message(const std::string& text) {
  if (text.empty() || text[0] != message_mark) return {"", {text}};
  std::vector<std::string> parts = split(std::string_view(text).substr(1), message_mark);
  if (parts.empty()) return {};
  Message message{parts[0], {}};
  message.args.assign(parts.begin() + 1, parts.end());
  return message;
}

Json JsonWriter::number(double value) {
  if (std::isfinite(value)) return value;
  return missing(Missing{Absence::not_applicable, "not a finite number", {}});
}

Json JsonWriter::missing(const Missing& why) {
  Json json = Json::object();
  json["absent"] = std::string(EnumNames<Absence>::list[static_cast<std::size_t>(why.reason)]);
  json["detail"] = why.detail;
  if (why.code) json["code"] = *why.code;
  return json;
}

JsonReader::JsonReader(const Json& sources) {
  if (!sources.is_object()) return;
  for (const auto& [path, source] : sources.items())
    if (source.is_string()) sources_[path] = source.get<std::string>();
}

bool JsonReader::wrong(const Json& json, std::string_view expected) {
  error_ = (path_.empty() ? std::string("the whole") : path_) + ": expected " +
           std::string(expected) + ", found " + json.type_name();
  return false;
}

bool JsonReader::read_integer(const Json& json, std::int64_t& out) {
  if (json.is_number_unsigned()) {
    const auto value = json.get<std::uint64_t>();
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return wrong(json, "an integer below 2^63");
    out = static_cast<std::int64_t>(value);
    return true;
  }
  if (!json.is_number_integer()) return wrong(json, "an integer");
  out = json.get<std::int64_t>();
  return true;
}

bool JsonReader::read_interval(const Json& json, Interval& out) {
  if (!json.is_array() || json.size() != 2) return wrong(json, "a list of two numbers");
  return read(json[0], out.low) && read(json[1], out.high);
}

bool JsonReader::read_map(const Json& json, std::map<std::string, std::string>& out) {
  if (!json.is_object()) return wrong(json, "an object");
  out.clear();
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) return wrong(value, "a string");
    out[key] = value.get<std::string>();
  }
  return true;
}

bool JsonReader::read_missing(const Json& json, Missing& out) {
  std::int64_t code = 0;
  if (!read_member(json, "absent", out.reason) || !read_member(json, "detail", out.detail) ||
      !read_member(json, "code", code))
    return false;
  if (json.contains("code")) out.code = code;
  return true;
}

std::string JsonReader::source_here() const {
  const auto it = sources_.find(path_);
  return it != sources_.end() ? it->second : std::string();
}

}  // namespace gpuready::base
