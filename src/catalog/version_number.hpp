#pragma once
/// Version numbers as they are compared: 580.95.05, 3.12.3, 8.9.

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuready::catalog {

/// Numbers between dots; a missing one counts as 0, so that 2.14 and 2.14.0 are equal.
class VersionNumber {
 public:
  VersionNumber() = default;
  VersionNumber(std::initializer_list<std::int64_t> parts);
  /// Numbers at the start of the text ("2.9.0+cu130" is 2.9.0); nothing where there is none.
  static std::optional<VersionNumber> parse(std::string_view text);

  [[nodiscard]] std::int64_t part(std::size_t index) const {
    return index < parts_.size() ? parts_[index] : 0;
  }
  [[nodiscard]] std::int64_t first() const { return part(0); }
  [[nodiscard]] std::int64_t second() const { return part(1); }
  /// The first two numbers only: releases of torch and Python are compared by them.
  [[nodiscard]] VersionNumber release() const { return {first(), second()}; }
  /// As it was written: 580.65.06.
  [[nodiscard]] const std::string& text() const { return text_; }

  std::strong_ordering operator<=>(const VersionNumber& other) const;
  bool operator==(const VersionNumber& other) const { return (*this <=> other) == 0; }

 private:
  std::vector<std::int64_t> parts_;
  std::string text_;
};

}  // namespace gpuready::catalog
