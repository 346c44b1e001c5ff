#pragma once
/// Units of the model's fields. JSON carries plain SI numbers in these units.

#include <array>
#include <string_view>

namespace gpuready {

enum class Unit {
  none,
  bytes,
  seconds,
  hertz,
  watts,
  celsius,
  flop_per_second,
  bytes_per_second,
  usd_per_hour,
  count,
  ratio,
  usd,
};

inline constexpr std::array<std::string_view, 12> unit_names{
    "",       "bytes",   "seconds", "hertz", "watts", "celsius",
    "FLOP/s", "bytes/s", "USD/h",   "count", "ratio", "USD"};

inline constexpr double kib = 1024.0;
inline constexpr double mib = 1024.0 * kib;
inline constexpr double gib = 1024.0 * mib;

}  // namespace gpuready
