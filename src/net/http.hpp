#pragma once
/// HTTP as the stages see it: one exchange, and one that follows redirects.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpuready/result.hpp"
#include "net/secret.hpp"

namespace gpuready::net {

struct Header {
  std::string name, value;
};

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  std::vector<Header> headers;
  /// Sent as "Authorization: Bearer ..." to the server of `url`, and never to another one.
  Secret token;
  std::string body;
  std::chrono::milliseconds deadline{30000};         ///< for everything, redirects too
  std::int64_t max_bytes = std::int64_t{16} << 20U;  ///< a longer body is an error
};

struct HttpResponse {
  int status = 0;
  std::vector<Header> headers;
  std::string body;
  std::string url;  ///< what answered, after redirects

  /// The first header of this name (in any case); empty where there is none.
  [[nodiscard]] std::string header(std::string_view name) const;
};

class Http {
 public:
  Http() = default;
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;
  virtual ~Http() = default;

  /// One exchange, redirects not followed. Any status is an answer; an error means that there was
  /// none, and says in one line which server and why, without the query and without the token.
  virtual Result<HttpResponse> exchange(const HttpRequest& request) = 0;
};

/// An exchange that follows up to five redirects of GET and HEAD: over https alone, never from
/// another machine to this one, and with the token only for the first server.
Result<HttpResponse> fetch(Http& http, HttpRequest request);

}  // namespace gpuready::net
