#pragma once
/// Facts as evidence.

#include <cstdint>
#include <string>

#include "gpuready/findings.hpp"

namespace gpuready::rules {

inline std::string as_text(const std::string& value) { return value; }
inline std::string as_text(bool value) { return value ? "true" : "false"; }
inline std::string as_text(std::int64_t value) { return std::to_string(value); }
inline std::string as_text(double value) { return std::to_string(value); }

/// A fact's value and source, or the reason why it is not known.
template <class T>
Evidence evidence(std::string field, const Fact<T>& fact) {
  if (fact) return {std::move(field), as_text(*fact), fact.source()};
  const Missing& missing = fact.missing();
  const std::string word(EnumNames<Absence>::list[static_cast<std::size_t>(missing.reason)]);
  return {std::move(field), word, missing.detail};
}

}  // namespace gpuready::rules
