#include "net/url.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace gpuready::net {

namespace {

using base::starts_with;

constexpr int http_port = 80, https_port = 443, most_port = 65535;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

int usual_port(std::string_view scheme) { return scheme == "https" ? https_port : http_port; }

bool is_host(std::string_view host) {
  const bool ipv6 = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (ipv6) host = host.substr(1, host.size() - 2);
  return !host.empty() && std::ranges::all_of(host, [&](char c) {
    return is_word(c) || c == '.' || c == '-' || c == '_' || (ipv6 && c == ':');
  });
}

tl::unexpected<Error> wrong(std::string_view text, const char* what) {
  // A query may hold a secret.
  return failure("'" + base::printable(text.substr(0, text.find('?'))) + "': " + what);
}

/// "host:port" into the address.
bool read_server(std::string_view server, Url& url) {
  const std::size_t bracket = server.rfind(']');
  const std::size_t colon = server.rfind(':');
  const bool has_port =
      colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  url.host = base::lower(server.substr(0, has_port ? colon : server.size()));
  url.port = usual_port(url.scheme);
  if (has_port) {
    const auto port = base::to_integer(server.substr(colon + 1));
    if (!port || *port < 1 || *port > most_port) return false;
    url.port = static_cast<int>(*port);
  }
  return is_host(url.host);
}

}  // namespace

std::string Url::text() const {
  const std::string number = port == usual_port(scheme) ? "" : ":" + std::to_string(port);
  return scheme + "://" + host + number + path;
}

std::string Url::shown() const {
  const std::string all = text();
  return all.substr(0, all.find('?'));
}

bool Url::is_loopback() const {
  if (host == "localhost" || host == "[::1]") return true;
  return starts_with(host, "127.") && std::ranges::count(host, '.') == 3 &&
         std::ranges::all_of(host, [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

bool Url::same_server(const Url& other) const {
  return scheme == other.scheme && host == other.host && port == other.port;
}

Result<Url> parse_url(std::string_view text) {
  Url url;
  const std::size_t mark = text.find("://");
  url.scheme = base::lower(text.substr(0, mark == std::string_view::npos ? 0 : mark));
  if (url.scheme != "http" && url.scheme != "https")
    return wrong(text, "expected an address with https://");
  if (std::ranges::any_of(text, [](char c) {
        return static_cast<unsigned char>(c) <= ' ' || c == '\x7f' || c == '\\';
      }))
    return wrong(text, "an address with spaces or control characters");
  std::string_view rest = text.substr(mark + 3);
  rest = rest.substr(0, rest.find('#'));
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  const std::string_view server = rest.substr(0, end);
  if (server.find('@') != std::string_view::npos)
    return failure("an address with a user name or password in it, expected none");
  if (!read_server(server, url)) return wrong(text, "no host (and port) in this address");
  url.path = std::string(rest.substr(end));
  if (url.path.empty() || url.path.front() == '?') url.path.insert(0, "/");
  return url;
}

Result<Url> resolve_url(const Url& from, std::string_view location) {
  const std::size_t query = location.find_first_of("?#");
  if (location.substr(0, query).find("://") != std::string_view::npos) return parse_url(location);
  if (starts_with(location, "//")) return parse_url(from.scheme + ":" + std::string(location));
  Url base = from;
  base.path.clear();
  const std::string server = base.text();
  if (starts_with(location, "/")) return parse_url(server + std::string(location));
  const std::string path = from.path.substr(0, from.path.find('?'));
  return parse_url(server + path.substr(0, path.rfind('/') + 1) + std::string(location));
}

Result<void> check_transport(const Url& url) {
  if (url.scheme == "https" || url.is_loopback()) return {};
  return failure(url.shown() + ": plain http is accepted for this machine alone; use https");
}

std::string escape_url(std::string_view text) {
  static constexpr std::array<char, 16> digits{'0', '1', '2', '3', '4', '5', '6', '7',
                                               '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'};
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_word(c) || c == '-' || c == '.' || c == '_' || c == '~')
      out += c;
    else
      (out += '%', out += digits[byte >> 4U], out += digits[byte & 15U]);
  }
  return out;
}

}  // namespace gpuready::net
