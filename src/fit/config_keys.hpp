#pragma once
/// Reads keys of a configuration file under the names that families use for them.

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "gpuready/message.hpp"

namespace gpuready::fit {

/// Names of one key, the usual one first.
class KeyNames {
 public:
  constexpr KeyNames(std::initializer_list<std::string_view> names) {  // NOLINT: reads as a list
    for (const std::string_view name : names)
      if (count_ < names_.size()) names_[count_++] = name;
  }
  [[nodiscard]] constexpr const std::string_view* begin() const { return names_.data(); }
  [[nodiscard]] constexpr const std::string_view* end() const { return names_.data() + count_; }

 private:
  std::array<std::string_view, 8> names_{};
  std::size_t count_ = 0;
};

/// Keys of one JSON object. The first fault is kept; after one, reads give their defaults. A key
/// whose value is null counts as missing. The object must outlive this.
class ConfigKeys {
 public:
  explicit ConfigKeys(const base::Json& object);

  [[nodiscard]] bool has(const KeyNames& names) const { return find(names) != nullptr; }
  /// A size that must be there: 0 to 100 million. The fault names the first of `names`.
  std::int64_t need(const KeyNames& names);
  /// A size; the default is a definition (as many KV heads as heads) and so no doubt.
  std::int64_t size(const KeyNames& names, std::int64_t otherwise);
  /// A size; where it is missing the default of the configuration class is taken, with a doubt.
  std::int64_t assume(const KeyNames& names, std::int64_t otherwise);
  /// Any number of tokens; negative and missing are 0.
  std::int64_t tokens(const KeyNames& names);
  bool flag(const KeyNames& names, bool otherwise);
  double number(const KeyNames& names, double otherwise);
  std::string text(const KeyNames& names);
  /// A list of sizes; a list of booleans becomes 1 and 0.
  std::vector<std::int64_t> sizes(const KeyNames& names);
  std::vector<std::string> words(const KeyNames& names);
  /// The object under a key, or nothing.
  [[nodiscard]] const base::Json* object(std::string_view name) const;
  /// The first value of these names, or nothing.
  [[nodiscard]] const base::Json* find(const KeyNames& names) const;

  void wrong(const std::string& what);
  void doubt(Message message) { doubts_.push_back(std::move(message)); }
  [[nodiscard]] const std::string& fault() const { return fault_; }
  [[nodiscard]] const std::vector<Message>& doubts() const { return doubts_; }
  /// Takes over faults and doubts of an inner object.
  void absorb(const ConfigKeys& inner);

 private:
  std::optional<std::int64_t> whole(const base::Json& value, std::string_view name);

  const base::Json& object_;
  std::string fault_;
  std::vector<Message> doubts_;
};

}  // namespace gpuready::fit
