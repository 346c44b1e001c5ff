#include "host/redact.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/format.hpp"
#include "base/text.hpp"
#include "host/redact_scan.hpp"

namespace gpuready::host {

using base::Json;

namespace {

/// Accounts and hosts that exist on many machines name nobody, and some of these words stand
/// everywhere in a recording.
constexpr std::array<std::string_view, 24> common_names{
    "root",   "user",   "ubuntu", "debian", "fedora", "admin",     "ec2-user", "jovyan",
    "vscode", "docker", "nvidia", "cuda",   "python", "conda",     "colab",    "kaggle",
    "lambda", "test",   "guest",  "nobody", "host",   "localhost", "home",     "shared"};

bool is_common(std::string_view name) {
  return std::ranges::find(common_names, name) != common_names.end();
}

/// Words of one or two letters stand for too much else; in /home/NAME they are found anyway.
bool is_distinctive(const std::string& name) { return name.size() >= 3 && !is_common(name); }

std::vector<std::string> distinctive(std::vector<std::string> names) {
  std::erase_if(names, [](const std::string& name) { return !is_distinctive(name); });
  // The longest first: "box.example.com" before "box".
  std::ranges::sort(names, [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return names;
}

/// Whether `name` stands at `at` as a whole word.
bool stands_at(std::string_view text, std::size_t at, std::string_view name) {
  if (!text.substr(at).starts_with(name)) return false;
  const bool open = at == 0 || !is_word(text[at - 1]);
  const std::size_t end = at + name.size();
  return open && (end == text.size() || !is_word(text[end]));
}

std::string_view kind_name(Secret kind) {
  switch (kind) {
    case Secret::uuid:
      return "uuid";
    case Secret::serial:
      return "serial";
    case Secret::ipv4:
      return "ipv4";
    case Secret::ipv6:
      return "ipv6";
    case Secret::mac:
      return "mac";
    case Secret::account:
      return "user";
    case Secret::random_word:
      return "id";
    default:
      return "key";
  }
}

/// The stand-in has the form of what it stands for, so that programs can still read it; the
/// addresses are those that RFC 5737, RFC 3849 and IEEE 802 (locally administered) set aside.
std::string numbered(std::string_view kind, int n) {
  if (kind == "uuid") return base::format("00000000-0000-0000-0000-{:012}", n);
  if (kind == "serial") return base::format("serial-{}", n);
  if (kind == "ipv4") {
    constexpr std::array<std::string_view, 3> nets{"192.0.2", "198.51.100", "203.0.113"};
    const auto net = static_cast<std::size_t>((n - 1) / 254) % nets.size();
    return base::format("{}.{}", nets[net], (n - 1) % 254 + 1);
  }
  if (kind == "ipv6") return base::format("2001:db8::{:x}", n);
  if (kind == "mac")
    return base::format("02:00:00:{:02x}:{:02x}:{:02x}", (n >> 16) & 255, (n >> 8) & 255, n & 255);
  if (kind == "user") return n == 1 ? "user" : base::format("user-{}", n);
  if (kind == "host") return n == 1 ? "host" : base::format("host-{}", n);
  return base::format("redacted-{}-{}", kind, n);
}

/// Whether the text is already a stand-in of that kind, from an earlier redaction.
bool is_stand_in(std::string_view kind, const std::string& found) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> beginnings{
      {{"uuid", "00000000-0000-0000-0000-"},
       {"serial", "serial-"},
       {"ipv4", "192.0.2."},
       {"ipv4", "198.51.100."},
       {"ipv4", "203.0.113."},
       {"ipv6", "2001:db8::"},
       {"mac", "02:00:00:"},
       {"user", "user-"},
       {"host", "host-"}}};
  if (base::starts_with(found, "redacted-")) return true;
  if ((kind == "user" || kind == "host") && is_common(found)) return true;
  return std::ranges::any_of(beginnings, [&](const auto& entry) {
    return entry.first == kind && base::starts_with(found, entry.second);
  });
}

}  // namespace

Redactor::Redactor(std::vector<std::string> host_names, std::vector<std::string> user_names,
                   std::vector<std::string> homes)
    : host_names_(distinctive(std::move(host_names))),
      user_names_(distinctive(std::move(user_names))),
      homes_(std::move(homes)) {
  std::erase_if(homes_, [](const std::string& home) {
    return home.size() < 2 || home[0] != '/' || home == "/root";
  });
}

std::string Redactor::stand_in(std::string_view kind, const std::string& found) {
  if (is_stand_in(kind, found)) return found;
  const std::string key = std::string(kind) + " " + found;
  const auto known = stand_ins_.find(key);
  if (known != stand_ins_.end()) return known->second;
  // A GPU may be named by the beginning of its UUID: both get the same stand-in.
  for (auto it = stand_ins_.begin(); kind == "uuid" && it != stand_ins_.end(); ++it)
    if (it->first.starts_with(key) || key.starts_with(it->first)) return it->second;
  return stand_ins_[key] = numbered(kind, ++counts_[std::string(kind)]);
}

/// What a known home folder or name at `at` becomes, and how much of the text it takes.
std::pair<std::string, std::size_t> Redactor::known_name(std::string_view text, std::size_t at) {
  for (const std::string& home : homes_)
    if (text[at] == '/' && stands_at(text, at, home))
      return {"/home/" + stand_in("user", home.substr(home.rfind('/') + 1)), home.size()};
  for (const std::string& name : host_names_)
    if (stands_at(text, at, name)) return {stand_in("host", name), name.size()};
  for (const std::string& name : user_names_)
    if (stands_at(text, at, name)) return {stand_in("user", name), name.size()};
  return {"", 0};
}

std::string Redactor::scan(std::string_view text, std::string_view label) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto [word, taken] = known_name(text, at);
    if (taken > 0) {
      out += word, at += taken;
      continue;
    }
    const Match match = match_at(text, at, label);
    if (!match) {
      out += text[at++];
      continue;
    }
    out += text.substr(at, match.keep);
    std::string found(text.substr(at + match.keep, match.length));
    if (match.kind == Secret::uuid || match.kind == Secret::mac || match.kind == Secret::ipv6)
      found = base::lower(found);
    out += stand_in(kind_name(match.kind), found);
    at += match.keep + match.length;
  }
  return out;
}

std::string Redactor::text(std::string_view text) { return scan(text, ""); }

Json Redactor::member(const Json& json, std::string_view name) {
  if (json.is_object() || json.is_array()) return this->json(json);
  const bool secret = is_secret_name(name), serial = is_serial_name(name);
  if (json.is_number() && (secret || serial))
    return stand_in(serial ? "serial" : "key", json.dump());
  if (!json.is_string()) return json;
  const auto& value = json.get_ref<const std::string&>();
  if (!value.empty() && secret) return stand_in("key", value);
  if (!value.empty() && serial) return stand_in("serial", value);
  // A program's output is often JSON itself, where names and values belong together.
  if (base::starts_with(value, "{"))
    if (const Result<Json> inner = base::parse_json(value))
      return base::dump_json(this->json(*inner), false);
  return scan(value, name);
}

Json Redactor::json(const Json& json) {
  if (json.is_array()) {
    Json list = Json::array();
    for (const Json& item : json) list.push_back(member(item, ""));
    return list;
  }
  if (!json.is_object()) return member(json, "");
  Json object = Json::object();
  for (const auto& [name, value] : json.items()) object[scan(name, "")] = member(value, name);
  return object;
}

}  // namespace gpuready::host
