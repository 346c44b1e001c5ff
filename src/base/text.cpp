#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace gpuready::base {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> split_lines(std::string_view text) {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return split(text, '\n');
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n\f\v\0";
  const std::size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix);
}
bool ends_with(std::string_view text, std::string_view suffix) { return text.ends_with(suffix); }
bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += separator;
    out += part;
  }
  return out;
}

std::optional<std::int64_t> to_integer(std::string_view text, int base) {
  if (base == 16 && starts_with(text, "0x")) text.remove_prefix(2);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

std::optional<double> to_number(std::string_view text) {
  if (text.empty() || text.size() > 64 || std::isspace(static_cast<unsigned char>(text[0])) != 0)
    return {};
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size() || !std::isfinite(value)) return {};
  return value;
}

std::optional<std::string> field_value(std::string_view text, std::string_view name,
                                       char separator) {
  for (const std::string& line : split_lines(text)) {
    if (!starts_with(line, name)) continue;
    const std::string_view rest = trim(std::string_view(line).substr(name.size()));
    if (!rest.empty() && rest[0] == separator) return std::string(trim(rest.substr(1)));
  }
  return {};
}

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
  constexpr std::int64_t most = 65536;
  std::vector<int> cpus;
  for (const std::string& range : split(trim(text), ',')) {
    const std::vector<std::string> ends = split(range, '-');
    if (ends.empty() || ends.size() > 2) return {};
    const auto first = to_integer(ends.front());
    const auto last = to_integer(ends.back());
    if (!first || !last || *first < 0 || *last < *first || *last >= most) return {};
    if (static_cast<std::int64_t>(cpus.size()) + *last - *first >= most) return {};
    for (std::int64_t cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<int>(cpu));
  }
  std::ranges::sort(cpus);
  const auto repeated = std::ranges::unique(cpus);
  cpus.erase(repeated.begin(), repeated.end());
  return cpus;
}

namespace {

struct Decoded {
  char32_t code;
  std::size_t length;
};

/// One code point; a byte that is not UTF-8 becomes U+FFFD of length 1.
Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  std::size_t length = 1;
  char32_t code = lead;
  if (lead >= 0xF0 && lead < 0xF8) {
    length = 4, code = lead & 0x07U;
  } else if (lead >= 0xE0 && lead < 0xF0) {
    length = 3, code = lead & 0x0FU;
  } else if (lead >= 0xC2 && lead < 0xE0) {
    length = 2, code = lead & 0x1FU;
  } else if (lead >= 0x80) {
    return {0xFFFD, 1};
  }
  if (text.size() < length) return {0xFFFD, 1};
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {0xFFFD, 1};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  return {code, length};
}

struct Range {
  char32_t first, last;
};

bool within(char32_t code, const auto& ranges) {
  return std::ranges::any_of(ranges, [&](Range r) { return code >= r.first && code <= r.last; });
}

/// Wide and full-width blocks of Unicode's EastAsianWidth.txt (16.0), and emoji shown wide.
constexpr std::array wide_ranges{
    Range{0x1100, 0x115F},   Range{0x231A, 0x231B},   Range{0x2329, 0x232A},
    Range{0x23E9, 0x23EC},   Range{0x2E80, 0x303E},   Range{0x3041, 0x33FF},
    Range{0x3400, 0x4DBF},   Range{0x4E00, 0x9FFF},   Range{0xA000, 0xA4CF},
    Range{0xA960, 0xA97F},   Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},
    Range{0xFE10, 0xFE19},   Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},
    Range{0xFFE0, 0xFFE6},   Range{0x16FE0, 0x18AFF}, Range{0x1AFF0, 0x1B2FF},
    Range{0x1F300, 0x1F64F}, Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1F9FF},
    Range{0x20000, 0x3FFFD}};
/// Combining marks and format characters that take no cell.
constexpr std::array zero_ranges{
    Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD}, Range{0x0610, 0x061A},
    Range{0x064B, 0x065F}, Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF}, Range{0x200B, 0x200F},
    Range{0x202A, 0x202E}, Range{0x2060, 0x2064}, Range{0x20D0, 0x20FF}, Range{0xFE00, 0xFE0F},
    Range{0xFE20, 0xFE2F}, Range{0xFEFF, 0xFEFF}};

std::size_t cells(char32_t code) {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return 0;
  if (code < 0x300) return 1;
  if (within(code, zero_ranges)) return 0;
  return within(code, wide_ranges) ? 2 : 1;
}

/// Bytes of the escape sequence at the front of `text`, 0 if there is none.
std::size_t escape_length(std::string_view text) {
  if (text[0] != '\x1b') return 0;
  if (text.size() < 2) return 1;
  std::size_t i = 2;
  if (text[1] == '[') {
    while (i < text.size() && (text[i] < 0x40 || text[i] > 0x7E)) ++i;
    return std::min(i + 1, text.size());
  }
  if (text[1] == ']') {
    while (i < text.size() && text[i] != '\a' && text[i] != '\x1b') ++i;
    return std::min(i + 1, text.size());
  }
  return 2;
}

/// Marks that do not begin a line (Unicode UAX #14, classes CL, CP, EX, and W3C's clreq 3.1.3).
constexpr std::u32string_view no_line_start =
    U"\u3001\u3002\uFF0C\uFF0E\uFF1A\uFF1B\uFF01\uFF1F\uFF09\uFF3D\uFF5D\uFF05"
    U"\u300B\u300D\u300F\u3011\u3015\u2019\u201D\u2026\u2014\u00B7,.:;!?)]}%";
/// Marks that do not end a line (class OP).
constexpr std::u32string_view no_line_end =
    U"\uFF08\uFF3B\uFF5B\u300A\u300C\u300E\u3010\u3014\u2018\u201C([{";

/// Whether a line may end between the two characters, no space being there.
bool may_break_between(char32_t before, char32_t after) {
  if ((cells(before) != 2 && cells(after) != 2) || cells(after) == 0) return false;
  return no_line_start.find(after) == no_line_start.npos &&
         no_line_end.find(before) == no_line_end.npos;
}

/// The longest front part, by whole characters, that fits `width`; breaks at the last space, or
/// beside a wide character where punctuation allows it. At least one character.
std::size_t break_point(std::string_view text, std::size_t width) {
  std::size_t used = 0, at = 0, last_break = 0;
  char32_t before = 0;
  while (at < text.size()) {
    const Decoded c = decode(text.substr(at));
    if (c.code == ' ' || (at > 0 && may_break_between(before, c.code))) last_break = at;
    used += cells(c.code);
    if (used > width) break;
    at += c.length;
    before = c.code;
  }
  if (at == text.size()) return at;
  if (last_break > 0) return last_break;
  return at > 0 ? at : decode(text).length;
}

}  // namespace

std::size_t display_width(std::string_view utf8) {
  std::size_t width = 0;
  while (!utf8.empty()) {
    const Decoded c = decode(utf8);
    width += cells(c.code);
    utf8.remove_prefix(c.length);
  }
  return width;
}

std::string printable(std::string_view utf8) {
  std::string out;
  while (!utf8.empty()) {
    if (const std::size_t skip = escape_length(utf8); skip > 0) {
      utf8.remove_prefix(skip);
      continue;
    }
    const Decoded c = decode(utf8);
    const bool control = c.code < 0x20 || (c.code >= 0x7F && c.code < 0xA0);
    // Line separators and marks that turn the direction of text.
    const bool direction =
        (c.code >= 0x2028 && c.code <= 0x202E) || (c.code >= 0x2066 && c.code <= 0x2069);
    if (c.code == 0xFFFD) {
      out += "\xEF\xBF\xBD";
    } else if (control || direction) {
      if (c.code == '\t' || c.code == '\n') out += ' ';
    } else {
      out += utf8.substr(0, c.length);
    }
    utf8.remove_prefix(c.length);
  }
  return out;
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view safe = "._-+/:=,@%";
  const auto is_safe = [&](unsigned char c) {
    return std::isalnum(c) != 0 || safe.find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && text[0] != '-' && std::ranges::all_of(text, is_safe))
    return std::string(text);
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

std::vector<std::string> wrap(std::string_view utf8, std::size_t width) {
  std::vector<std::string> lines;
  std::string_view rest = trim(utf8);
  while (!rest.empty()) {
    const std::size_t end = break_point(rest, std::max<std::size_t>(width, 2));
    lines.emplace_back(trim(rest.substr(0, end)));
    rest = trim(rest.substr(end));
  }
  return lines;
}

}  // namespace gpuready::base
