#include "host/redact_scan.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.hpp"
#include "host/redact_address.hpp"

namespace gpuready::host {

namespace {

using std::size_t;
using std::string_view;

bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_key_char(char c) { return is_word(c) || c == '_' || c == '-'; }

template <class Test>
size_t run_length(string_view text, size_t at, Test test) {
  size_t end = at;
  while (end < text.size() && test(text[end])) ++end;
  return end - at;
}

/// Beginnings of the keys of well-known services, as those services document them.
constexpr std::array<string_view, 22> key_prefixes{
    "sk-",    "hf_",   "ghp_",  "gho_",   "ghu_",  "ghs_",  "ghr_", "github_pat_",
    "glpat-", "xoxa-", "xoxb-", "xoxp-",  "xoxr-", "xoxs-", "AKIA", "ASIA",
    "AIza",   "ya29.", "rpa_",  "nvapi-", "npm_",  "eyJ"};

/// A known beginning and at least 16 more characters, one of them a digit (so that a package
/// called sk-something is not taken for a key).
Match match_known_key(string_view text, size_t at) {
  for (const string_view prefix : key_prefixes) {
    if (!base::starts_with(text.substr(at), prefix)) continue;
    const auto inside = [&](char c) { return is_key_char(c) || (c == '.' && prefix == "eyJ"); };
    const size_t rest = run_length(text, at + prefix.size(), inside);
    const string_view tail = text.substr(at + prefix.size(), rest);
    if (rest >= 16 && std::ranges::any_of(tail, is_digit))
      return {Secret::key, 0, prefix.size() + rest};
  }
  return {};
}

Match match_private_key(string_view text, size_t at) {
  constexpr string_view begin = "-----BEGIN ", end = "-----END ", dashes = "-----";
  if (!base::starts_with(text.substr(at), begin)) return {};
  const size_t line = text.find(dashes, at + begin.size());
  if (line == string_view::npos) return {};
  if (!base::contains(text.substr(at, line - at), "PRIVATE KEY")) return {};
  const size_t closing = text.find(end, line);
  if (closing == string_view::npos) return {Secret::private_key, 0, text.size() - at};
  const size_t last = text.find(dashes, closing + end.size());
  const size_t stop = last == string_view::npos ? text.size() : last + dashes.size();
  return {Secret::private_key, 0, stop - at};
}

/// The beginning of a UUID behind GPU- or MIG-, as CUDA_VISIBLE_DEVICES takes it.
Match match_short_uuid(string_view text, size_t at) {
  const string_view before = text.substr(0, at);
  if (!base::ends_with(before, "GPU-") && !base::ends_with(before, "MIG-")) return {};
  const size_t length = run_length(text, at, is_hex);
  const bool ends = at + length == text.size() || !is_key_char(text[at + length]);
  return length >= 4 && ends ? Match{Secret::uuid, 0, length} : Match{};
}

/// 8-4-4-4-12 hexadecimal digits, also behind GPU- or MIG-.
Match match_uuid(string_view text, size_t at) {
  constexpr std::array<size_t, 5> groups{8, 4, 4, 4, 12};
  size_t end = at;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (i > 0 && (end >= text.size() || text[end++] != '-')) return {};
    if (run_length(text, end, is_hex) != groups[i]) return {};
    end += groups[i];
  }
  if (end < text.size() && is_word(text[end])) return {};
  // UEFI's EFI_GLOBAL_VARIABLE, part of the name of SecureBoot's file on every machine.
  if (text.substr(at, end - at) == "8be4df61-93ca-11d2-aa0d-00e098032b8c") return {};
  return {Secret::uuid, 0, end - at};
}

bool is_value_end(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0 || base::contains("\"',;&<>)]}", {&c, 1});
}

/// Words that stand where a secret or a serial number is not told.
bool is_no_value(string_view value) {
  constexpr std::array<string_view, 9> none{"",    "true", "false",     "null",   "none",
                                            "n/a", "[n/a", "redacted-", "unknown"};
  const std::string lower = base::lower(value);
  return std::ranges::find(none, lower) != none.end() || base::starts_with(lower, "redacted-") ||
         base::starts_with(lower, "serial-");
}

/// The value of `name=value`, `name: value`, `"name": "value"`: its distance from the name's end,
/// and its length. The name may end in a blank and a few words ("Serial Number : X").
Match value_after(string_view text, size_t at, size_t name_length, Secret kind, bool words) {
  constexpr size_t most_between = 24;
  size_t i = at + name_length;
  const size_t limit = std::min(text.size(), i + most_between);
  const auto between = [&](char c) {
    return c == ' ' || c == '\t' || c == '"' || c == '\'' || (words && (is_word(c) || c == '_'));
  };
  while (i < limit && between(text[i])) ++i;
  if (i >= limit || (text[i] != '=' && text[i] != ':')) return {};
  ++i;
  while (i < text.size() && base::contains(" \t\"'", text.substr(i, 1))) ++i;
  if (base::starts_with(base::lower(text.substr(i, 7)), "bearer ")) i += 7;
  const size_t length = run_length(text, i, [](char c) { return !is_value_end(c); });
  if (is_no_value(text.substr(i, length))) return {};
  return {kind, i - at, length};
}

Match match_named_value(string_view text, size_t at) {
  const size_t length = run_length(text, at, is_key_char);
  const string_view name = text.substr(at, length);
  if (is_secret_name(name)) return value_after(text, at, length, Secret::key, false);
  if (is_serial_name(name)) return value_after(text, at, length, Secret::serial, true);
  return {};
}

/// "name@example.com": the whole address.
Match match_e_mail(string_view text, size_t at) {
  if (at > 0 && (is_key_char(text[at - 1]) || text[at - 1] == '.')) return {};
  const auto local = [](char c) { return is_key_char(c) || c == '.' || c == '+'; };
  const auto domain = [](char c) { return is_word(c) || c == '.' || c == '-'; };
  const size_t name = run_length(text, at, local);
  if (name == 0 || at + name >= text.size() || text[at + name] != '@') return {};
  const size_t host = run_length(text, at + name + 1, domain);
  const string_view place = text.substr(at + name + 1, host);
  if (place.find('.') == string_view::npos || place.starts_with('.')) return {};
  return {Secret::account, 0, name + 1 + host};
}

/// "://user:password@": what stands between the slashes and the at sign.
Match match_url_account(string_view text, size_t at) {
  constexpr string_view slashes = "://";
  if (!base::starts_with(text.substr(at), slashes)) return {};
  const size_t end = text.find_first_of("@/ \"'\n", at + slashes.size());
  if (end == string_view::npos || text[end] != '@' || end == at + slashes.size()) return {};
  return {Secret::key, slashes.size(), end - at - slashes.size()};
}

int class_of(char c) {
  if (is_digit(c)) return 0;
  return std::isupper(static_cast<unsigned char>(c)) != 0 ? 1 : 2;
}

/// Whether letters and digits alternate as in a random word: names change their kind of character
/// rarely, random base64 and base32 at 40 to 60 % of the places.
bool looks_random(string_view part) {
  size_t changes = 0, digits = 0;
  for (size_t i = 0; i < part.size(); ++i) {
    digits += is_digit(part[i]) ? 1U : 0U;
    if (i > 0 && class_of(part[i]) != class_of(part[i - 1])) ++changes;
  }
  return digits > 0 && digits < part.size() && changes * 4 >= part.size();
}

/// At least 32 characters of a hexadecimal number (ids of containers and machines), or 32 with a
/// stretch of 20 that looks random. Names of library files and mangled symbols are left alone.
Match match_random_word(string_view text, size_t at) {
  constexpr size_t least = 32, least_stretch = 20;
  const auto inside = [](char c) { return is_key_char(c) || c == '+' || c == '='; };
  const size_t length = run_length(text, at, inside);
  const string_view word = text.substr(at, length);
  const string_view after = text.substr(at + length, 3);
  if (length < least || base::starts_with(word, "_Z") || after == ".so") return {};
  if (run_length(word, 0, is_hex) == length && std::ranges::any_of(word, is_digit))
    return {Secret::random_word, 0, length};
  for (size_t i = 0; i < length; ++i) {
    const size_t stretch = run_length(word, i, is_word);
    if (stretch >= least_stretch && looks_random(word.substr(i, stretch)))
      return {Secret::random_word, 0, length};
    i += stretch;
  }
  return {};
}

/// The name in /home/NAME, /Users/NAME, /mnt/c/Users/NAME and C:\Users\NAME.
Match match_account(string_view text, size_t at) {
  for (const string_view root : {"/home/", "/Users/", "\\Users\\"}) {
    if (!base::starts_with(text.substr(at), root)) continue;
    const auto inside = [](char c) { return is_key_char(c) || c == '.' || c == '@' || (c & 0x80); };
    const size_t length = run_length(text, at + root.size(), inside);
    if (length > 0) return {Secret::account, root.size(), length};
  }
  return {};
}

}  // namespace

bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_secret_name(string_view name) {
  constexpr std::array<string_view, 2> whole{"pw", "pass"};
  constexpr std::array<string_view, 12> parts{
      "secret",  "password",   "passwd",     "passphrase", "api_key",     "apikey",
      "api-key", "credential", "access_key", "access-key", "private_key", "authorization"};
  const std::string lower = base::lower(name);
  if (std::ranges::find(whole, lower) != whole.end()) return true;
  if (std::ranges::any_of(parts, [&](string_view p) { return base::contains(lower, p); }))
    return true;
  // "tokens" and "tokenizer" are a language model's.
  const size_t token = lower.rfind("token");
  if (token == std::string::npos) return false;
  const char next = token + 5 < lower.size() ? lower[token + 5] : '_';
  return !std::islower(static_cast<unsigned char>(next));
}

bool is_serial_name(string_view name) { return base::contains(base::lower(name), "serial"); }

Match match_at(string_view text, size_t at, string_view label) {
  const char c = text[at];
  if (c == ':') {
    if (const Match found = match_url_account(text, at)) return found;
  }
  if (c == '/' || c == '\\') return match_account(text, at);
  if (c == '-') return match_private_key(text, at);
  const bool inside_word = at > 0 && is_word(text[at - 1]);
  if (inside_word) return {};
  if (c == ':') return match_ipv6(text, at);
  if (!is_word(c) && c != '_') return {};
  if (const Match found = match_e_mail(text, at)) return found;
  if (const Match found = match_uuid(text, at)) return found;
  if (const Match found = match_short_uuid(text, at)) return found;
  if (const Match found = match_mac(text, at)) return found;
  if (const Match found = match_ipv6(text, at)) return found;
  if (const Match found = match_ipv4(text, at, label)) return found;
  if (at > 0 && is_key_char(text[at - 1])) return {};
  if (const Match found = match_known_key(text, at)) return found;
  if (const Match found = match_named_value(text, at)) return found;
  return match_random_word(text, at);
}

}  // namespace gpuready::host
