#include "fit/size_text.hpp"

#include <array>
#include <string>

#include "base/text.hpp"

namespace gpuready::fit {

namespace {

struct UnitName {
  std::string_view name;
  double bytes, binary_bytes;
};

constexpr std::array units{
    UnitName{"bytes", 1, 1},
    UnitName{"Bytes", 1, 1},
    UnitName{"KiB", 0x1p10, 0x1p10},
    UnitName{"MiB", 0x1p20, 0x1p20},
    UnitName{"GiB", 0x1p30, 0x1p30},
    UnitName{"TiB", 0x1p40, 0x1p40},
    UnitName{"KB", 1e3, 0x1p10},
    UnitName{"kB", 0x1p10, 0x1p10},  // the kernel's
    UnitName{"MB", 1e6, 0x1p20},
    UnitName{"GB", 1e9, 0x1p30},
    UnitName{"B", 1, 1},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "1900,00" and "1,234.5" and "8,589,934,592" as a number: a comma before three digits groups.
std::optional<double> number_of(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ',') {
      plain += text[i];
      continue;
    }
    std::size_t digits = 0;
    while (i + 1 + digits < text.size() && is_digit(text[i + 1 + digits])) ++digits;
    if (digits != 3) plain += '.';
  }
  return base::to_number(plain);
}

}  // namespace

std::optional<std::int64_t> size_at_start(std::string_view text, bool binary_mb) {
  std::size_t end = 0;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.' || text[end] == ',')) ++end;
  const auto number = number_of(text.substr(0, end));
  if (!number) return {};
  while (end < text.size() && text[end] == ' ') ++end;
  const std::string_view rest = text.substr(end);
  for (const UnitName& unit : units) {
    if (!base::starts_with(rest, unit.name)) continue;
    const double bytes = *number * (binary_mb ? unit.binary_bytes : unit.bytes);
    constexpr double most = 0x1p60;
    if (!(bytes >= 0 && bytes < most)) return {};
    return static_cast<std::int64_t>(bytes);
  }
  return {};
}

std::optional<std::int64_t> size_after(std::string_view text, std::string_view phrase,
                                       bool binary_mb) {
  const std::size_t at = text.rfind(phrase);
  if (at == std::string_view::npos) return {};
  return size_at_start(base::trim(text.substr(at + phrase.size())), binary_mb);
}

std::optional<std::int64_t> size_before(std::string_view text, std::string_view phrase) {
  const std::size_t at = text.find(phrase);
  if (at == std::string_view::npos) return {};
  std::size_t start = at;
  // Two words back: the number and its unit.
  for (int words = 0; start > 0 && words < 2; ++words) {
    while (start > 0 && text[start - 1] == ' ') --start;
    while (start > 0 && text[start - 1] != ' ' && text[start - 1] != '(' && text[start - 1] != ';')
      --start;
  }
  return size_at_start(text.substr(start));
}

std::optional<std::int64_t> integer_after(std::string_view text, std::string_view phrase) {
  const std::size_t at = text.rfind(phrase);
  if (at == std::string_view::npos) return {};
  std::string_view rest = base::trim(text.substr(at + phrase.size()));
  std::size_t end = 0;
  while (end < rest.size() && is_digit(rest[end])) ++end;
  return base::to_integer(rest.substr(0, end));
}

}  // namespace gpuready::fit
