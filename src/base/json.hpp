#pragma once
/// JSON both ways from the field lists of the model. The only folder that knows the JSON library.

#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gpuready/fact.hpp"
#include "gpuready/measurements.hpp"
#include "gpuready/message.hpp"
#include "gpuready/result.hpp"
#include "gpuready/units.hpp"

namespace gpuready::base {

using Json = nlohmann::ordered_json;

/// Parses text; the error says where it stops being JSON. Never throws. Refuses more than 100
/// levels or 2 million values; of members with one name the last one counts.
Result<Json> parse_json(std::string_view text);
/// UTF-8, one line unless `indented`; bytes that are not UTF-8 are replaced, and every control
/// character (also DEL and U+0080 to U+009F) is escaped, so that no terminal obeys it.
std::string dump_json(const Json& value, bool indented);

namespace detail {
struct AnyVisit {
  template <class T>
  void operator()(std::string_view, T&, Unit, std::string_view) const {}
};
}  // namespace detail

template <class T>
concept HasFields = requires(T& t) {
  T::fields(t, detail::AnyVisit{});
};
template <class T>
concept NamedEnum = std::is_enum_v<T> && requires {
  EnumNames<T>::list;
};

template <class T>
struct IsFact : std::false_type {};
template <class T>
struct IsFact<Fact<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

/// Packs a message with its key and values into one string, for our own processes; JsonReader
/// unpacks it.
std::string keep_message(const Message& message);
Message unpack_message(const std::string& text);

/// Writes model types. `english` turns messages into text; `sources` collects, by path, the file
/// or call that each known fact came from.
class JsonWriter {
 public:
  explicit JsonWriter(std::function<std::string(const Message&)> english)
      : english_(std::move(english)) {}

  template <class T>
  Json write(const T& value) {
    if constexpr (std::is_same_v<T, Interval>) {
      return Json::array({number(value.low), number(value.high)});
    } else if constexpr (std::is_same_v<T, Message>) {
      return english_(value);
    } else if constexpr (IsFact<T>::value) {
      return write_fact(value);
    } else if constexpr (IsVector<T>::value) {
      return write_list(value);
    } else if constexpr (NamedEnum<T>) {
      return std::string(EnumNames<T>::list[static_cast<std::size_t>(value)]);
    } else if constexpr (HasFields<T>) {
      return write_fields(value);
    } else if constexpr (std::is_same_v<T, std::map<std::string, std::string>>) {
      return write_map(value);
    } else if constexpr (std::is_floating_point_v<T>) {
      return number(value);
    } else {
      return Json(value);
    }
  }

  /// Adds each field of `value` to `object`.
  template <HasFields T>
  void add_fields(const T& value, Json& object) {
    T::fields(value, [&](std::string_view name, const auto& field, Unit, std::string_view) {
      const std::size_t mark = enter(name);
      object[std::string(name)] = write(field);
      path_.resize(mark);
    });
  }

  /// The value as a member of a larger object: its sources stand under `name`.
  template <class T>
  Json write_member(std::string_view name, const T& value) {
    const std::size_t mark = enter(name);
    Json json = write(value);
    path_.resize(mark);
    return json;
  }

  [[nodiscard]] const Json& sources() const { return sources_; }

 private:
  static Json number(double value);
  static Json missing(const Missing& why);

  std::size_t enter(std::string_view name) {
    const std::size_t mark = path_.size();
    if (!path_.empty()) path_ += '.';
    path_ += name;
    return mark;
  }

  template <class T>
  Json write_fact(const Fact<T>& fact) {
    if (!fact) return missing(fact.missing());
    if (!fact.source().empty()) sources_[path_] = fact.source();
    return write(*fact);
  }

  template <class T>
  Json write_list(const std::vector<T>& list) {
    Json json = Json::array();
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::size_t mark = path_.size();
      path_ += "[" + std::to_string(i) + "]";
      json.push_back(write<T>(list[i]));
      path_.resize(mark);
    }
    return json;
  }

  template <class T>
  Json write_fields(const T& value) {
    Json json = Json::object();
    add_fields(value, json);
    return json;
  }

  static Json write_map(const std::map<std::string, std::string>& map) {
    Json json = Json::object();
    for (const auto& [key, value] : map) json[key] = value;
    return json;
  }

  std::function<std::string(const Message&)> english_;
  std::string path_;
  Json sources_ = Json::object();
};

/// Reads model types back. A field that is not there keeps its default (so that older and newer
/// files can be read); a field of the wrong kind is an error that names its path.
class JsonReader {
 public:
  JsonReader() = default;
  /// `sources` as JsonWriter made them.
  explicit JsonReader(const Json& sources);

  template <class T>
  bool read(const Json& json, T& out) {
    if constexpr (std::is_same_v<T, Interval>) {
      return read_interval(json, out);
    } else if constexpr (std::is_same_v<T, Message>) {
      std::string text;
      if (!read(json, text)) return false;
      out = unpack_message(text);
      return true;
    } else if constexpr (IsFact<T>::value) {
      return read_fact(json, out);
    } else if constexpr (IsVector<T>::value) {
      return read_list(json, out);
    } else if constexpr (NamedEnum<T>) {
      return read_enum(json, out);
    } else if constexpr (HasFields<T>) {
      return read_fields(json, out);
    } else if constexpr (std::is_same_v<T, std::map<std::string, std::string>>) {
      return read_map(json, out);
    } else if constexpr (std::is_same_v<T, bool>) {
      return json.is_boolean() ? (out = json.get<bool>(), true) : wrong(json, "true or false");
    } else if constexpr (std::is_integral_v<T>) {
      return read_integer(json, out);
    } else if constexpr (std::is_floating_point_v<T>) {
      return json.is_number() ? (out = json.get<double>(), true) : wrong(json, "a number");
    } else {
      return json.is_string() ? (out = json.get<std::string>(), true) : wrong(json, "a string");
    }
  }

  /// Reads `object[name]` into `out` where it is present.
  template <class T>
  bool read_member(const Json& object, std::string_view name, T& out) {
    const auto it = object.find(std::string(name));
    if (it == object.end()) return true;
    const std::size_t mark = path_.size();
    if (!path_.empty()) path_ += '.';
    path_ += name;
    const bool good = read(*it, out);
    path_.resize(mark);
    return good;
  }

  /// What was wrong, after a read that returned false.
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  bool wrong(const Json& json, std::string_view expected);
  bool read_integer(const Json& json, std::int64_t& out);
  bool read_interval(const Json& json, Interval& out);
  bool read_map(const Json& json, std::map<std::string, std::string>& out);
  bool read_missing(const Json& json, Missing& out);
  [[nodiscard]] std::string source_here() const;

  template <class T>
  bool read_fact(const Json& json, Fact<T>& out) {
    if (json.is_object() && json.contains("absent")) {
      Missing why;
      if (!read_missing(json, why)) return false;
      out = Fact<T>(std::move(why));
      return true;
    }
    T value{};
    if (!read(json, value)) return false;
    out = Fact<T>(std::move(value), source_here());
    return true;
  }

  template <class T>
  bool read_list(const Json& json, std::vector<T>& out) {
    if (!json.is_array()) return wrong(json, "a list");
    out.clear();
    for (std::size_t i = 0; i < json.size(); ++i) {
      const std::size_t mark = path_.size();
      path_ += "[" + std::to_string(i) + "]";
      T item{};
      if (!read(json[i], item)) return false;
      out.push_back(std::move(item));
      path_.resize(mark);
    }
    return true;
  }

  template <class T>
  bool read_enum(const Json& json, T& out) {
    std::string name;
    if (!read(json, name)) return false;
    const auto& list = EnumNames<T>::list;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i] == name) return out = static_cast<T>(i), true;
    }
    return wrong(json, "one of the known words");
  }

  template <class T>
  bool read_fields(const Json& json, T& out) {
    if (!json.is_object()) return wrong(json, "an object");
    bool good = true;
    T::fields(out, [&](std::string_view name, auto& field, Unit, std::string_view) {
      if (good) good = read_member(json, name, field);
    });
    return good;
  }

  std::map<std::string, std::string, std::less<>> sources_;
  std::string path_, error_;
};

}  // namespace gpuready::base
