#include "net/curl_http.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "net/url.hpp"
#include "vendor/curl.hpp"

namespace gpuready::net {

namespace {

namespace curl = vendor::curl;

constexpr long connect_ms = 10000;
constexpr std::size_t most_headers = 200;

/// What comes in, with its bound.
struct Incoming {
  HttpResponse response;
  std::int64_t max_bytes = 0;
  bool too_long = false;
};

std::size_t take_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto& in = *static_cast<Incoming*>(user);
  const std::size_t bytes = size * count;
  const auto room = in.max_bytes - static_cast<std::int64_t>(in.response.body.size());
  in.too_long = static_cast<std::int64_t>(bytes) > room;
  if (in.too_long) return 0;
  in.response.body.append(data, bytes);
  return bytes;
}

std::size_t take_header(char* data, std::size_t size, std::size_t count, void* user) {
  auto& in = *static_cast<Incoming*>(user);
  const std::string_view line(data, size * count);
  // A status line begins the headers anew (after "100 Continue", or a proxy's answer).
  if (base::starts_with(line, "HTTP/")) in.response.headers.clear();
  const std::size_t colon = line.find(':');
  if (colon != std::string_view::npos && in.response.headers.size() < most_headers)
    in.response.headers.push_back({std::string(base::trim(line.substr(0, colon))),
                                   std::string(base::trim(line.substr(colon + 1)))});
  return size * count;
}

/// A header that ends where it should: no second line can be smuggled in.
bool is_one_line(const Header& header) {
  const auto breaks = [](char c) { return c == '\r' || c == '\n' || c == '\0'; };
  return std::ranges::none_of(header.name, breaks) && std::ranges::none_of(header.value, breaks);
}

class CurlHttp : public Http {
 public:
  CurlHttp(vendor::Curl api, curl::Handle handle) : api_(api), handle_(handle) {}
  ~CurlHttp() override { api_.curl_easy_cleanup(handle_); }

  Result<HttpResponse> exchange(const HttpRequest& request) override {
    const auto url = parse_url(request.url);
    if (!url) return tl::unexpected(url.error());
    if (const auto good = check_transport(*url); !good) return tl::unexpected(good.error());
    api_.curl_easy_reset(handle_);
    error_.fill('\0');
    Incoming in;
    in.max_bytes = request.max_bytes;
    in.response.url = url->text();
    set_address(*url, request);
    set_method(request);
    set_answer(in);
    const auto headers = header_list(request);
    if (!headers) return failure(url->shown() + ": a header of more than one line");
    api_.curl_easy_setopt(handle_, curl::http_header, headers->get());
    const int code = api_.curl_easy_perform(handle_);
    if (code != curl::ok) return fault(code, *url, request, in);
    long status = 0;
    api_.curl_easy_getinfo(handle_, curl::response_code, &status);
    in.response.status = static_cast<int>(status);
    return std::move(in.response);
  }

 private:
  struct FreeList {
    void (*free_all)(curl::List*);
    void operator()(curl::List* list) const { free_all(list); }
  };
  using HeaderList = std::unique_ptr<curl::List, FreeList>;

  void set_address(const Url& url, const HttpRequest& request) {
    api_.curl_easy_setopt(handle_, curl::url, url.text().c_str());  // libcurl copies it
    api_.curl_easy_setopt(handle_, curl::protocols,
                          curl::protocol_https | (url.is_loopback() ? curl::protocol_http : 0L));
    api_.curl_easy_setopt(handle_, curl::follow_location, 0L);
    api_.curl_easy_setopt(handle_, curl::no_signal, 1L);
    const long deadline_ms = std::max(1L, static_cast<long>(request.deadline.count()));
    api_.curl_easy_setopt(handle_, curl::timeout_ms, deadline_ms);
    api_.curl_easy_setopt(handle_, curl::connect_timeout_ms, std::min(connect_ms, deadline_ms));
    api_.curl_easy_setopt(handle_, curl::user_agent, "gpuready/" GPUREADY_VERSION);
    api_.curl_easy_setopt(handle_, curl::error_buffer, error_.data());
    if (url.is_loopback()) api_.curl_easy_setopt(handle_, curl::proxy, "");
  }

  void set_method(const HttpRequest& request) {
    // libcurl sends a request a second time, unasked, when a connection that it had kept turns out
    // closed: what must happen once at most gets a connection of its own.
    if (request.method != "GET" && request.method != "HEAD")
      api_.curl_easy_setopt(handle_, curl::fresh_connect, 1L);
    if (request.method == "HEAD") {
      api_.curl_easy_setopt(handle_, curl::no_body, 1L);
    } else if (!request.body.empty() || request.method == "POST" || request.method == "PUT") {
      api_.curl_easy_setopt(handle_, curl::post_size,
                            static_cast<std::int64_t>(request.body.size()));
      api_.curl_easy_setopt(handle_, curl::post_fields, request.body.c_str());
      api_.curl_easy_setopt(handle_, curl::custom_request, request.method.c_str());
    } else if (request.method != "GET") {
      api_.curl_easy_setopt(handle_, curl::custom_request, request.method.c_str());
    }
  }

  void set_answer(Incoming& in) {
    api_.curl_easy_setopt(handle_, curl::write_function, &take_body);
    api_.curl_easy_setopt(handle_, curl::write_data, &in);
    api_.curl_easy_setopt(handle_, curl::header_function, &take_header);
    api_.curl_easy_setopt(handle_, curl::header_data, &in);
  }

  /// Nothing where a header has a line break in it.
  [[nodiscard]] Result<HeaderList> header_list(const HttpRequest& request) const {
    std::vector<Header> all = request.headers;
    if (!request.token.empty())
      all.push_back({"Authorization", "Bearer " + request.token.reveal()});
    all.push_back({"Expect", ""});  // no wait for "100 Continue"
    HeaderList list(nullptr, FreeList{api_.curl_slist_free_all});
    for (const Header& header : all) {
      if (!is_one_line(header)) return failure("");
      const std::string line = header.name + (header.value.empty() ? ":" : ": ") + header.value;
      curl::List* longer = api_.curl_slist_append(list.get(), line.c_str());
      if (longer == nullptr) return failure("");
      (void)list.release();
      list.reset(longer);
    }
    return list;
  }

  [[nodiscard]] tl::unexpected<Error> fault(int code, const Url& url, const HttpRequest& request,
                                            const Incoming& in) const {
    if (in.too_long)
      return failure(
          url.shown() + ": an answer of more than " + std::to_string(request.max_bytes) + " bytes",
          code);
    if (code == curl::timed_out)
      return failure(
          url.shown() + ": no answer within " + std::to_string(request.deadline.count()) + " ms",
          code);
    const std::string detail = error_[0] != '\0' ? error_.data() : api_.curl_easy_strerror(code);
    return failure(
        url.shown() + ": " + base::printable(detail) + " (curl " + std::to_string(code) + ")",
        code);
  }

  vendor::Curl api_;
  curl::Handle handle_;
  std::array<char, curl::error_size> error_{};
};

}  // namespace

Result<std::unique_ptr<Http>> make_curl_http(host::Host& host) {
  const auto loaded = vendor::load_curl(host);
  if (!loaded)
    return failure("no libcurl (" + loaded.error().detail +
                   "); install libcurl4, or give a file or folder");
  loaded->api.curl_global_init(curl::global_all);
  const curl::Handle handle = loaded->api.curl_easy_init();
  if (handle == nullptr) return failure(loaded->file + ": curl_easy_init gave nothing");
  return std::make_unique<CurlHttp>(loaded->api, handle);
}

}  // namespace gpuready::net
