#include "cloud/fields.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/text.hpp"

namespace gpuready::cloud {

namespace {

constexpr std::size_t longest_text = 256, longest_id = 64;
constexpr double largest_whole = 1e15;

}  // namespace

const Json& member(const Json& object, std::string_view name) {
  static const Json none;
  if (!object.is_object()) return none;
  const auto it = object.find(std::string(name));
  return it == object.end() ? none : *it;
}

std::string text_of(const Json& value) {
  if (value.is_number_integer()) return std::to_string(value.get<std::int64_t>());
  if (!value.is_string()) return {};
  const auto& text = value.get_ref<const std::string&>();
  // Cut before it is looked through: it may be megabytes long.
  const std::string clean = base::printable(std::string_view(text).substr(0, 2 * longest_text));
  return std::string(base::trim(std::string_view(clean).substr(0, longest_text)));
}

std::string text_of(const Json& object, std::string_view name) {
  return text_of(member(object, name));
}

std::optional<double> number_of(const Json& value) {
  std::optional<double> number;
  if (value.is_number()) number = value.get<double>();
  if (value.is_string()) number = base::to_number(base::trim(value.get_ref<const std::string&>()));
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<double> number_of(const Json& object, std::string_view name) {
  return number_of(member(object, name));
}

std::optional<std::int64_t> integer_of(const Json& value) {
  const auto number = number_of(value);
  if (!number || std::abs(*number) > largest_whole || std::floor(*number) != *number) return {};
  return static_cast<std::int64_t>(*number);
}

std::optional<std::int64_t> integer_of(const Json& object, std::string_view name) {
  return integer_of(member(object, name));
}

std::string id_of(const Json& value) {
  const std::string id = text_of(value);
  const bool good =
      !id.empty() && id.size() <= longest_id && id.front() != '-' &&
      std::ranges::all_of(id, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
      });
  return good ? id : "";
}

}  // namespace gpuready::cloud
