#include "catalog/version_number.hpp"

#include <algorithm>
#include <cctype>

#include "base/text.hpp"

namespace gpuready::catalog {

namespace {

/// The digits at the start of the text.
std::string_view leading_digits(std::string_view text) {
  const auto it = std::ranges::find_if(
      text, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) == 0; });
  return text.substr(0, static_cast<std::size_t>(it - text.begin()));
}

}  // namespace

VersionNumber::VersionNumber(std::initializer_list<std::int64_t> parts) : parts_(parts) {
  std::vector<std::string> words;
  for (const std::int64_t part : parts_) words.push_back(std::to_string(part));
  text_ = base::join(words, ".");
}

std::optional<VersionNumber> VersionNumber::parse(std::string_view text) {
  VersionNumber version;
  std::string_view rest = text;
  while (true) {
    const std::string_view digits = leading_digits(rest);
    const auto value = base::to_integer(digits);
    if (!value) break;
    version.parts_.push_back(*value);
    version.text_ += (version.text_.empty() ? "" : ".") + std::string(digits);
    rest.remove_prefix(digits.size());
    if (rest.empty() || rest.front() != '.') break;
    rest.remove_prefix(1);
  }
  if (version.parts_.empty()) return {};
  return version;
}

std::strong_ordering VersionNumber::operator<=>(const VersionNumber& other) const {
  const std::size_t count = std::max(parts_.size(), other.parts_.size());
  for (std::size_t i = 0; i < count; ++i)
    if (const auto order = part(i) <=> other.part(i); order != 0) return order;
  return std::strong_ordering::equal;
}

}  // namespace gpuready::catalog
