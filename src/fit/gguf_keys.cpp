#include "fit/gguf_keys.hpp"

#include "fit/byte_cursor.hpp"

namespace gpuready::fit {

void GgufKeys::fail(const std::string& what) {
  if (fault_.empty()) fault_ = header_.file + ": " + what;
}

std::string GgufKeys::name(std::string_view key) const {
  return architecture_ + "." + std::string(key);
}

const GgufValue* GgufKeys::find(std::string_view key) const { return header_.find(name(key)); }

std::int64_t GgufKeys::checked(std::string_view key, std::int64_t value, std::int64_t most) {
  if (value >= 0 && value <= most) return value;
  fail("the key " + in_quotes(name(key)) + " is " + std::to_string(value) + ", expected 0 to " +
       std::to_string(most));
  return 0;
}

std::int64_t GgufKeys::number(std::string_view key, std::int64_t fallback, std::int64_t most) {
  const GgufValue* value = find(key);
  if (value == nullptr) return fallback;
  if (value->kind == GgufValue::Kind::integer || value->kind == GgufValue::Kind::boolean)
    return checked(key, value->integer, most);
  // A list where one number is expected: the first counts, as in llama.cpp for the head's size.
  if (!value->numbers.empty()) return checked(key, value->numbers.front(), most);
  fail("the key " + in_quotes(name(key)) + " is no whole number");
  return fallback;
}

std::vector<std::int64_t> GgufKeys::per_layer(std::string_view key, std::int64_t layers,
                                              const std::vector<std::int64_t>& fallback) {
  const GgufValue* value = find(key);
  if (value == nullptr) return fallback;
  const auto count = static_cast<std::size_t>(layers);
  if (value->kind != GgufValue::Kind::list) return std::vector(count, number(key));
  if (value->numbers.size() < count) {
    fail("the key " + in_quotes(name(key)) + " has " + std::to_string(value->count) +
         " values for " + std::to_string(layers) + " blocks");
    return std::vector<std::int64_t>(count, 0);
  }
  std::vector<std::int64_t> list;
  for (std::size_t i = 0; i < count; ++i)
    list.push_back(checked(key, value->numbers[i], std::int64_t{1} << 24U));
  return list;
}

}  // namespace gpuready::fit
