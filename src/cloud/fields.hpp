#pragma once
/// Reading what a provider sends: anything may be missing, null, or of another type than promised.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace gpuready::cloud {

using base::Json;

/// The member of that name; null where there is none, or `object` is none.
const Json& member(const Json& object, std::string_view name);
/// A string without control characters and without spaces around it, cut after 256 bytes; a whole
/// number as its digits; else empty.
std::string text_of(const Json& value);
std::string text_of(const Json& object, std::string_view name);
/// A finite number, or a string that holds one.
std::optional<double> number_of(const Json& value);
std::optional<double> number_of(const Json& object, std::string_view name);
/// The same where it is whole and has at most 15 digits.
std::optional<std::int64_t> integer_of(const Json& value);
std::optional<std::int64_t> integer_of(const Json& object, std::string_view name);
/// Letters, digits, '-' and '_', at most 64: what may stand in a path and in a ledger. Else empty.
std::string id_of(const Json& value);

}  // namespace gpuready::cloud
