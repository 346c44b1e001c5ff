#include "base/quantity.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "base/format.hpp"
#include "base/text.hpp"
#include "gpuready/units.hpp"

namespace gpuready::base {

namespace {

/// Three significant digits, never in exponent form.
std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size >= 99.95) return format("{:.0f}", value);
  if (size >= 9.995) return format("{:.1f}", value);
  return format("{:.2f}", value);
}

}  // namespace

std::string show_bytes(std::int64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (value >= 0.995 * gib) return format("{:.1f} GiB", value / gib);
  if (value >= mib) return format("{:.0f} MiB", value / mib);
  if (value >= kib) return format("{:.0f} KiB", value / kib);
  return format("{} B", bytes);
}

namespace {

struct TimeUnit {
  double per_second;
  const char* name;
};

TimeUnit time_unit(double seconds) {
  if (seconds >= 0.9995) return {1.0, " s"};
  if (seconds >= 0.9995e-3) return {1e3, " ms"};
  return {1e6, " us"};
}

}  // namespace

std::string show_seconds(double seconds) {
  const TimeUnit unit = time_unit(seconds);
  return three_digits(seconds * unit.per_second) + unit.name;
}

std::string show_seconds_interval(double seconds, double low, double high) {
  const TimeUnit unit = time_unit(seconds);
  const auto show = [&](double value) { return three_digits(value * unit.per_second); };
  return format("{}{} ({} to {})", show(seconds), unit.name, show(low), show(high));
}

std::string show_flops(double rate) {
  if (rate >= 0.9995e12) return three_digits(rate / 1e12) + " TFLOP/s";
  return three_digits(rate / 1e9) + " GFLOP/s";
}

std::string show_rate(double bytes_per_second) {
  return three_digits(bytes_per_second / 1e9) + " GB/s";
}

std::string show_parameters(std::int64_t count) {
  const auto value = static_cast<double>(count);
  if (value >= 0.9995e9) return format("{:.1f} B", value / 1e9);
  return format("{:.0f} M", value / 1e6);
}

std::string show_ratio(double ratio) { return three_digits(ratio) + "x"; }

std::string show_small(double value) { return format("{:.1e}", value); }

std::string show_fixed(double value, int digits) { return format("{:.{}f}", value, digits); }

std::string show_usd_per_hour(double usd) { return format("${:.2f}/h", usd); }

Result<std::int64_t> parse_bytes(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, double>, 6> units{
      {{"gib", gib}, {"mib", mib}, {"tib", 1024 * gib}, {"gb", 1e9}, {"mb", 1e6}, {"tb", 1e12}}};
  const std::string small = lower(trim(text));
  for (const auto& [name, size] : units) {
    if (!ends_with(small, name)) continue;
    const std::string_view number =
        trim(std::string_view(small).substr(0, small.size() - name.size()));
    const auto value = to_number(number);
    if (value && *value > 0 && *value * size < 9e18)
      return static_cast<std::int64_t>(std::llround(*value * size));
  }
  return failure("'" + printable(text) + "' is not a size; write for example 24GiB or 24GB");
}

}  // namespace gpuready::base
