#pragma once
/// Changes a JSON document in its structure, so that what comes out is mostly JSON again and gets
/// past the parser. JSON inside strings (the answers of recorded children) is changed in the same
/// way. For fuzzers of everything that reads JSON.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/json.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace gpuready::fuzz {

using Random = std::minstd_rand;

inline std::size_t below(Random& random, std::size_t count) {
  return count == 0 ? 0 : random() % count;
}

/// All values of a document.
inline void collect(base::Json& json, std::vector<base::Json*>& out) {
  out.push_back(&json);
  if (json.is_structured())
    for (auto& item : json) collect(item, out);
}

/// Values that no honest machine has.
inline base::Json odd_value(Random& random) {
  static const std::array<base::Json, 22> odd{
      nullptr,
      true,
      false,
      0,
      -1,
      1,
      4294967296,
      INT64_MIN,
      INT64_MAX,
      UINT64_MAX,
      1e308,
      -0.0,
      "",
      " ",
      "\n\n\n",
      "\x1b]0;x\x07\x1b[31m",
      "\xc2\x9b"
      "31m",
      std::string(5000, 'x'),
      base::Json::array(),
      base::Json::object(),
      base::Json{{"absent", "call-failed"}, {"detail", "x"}, {"code", 999}},
      base::Json{{"errno", 13}}};
  return odd[below(random, odd.size())];
}

inline void mutate_value(base::Json& root, Random& random);

inline void mutate_string(std::string& text, Random& random) {
  if (text.size() > 1 && text[0] == '{') {
    auto inner = base::parse_json(text);
    if (inner && below(random, 8) != 0) {
      mutate_value(*inner, random);
      text = base::dump_json(*inner, false);
      return;
    }
  }
  std::vector<std::uint8_t> bytes(text.begin(), text.end());
  bytes.resize(text.size() + 64);
  const std::size_t size = LLVMFuzzerMutate(bytes.data(), text.size(), bytes.size());
  text.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
}

/// Removes, repeats or renames a member.
inline void mutate_container(base::Json& json, Random& random) {
  if (json.empty()) return;
  const std::size_t at = below(random, json.size());
  if (json.is_array()) {
    if (below(random, 2) == 0)
      json.erase(at);
    else
      json.push_back(json[at]);
    return;
  }
  const auto member = std::next(json.begin(), static_cast<std::ptrdiff_t>(at));
  std::string key = member.key();
  if (below(random, 2) == 0) {
    json.erase(key);
    return;
  }
  const base::Json copy = member.value();
  mutate_string(key, random);
  json[key] = copy;
}

/// One change somewhere in the document.
inline void mutate_value(base::Json& root, Random& random) {
  std::vector<base::Json*> all;
  collect(root, all);
  base::Json& target = *all[below(random, all.size())];
  const std::size_t how = below(random, 6);
  if (how == 0) {
    target = odd_value(random);
  } else if (how == 1) {
    const base::Json other = *all[below(random, all.size())];
    if (other.dump(-1, ' ', false, base::Json::error_handler_t::replace).size() < 20000)
      target = other;
  } else if (target.is_structured()) {
    mutate_container(target, random);
  } else if (target.is_string()) {
    mutate_string(target.get_ref<std::string&>(), random);
  } else if (target.is_number()) {
    target = static_cast<std::int64_t>(random()) - (1 << 30);
  } else {
    target = odd_value(random);
  }
}

inline std::size_t mutate_json(std::uint8_t* data, std::size_t size, std::size_t most,
                               unsigned seed) {
  Random random(seed + 1);
  auto json = base::parse_json({reinterpret_cast<const char*>(data), size});
  if (!json || below(random, 16) == 0) return LLVMFuzzerMutate(data, size, most);
  const std::size_t times = 1 + below(random, 3);
  for (std::size_t i = 0; i < times; ++i) mutate_value(*json, random);
  const std::string text = base::dump_json(*json, false);
  if (text.size() > most) return size;
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

}  // namespace gpuready::fuzz
