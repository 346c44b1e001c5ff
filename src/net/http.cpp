#include "net/http.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "net/url.hpp"

namespace gpuready::net {

namespace {

constexpr int most_redirects = 5;

bool is_redirect(const HttpRequest& request, const HttpResponse& response) {
  constexpr int moved = 301, found = 302, see_other = 303, temporary = 307, permanent = 308;
  const int status = response.status;
  return (request.method == "GET" || request.method == "HEAD") &&
         !response.header("location").empty() &&
         (status == moved || status == found || status == see_other || status == temporary ||
          status == permanent);
}

/// Takes the request to where it was sent; the error says why it may not go there.
Result<void> redirect(const HttpResponse& response, Url& from, HttpRequest& request) {
  const auto to = resolve_url(from, response.header("location"));
  if (!to) return failure(from.shown() + ": a redirect to " + to.error().text);
  if (const auto good = check_transport(*to); !good)
    return failure(from.shown() + ": a redirect to " + good.error().text);
  if (to->is_loopback() && !from.is_loopback())
    return failure(from.shown() + ": a redirect to this machine (" + to->shown() + "), refused");
  if (!to->same_server(from)) {
    request.token = {};
    std::erase_if(request.headers, [](const Header& header) {
      const std::string name = base::lower(header.name);
      return name == "authorization" || name == "cookie" || base::contains(name, "key") ||
             base::contains(name, "token");
    });
  }
  request.url = to->text();
  from = *to;
  return {};
}

}  // namespace

std::string HttpResponse::header(std::string_view name) const {
  const std::string wanted = base::lower(name);
  for (const Header& one : headers)
    if (base::lower(one.name) == wanted) return one.value;
  return {};
}

Result<HttpResponse> fetch(Http& http, HttpRequest request) {
  auto url = parse_url(request.url);
  if (!url) return tl::unexpected(url.error());
  if (const auto good = check_transport(*url); !good) return tl::unexpected(good.error());
  const auto end = std::chrono::steady_clock::now() + request.deadline;
  for (int i = 0; i <= most_redirects; ++i) {
    auto response = http.exchange(request);
    if (!response || !is_redirect(request, *response)) return response;
    if (const auto good = redirect(*response, *url, request); !good)
      return tl::unexpected(good.error());
    request.deadline = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    if (request.deadline.count() <= 0) return failure(url->shown() + ": no answer in time");
  }
  return failure(url->shown() + ": more than 5 redirects");
}

}  // namespace gpuready::net
