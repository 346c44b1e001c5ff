#include "host/redact_address.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "base/text.hpp"

namespace gpuready::host {

namespace {

using std::size_t;
using std::string_view;

bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool word_at(string_view text, size_t at) { return at < text.size() && is_word(text[at]); }

/// Words in front of a version number.
constexpr std::array<string_view, 17> version_words{
    "version", "release", "cudnn", "cublas", "cufft",    "curand", "cusparse", "cusolver", "nccl",
    "nvrtc",   "nvjit",   "cuda",  "driver", "openblas", "opencl", "tensorrt", "kernel"};

bool is_version_word(string_view word) {
  const std::string lower = base::lower(word);
  if (lower == "v" || lower == "ver") return true;
  if (lower.size() > 2 && base::starts_with(lower, "cu") && is_digit(lower[2])) return true;
  return std::ranges::any_of(version_words,
                             [&](string_view known) { return base::contains(lower, known); });
}

/// The word before `at` on the same line, across separators; the label where there is none.
string_view word_before(string_view text, size_t at, string_view label) {
  constexpr string_view separators = " \t:=\"'(,";
  size_t end = at;
  while (end > 0 && base::contains(separators, text.substr(end - 1, 1))) --end;
  if (end == 0) return label;
  size_t begin = end;
  while (begin > 0 && (is_word(text[begin - 1]) || text[begin - 1] == '_')) --begin;
  return text.substr(begin, end - begin);
}

bool is_version(string_view text, size_t at, size_t end, string_view label) {
  if (base::ends_with(text.substr(0, at), ".so.")) return true;
  const string_view after = text.substr(end);
  for (const string_view tail : {".dist-info", ".egg-info", ".data", "-py", "-cp", "-1_", ".deb"})
    if (base::starts_with(after, tail)) return true;
  // The revision of a package: "12.8.4.1-1".
  if (after.size() > 1 && after[0] == '-' && is_digit(after[1])) return true;
  return is_version_word(word_before(text, at, label));
}

/// Length of a number from 0 to 255 without leading zeros; 0 if there is none.
size_t octet_length(string_view text, size_t at, int& value) {
  size_t end = at;
  value = 0;
  while (end < text.size() && is_digit(text[end]) && end - at < 4)
    value = value * 10 + (text[end++] - '0');
  const size_t length = end - at;
  if (length == 0 || length > 3 || value > 255) return 0;
  return length > 1 && text[at] == '0' ? 0 : length;
}

}  // namespace

Match match_mac(string_view text, size_t at) {
  constexpr size_t most_pairs = 32;
  size_t end = at, pairs = 0;
  char separator = '\0';
  while (pairs < most_pairs && end + 1 < text.size() && is_hex(text[end]) &&
         is_hex(text[end + 1])) {
    ++pairs, end += 2;
    if (end >= text.size() || (text[end] != ':' && text[end] != '-')) break;
    if (separator != '\0' && text[end] != separator) break;
    const bool more = end + 2 < text.size() && is_hex(text[end + 1]) && is_hex(text[end + 2]);
    if (!more) break;
    separator = text[end++];
  }
  if (pairs < 6 || word_at(text, end)) return {};
  return {Secret::mac, 0, end - at};
}

Match match_ipv6(string_view text, size_t at) {
  if (at > 0 && text[at - 1] == ':') return {};
  size_t end = at, groups = 0, digits = 0;
  bool gap = false, numeral = false;
  for (; end < text.size() && (is_hex(text[end]) || text[end] == ':'); ++end) {
    if (text[end] == ':') {
      gap = gap || (end > at && text[end - 1] == ':');
      digits = 0;
      continue;
    }
    numeral = numeral || is_digit(text[end]);
    if (digits == 0) ++groups;
    if (++digits > 4 || groups > 8) return {};
  }
  while (end > at + 2 && text[end - 1] == ':' && text[end - 2] != ':') --end;
  // "::ffff:192.0.2.1" ends in an IPv4 address, which is found as such.
  if (end < text.size() && text[end] == '.') return {};
  const bool loopback = text.substr(at, end - at) == "::1";
  const bool whole = groups == 8 || (gap && groups >= 2 && groups < 8);
  if (!whole || !numeral || loopback || word_at(text, end)) return {};
  return {Secret::ipv6, 0, end - at};
}

Match match_ipv4(string_view text, size_t at, string_view label) {
  if (at > 0 && text[at - 1] == '.' && !base::ends_with(text.substr(0, at), ".so.")) return {};
  std::array<int, 4> octets{};
  size_t end = at;
  for (size_t i = 0; i < octets.size(); ++i) {
    if (i > 0 && (end >= text.size() || text[end++] != '.')) return {};
    const size_t length = octet_length(text, end, octets[i]);
    if (length == 0) return {};
    end += length;
  }
  const bool longer = end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1]);
  if (word_at(text, end) || longer) return {};
  const bool netmask = octets[0] == 255;
  const bool nowhere = octets[0] == 0;
  if (octets[0] == 127 || netmask || nowhere || is_version(text, at, end, label)) return {};
  return {Secret::ipv4, 0, end - at};
}

}  // namespace gpuready::host
