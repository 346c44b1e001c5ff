#include "fit/config_keys.hpp"

#include <cmath>

#include "base/text.hpp"

namespace gpuready::fit {

namespace {

/// Beyond every vocabulary, width and count of experts; two of them multiply without overflow.
constexpr std::int64_t largest_size = 100'000'000;

/// Beyond every configuration: each key is looked up in all, each layer in every list.
constexpr std::size_t most_items = 10'000;

std::string shown(const base::Json& value) {
  constexpr std::size_t longest = 40;
  std::string text = base::dump_json(value, false);
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  return text;
}

}  // namespace

ConfigKeys::ConfigKeys(const base::Json& object) : object_(object) {
  if (!object.is_object()) wrong("expected a JSON object, found " + shown(object));
  if (object.size() > most_items) wrong("more than 10000 keys");
}

const base::Json* ConfigKeys::find(const KeyNames& names) const {
  if (!object_.is_object()) return nullptr;
  for (const std::string_view name : names) {
    const auto it = object_.find(std::string(name));
    if (it != object_.end() && !it->is_null()) return &*it;
  }
  return nullptr;
}

std::optional<std::int64_t> ConfigKeys::whole(const base::Json& value, std::string_view name) {
  const std::string key(name);
  if (value.is_number_unsigned() || value.is_number_integer() || value.is_number_float()) {
    const double number = value.get<double>();
    if (number >= 0 && number <= static_cast<double>(largest_size) && number == std::floor(number))
      return static_cast<std::int64_t>(number);
  }
  wrong(key + " is " + shown(value) + ", expected a whole number from 0 to 100000000");
  return {};
}

std::int64_t ConfigKeys::need(const KeyNames& names) {
  if (const base::Json* value = find(names)) return whole(*value, *names.begin()).value_or(0);
  wrong(std::string(*names.begin()) + " is missing");
  return 0;
}

std::int64_t ConfigKeys::size(const KeyNames& names, std::int64_t otherwise) {
  const base::Json* value = find(names);
  return value == nullptr ? otherwise : whole(*value, *names.begin()).value_or(otherwise);
}

std::int64_t ConfigKeys::assume(const KeyNames& names, std::int64_t otherwise) {
  if (!has(names))
    doubt({"fit.doubt.default", {std::string(*names.begin()), std::to_string(otherwise)}});
  return size(names, otherwise);
}

std::int64_t ConfigKeys::tokens(const KeyNames& names) {
  constexpr double most = 1e15;
  const base::Json* value = find(names);
  if (value == nullptr) return 0;
  if (!value->is_number()) {
    wrong(std::string(*names.begin()) + " is " + shown(*value) + ", expected a number of tokens");
    return 0;
  }
  const double number = value->get<double>();
  return number > 0 && number <= most ? static_cast<std::int64_t>(number) : 0;
}

bool ConfigKeys::flag(const KeyNames& names, bool otherwise) {
  const base::Json* value = find(names);
  if (value == nullptr) return otherwise;
  if (value->is_boolean()) return value->get<bool>();
  if (value->is_number()) return value->get<double>() != 0;
  wrong(std::string(*names.begin()) + " is " + shown(*value) + ", expected true or false");
  return otherwise;
}

double ConfigKeys::number(const KeyNames& names, double otherwise) {
  const base::Json* value = find(names);
  if (value == nullptr) return otherwise;
  if (value->is_number() && std::isfinite(value->get<double>())) return value->get<double>();
  wrong(std::string(*names.begin()) + " is " + shown(*value) + ", expected a number");
  return otherwise;
}

std::string ConfigKeys::text(const KeyNames& names) {
  const base::Json* value = find(names);
  if (value == nullptr) return {};
  if (value->is_string()) return value->get<std::string>();
  wrong(std::string(*names.begin()) + " is " + shown(*value) + ", expected a text");
  return {};
}

std::vector<std::int64_t> ConfigKeys::sizes(const KeyNames& names) {
  std::vector<std::int64_t> out;
  const base::Json* value = find(names);
  if (value == nullptr) return out;
  if (!value->is_array()) {
    wrong(std::string(*names.begin()) + " is " + shown(*value) + ", expected a list");
    return out;
  }
  if (value->size() > most_items) {
    wrong(std::string(*names.begin()) + ": a list of more than 10000");
    return out;
  }
  for (const base::Json& item : *value) {
    if (item.is_boolean()) {
      out.push_back(item.get<bool>() ? 1 : 0);
    } else if (const auto size = whole(item, *names.begin())) {
      out.push_back(*size);
    } else {
      break;
    }
  }
  return out;
}

std::vector<std::string> ConfigKeys::words(const KeyNames& names) {
  std::vector<std::string> out;
  const base::Json* value = find(names);
  if (value == nullptr) return out;
  bool good = value->is_array() && value->size() <= most_items;
  for (const base::Json& item : good ? *value : base::Json::array()) {
    good = good && item.is_string();
    if (good) out.push_back(item.get<std::string>());
  }
  if (!good) wrong(std::string(*names.begin()) + ": expected a list of words");
  return out;
}

const base::Json* ConfigKeys::object(std::string_view name) const {
  const base::Json* value = find({name});
  return value != nullptr && value->is_object() ? value : nullptr;
}

void ConfigKeys::wrong(const std::string& what) {
  if (fault_.empty()) fault_ = base::printable(what);
}

void ConfigKeys::absorb(const ConfigKeys& inner) {
  if (!inner.fault().empty()) wrong(inner.fault());
  for (const Message& message : inner.doubts()) doubt(message);
}

}  // namespace gpuready::fit
