#pragma once
/// JSON Schemas (draft 2020-12) and a documentation table from the field lists of the model.

#include <string>
#include <string_view>

#include "base/json.hpp"

namespace gpuready::base {

namespace detail {

Json absence_schema();
Json described(Json schema, Unit unit, std::string_view meaning);

template <class T>
Json schema_of();

template <class T>
Json schema_of_fields() {
  Json properties = Json::object();
  Json required = Json::array();
  T sample{};
  T::fields(sample, [&](std::string_view name, auto& field, Unit unit, std::string_view meaning) {
    using Field = std::remove_cvref_t<decltype(field)>;
    properties[std::string(name)] = described(schema_of<Field>(), unit, meaning);
    required.push_back(std::string(name));
  });
  return Json{
      {"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

template <class T>
Json enum_schema() {
  Json words = Json::array();
  for (const std::string_view word : EnumNames<T>::list) words.push_back(std::string(word));
  return Json{{"enum", std::move(words)}};
}

template <class T>
Json schema_of() {
  if constexpr (IsFact<T>::value) {
    return Json{{"anyOf", Json::array({schema_of<typename T::value_type>(), absence_schema()})}};
  } else if constexpr (IsVector<T>::value) {
    return Json{{"type", "array"}, {"items", schema_of<typename T::value_type>()}};
  } else if constexpr (std::is_same_v<T, Interval>) {
    return Json{
        {"type", "array"}, {"items", Json{{"type", "number"}}}, {"minItems", 2}, {"maxItems", 2}};
  } else if constexpr (NamedEnum<T>) {
    return enum_schema<T>();
  } else if constexpr (HasFields<T>) {
    return schema_of_fields<T>();
  } else if constexpr (std::is_same_v<T, std::map<std::string, std::string>>) {
    return Json{{"type", "object"}, {"additionalProperties", Json{{"type", "string"}}}};
  } else if constexpr (std::is_same_v<T, bool>) {
    return Json{{"type", "boolean"}};
  } else if constexpr (std::is_integral_v<T>) {
    return Json{{"type", "integer"}};
  } else if constexpr (std::is_floating_point_v<T>) {
    return Json{{"type", "number"}};
  } else {
    return Json{{"type", "string"}};
  }
}

}  // namespace detail

/// The schema of a struct's object.
template <HasFields T>
Json json_schema() {
  return detail::schema_of_fields<T>();
}

template <class T>
void document_below(const std::string& path, std::string& out);

/// Rows "| path | unit | meaning |" for a struct and all below it.
template <HasFields T>
void document_fields(const std::string& prefix, std::string& out) {
  T sample{};
  T::fields(sample, [&](std::string_view name, auto& field, Unit unit, std::string_view meaning) {
    using Field = std::remove_cvref_t<decltype(field)>;
    const std::string path = prefix.empty() ? std::string(name) : prefix + "." + std::string(name);
    const std::string_view unit_name = unit_names[static_cast<std::size_t>(unit)];
    out += "| `" + path + "` | " + std::string(unit_name) + " | " + std::string(meaning) + " |\n";
    document_below<Field>(path, out);
  });
}

template <class T>
void document_below(const std::string& path, std::string& out) {
  if constexpr (IsFact<T>::value) {
    document_below<typename T::value_type>(path, out);
  } else if constexpr (IsVector<T>::value) {
    document_below<typename T::value_type>(path + "[]", out);
  } else if constexpr (HasFields<T> && !std::is_same_v<T, Interval>) {
    document_fields<T>(path, out);
  }
}

}  // namespace gpuready::base
