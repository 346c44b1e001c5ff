#pragma once
/// The functions of libcurl (libcurl.so.4, 7.62 or newer) that we call, as in curl/curl.h.

#include <cstddef>

#include "vendor/load.hpp"

namespace gpuready::vendor {

namespace curl {
using Handle = void*;
struct List;  ///< curl_slist

inline constexpr int ok = 0;
inline constexpr int write_error = 23;
inline constexpr int timed_out = 28;
inline constexpr long global_all = 3;

/// CURLoption.
inline constexpr int write_data = 10001, url = 10002, error_buffer = 10010, post_fields = 10015,
                     user_agent = 10018, http_header = 10023, header_data = 10029,
                     custom_request = 10036, proxy = 10004;
inline constexpr int write_function = 20011, header_function = 20079, post_size = 30120;
inline constexpr int no_body = 44, follow_location = 52, fresh_connect = 74, no_signal = 99, timeout_ms = 155,
                     connect_timeout_ms = 156, protocols = 181;
/// Bits of `protocols`.
inline constexpr long protocol_http = 1, protocol_https = 2;
/// CURLINFO.
inline constexpr int response_code = 0x200002;
inline constexpr std::size_t error_size = 256;
}  // namespace curl

struct Curl {
  int (*curl_global_init)(long flags);
  curl::Handle (*curl_easy_init)();
  void (*curl_easy_reset)(curl::Handle handle);
  int (*curl_easy_setopt)(curl::Handle handle, int option, ...);
  int (*curl_easy_perform)(curl::Handle handle);
  int (*curl_easy_getinfo)(curl::Handle handle, int info, ...);
  void (*curl_easy_cleanup)(curl::Handle handle);
  const char* (*curl_easy_strerror)(int code);
  curl::List* (*curl_slist_append)(curl::List* list, const char* text);
  void (*curl_slist_free_all)(curl::List* list);

  template <class Self, class Visit>
  static void symbols(Self& s, Visit&& v) {
    v("curl_global_init", s.curl_global_init, Need::required);
    v("curl_easy_init", s.curl_easy_init, Need::required);
    v("curl_easy_reset", s.curl_easy_reset, Need::required);
    v("curl_easy_setopt", s.curl_easy_setopt, Need::required);
    v("curl_easy_perform", s.curl_easy_perform, Need::required);
    v("curl_easy_getinfo", s.curl_easy_getinfo, Need::required);
    v("curl_easy_cleanup", s.curl_easy_cleanup, Need::required);
    v("curl_easy_strerror", s.curl_easy_strerror, Need::required);
    v("curl_slist_append", s.curl_slist_append, Need::required);
    v("curl_slist_free_all", s.curl_slist_free_all, Need::required);
  }
};

/// Opens libcurl.so.4, or Debian's build of it with GnuTLS.
tl::expected<Loaded<Curl>, Missing> load_curl(host::Host& host);

}  // namespace gpuready::vendor
