#include "cloud/keys.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/text.hpp"
#include "net/url.hpp"

namespace gpuready::cloud {

namespace {

constexpr std::size_t longest_key = 4096, longest_file = std::size_t{64} << 10U;
constexpr std::uint32_t for_others = 077;

Fault fault(FaultKind kind, std::string message) {
  return {kind, kind == FaultKind::no_key ? "no-key" : "key-file", std::move(message), 0, ""};
}

/// Without the spaces and line breaks that copying leaves around it; nothing where there are some
/// within, or other control characters.
std::optional<std::string> cleaned(std::string_view text) {
  const std::string_view key = base::trim(text);
  const bool good = !key.empty() && key.size() <= longest_key &&
                    std::ranges::all_of(key, [](char c) { return c > ' ' && c < '\x7f'; });
  return good ? std::optional<std::string>(key) : std::nullopt;
}

/// The value of a line `name = "value"`.
std::string assigned(const std::string& text, std::string_view field) {
  for (const std::string& line : base::split_lines(text)) {
    const std::size_t sign = line.find('=');
    if (sign == std::string::npos || base::trim(line.substr(0, sign)) != field) continue;
    std::string value(base::trim(std::string_view(line).substr(sign + 1)));
    for (const char quote : {'"', '\''})
      if (value.size() >= 2 && value.front() == quote && value.back() == quote)
        value = value.substr(1, value.size() - 2);
    return value;
  }
  return {};
}

FoundKey found(std::string key, std::string source) {
  constexpr std::size_t shortest = 12, shown = 4;
  FoundKey out;
  out.last4 = key.size() >= shortest ? key.substr(key.size() - shown) : "";
  out.key = net::Secret(std::move(key)), out.source = std::move(source);
  return out;
}

/// Why the file may not be read for a key; empty where it may.
std::string refusal(const host::FileStatus& status, const std::string& path) {
  const std::string shown = base::printable(path);
  if (status.kind != host::FileKind::regular) return shown + ": not a file";
  if ((status.mode & for_others) != 0)
    return shown + ": others may read this key; chmod 600 " + base::shell_word(shown);
  if (status.uid != ::geteuid())
    return shown + ": belongs to another user; make a file of your own";
  return {};
}

/// Nothing where there is no such file.
std::optional<Answer<FoundKey>> key_of_file(host::Host& host, const std::string& path,
                                            const KeyFile& form) {
  const auto status = host.status(path);
  if (!status && (status.error().code == ENOENT || status.error().code == ENOTDIR)) return {};
  if (!status)
    return tl::unexpected(
        fault(FaultKind::refused, base::printable(path) + ": " + status.error().text));
  if (const std::string why = refusal(*status, path); !why.empty())
    return tl::unexpected(fault(FaultKind::refused, why));
  const auto text = host.read_file(path, longest_file);
  if (!text)
    return tl::unexpected(
        fault(FaultKind::refused, base::printable(path) + ": " + text.error().text));
  const std::string value = form.form == KeyFileForm::bare ? *text : assigned(*text, form.field);
  if (form.form == KeyFileForm::assign && value.empty()) return {};  // holds other settings
  const auto key = cleaned(value);
  if (!key)
    return tl::unexpected(
        fault(FaultKind::refused,
              base::printable(path) + ": holds no API key (one word without spaces expected)"));
  return found(*key, path);
}

std::string config_folder(host::Host& host) {
  const std::string config = host.env("XDG_CONFIG_HOME").value_or("");
  if (!config.empty() && config.front() == '/') return config;
  const std::string home = host.env("HOME").value_or("");
  return home.empty() ? "" : home + "/.config";
}

}  // namespace

Answer<FoundKey> find_key(host::Host& host, const ProviderRow& provider) {
  const std::string variable(provider.key_variable), name(provider.name);
  if (const auto value = host.env(variable); value && !base::trim(*value).empty()) {
    const auto key = cleaned(*value);
    if (key) return found(*key, variable);
    return tl::unexpected(
        fault(FaultKind::refused,
              variable + ": holds spaces or control characters within; one word expected"));
  }
  const std::string config = config_folder(host), home = host.env("HOME").value_or("");
  const std::string own = config + "/gpuready/" + name + ".key";
  if (!config.empty())
    if (auto key = key_of_file(host, own, {"", KeyFileForm::bare, ""})) return std::move(*key);
  for (const KeyFile& file : provider.other_files)
    if (!home.empty())
      if (auto key = key_of_file(host, home + "/" + std::string(file.path), file))
        return std::move(*key);
  return tl::unexpected(fault(FaultKind::no_key, name + ": no API key; make one at " +
                                                     std::string(provider.key_page) + " and set " +
                                                     variable + ", or write it to " +
                                                     base::printable(own) + " (mode 600)"));
}

Result<std::string> base_url_of(host::Host& host, const ProviderRow& provider) {
  const std::string variable(provider.url_variable);
  std::string url = host.env(variable).value_or("");
  if (url.empty()) return std::string(provider.url);
  while (base::ends_with(url, "/")) url.pop_back();
  const auto parsed = net::parse_url(url);
  if (!parsed) return failure(variable + ": " + parsed.error().text);
  if (const auto good = net::check_transport(*parsed); !good)
    return failure(variable + ": " + good.error().text);
  if (url.find_first_of("?#") != std::string::npos)
    return failure(variable + ": an address with a query, expected none");
  return url;
}

}  // namespace gpuready::cloud
