#pragma once
/// Turns what vendor libraries answer into facts.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "gpuready/fact.hpp"
#include "gpuready/units.hpp"

namespace gpuready::probe {

/// More devices than any machine has: a number above it is a broken answer, not a count.
inline constexpr std::int64_t most_devices = 256;

/// The text in a buffer that a library filled, with or without a final NUL, fit to be printed.
std::string text_in(std::span<const char> buffer);

/// "0000:01:00.0" from "00000000:01:00.0" or "0000:01:00.0" in any case, as the kernel writes it.
std::string kernel_pci_address(std::string_view text);

/// "13.0" from 13000; absent where the number is no version.
Fact<std::string> cuda_version(int number, std::string source);

/// "GPU-01234567-89ab-cdef-0123-456789abcdef".
std::string uuid_text(std::string_view prefix, std::span<const char, 16> bytes);

/// A number that was asked for; absent where it is negative or past 2^63.
template <class Number>
Fact<std::int64_t> whole_number(Number value, const std::string& source) {
  if (std::in_range<std::int64_t>(value) && std::cmp_greater_equal(value, 0))
    return {static_cast<std::int64_t>(value), source};
  return Fact<std::int64_t>::absent(Absence::unreadable,
                                    source + " answered " + std::to_string(value));
}

/// The absence of what was not asked for, and because of what.
Missing not_tested(std::string_view because);

/// The absence of a count that no machine has.
Missing unbelievable_count(std::string_view call, std::int64_t count);

/// Gives every fact of a model type the same reason.
template <class Model>
void set_all_absent(Model& model, const Missing& why) {
  Model::fields(model, [&](std::string_view, auto& field, Unit, std::string_view) {
    if constexpr (requires { field.missing(); }) field = why;
  });
}

}  // namespace gpuready::probe
