#pragma once
/// Addresses of HTTP servers, as far as it matters to whom a token goes.

#include <string>
#include <string_view>

#include "gpuready/result.hpp"

namespace gpuready::net {

struct Url {
  std::string scheme;      ///< http or https
  std::string host;        ///< in small letters; IPv6 in brackets
  int port = 0;            ///< the scheme's own where none is given
  std::string path = "/";  ///< with the query, without the fragment

  [[nodiscard]] std::string text() const;
  /// Without the query, which may hold a signature: for messages.
  [[nodiscard]] std::string shown() const;
  [[nodiscard]] bool is_loopback() const;
  /// Scheme, host and port are the same: a token may go there.
  [[nodiscard]] bool same_server(const Url& other) const;
};

/// http or https, a host of letters, digits, '-', '.' (or IPv6 in brackets), no user in it, no
/// spaces or control characters.
Result<Url> parse_url(std::string_view text);
/// Where a redirect leads: `location` may be relative to `from`.
Result<Url> resolve_url(const Url& from, std::string_view location);
/// Whether we talk to it: https, or plain http to this machine alone.
Result<void> check_transport(const Url& url);
/// Text as one part of a path or query: all but letters, digits and -._~ becomes %XX.
std::string escape_url(std::string_view text);

}  // namespace gpuready::net
