#include "base/cost.hpp"

#include <algorithm>
#include <cmath>

#include "base/format.hpp"

namespace gpuready::base {

namespace {

struct Unit {
  double hours;
  const char* name;
};

Unit unit_of(double hours) {
  constexpr double day = 24, year = 365.25 * day;
  if (hours < 1.0 / 60) return {1.0 / 3600, "s"};
  if (hours < 1) return {1.0 / 60, "min"};
  if (hours < 2 * day) return {1, "h"};
  return hours < 2 * year ? Unit{day, "days"} : Unit{year, "years"};
}

}  // namespace

std::string show_two_digits(double value) {
  constexpr double readable = 1e7;
  if (value > readable) return format("{:.1e}", value);
  if (value < 0.0095) return format("{:.1g}", value);
  return value < 9.95 ? format("{:.2g}", value) : format("{:.0f}", value);
}

std::string show_hours(double hours) {
  const Unit unit = unit_of(hours);
  return show_two_digits(hours / unit.hours) + " " + unit.name;
}

std::string show_hours_range(double low, double high) {
  const Unit small = unit_of(low), large = unit_of(high);
  if (small.hours != large.hours) return show_hours(low) + " to " + show_hours(high);
  return show_two_digits(low / small.hours) + " to " + show_hours(high);
}

std::string show_usd(double usd) {
  if (usd <= 0) return "$0";
  if (usd < 100) return format("${:.2f}", std::max(usd, 0.01));
  constexpr double readable = 1e9;
  return usd < readable ? format("${:.0f}", usd) : format("${:.1e}", usd);
}

std::string show_amount(double count) {
  constexpr double plain = 1e6;
  if (count < plain) return format("{:.0f}", count);
  // "1e+07" and "4.98e+17" without the sign and the zeros of the exponent.
  const std::string text = format("{:.3g}", count);
  const std::size_t exponent = text.find("e+");
  if (exponent == std::string::npos) return text;
  return text.substr(0, exponent + 1) + text.substr(text.find_first_not_of('0', exponent + 2));
}

}  // namespace gpuready::base
