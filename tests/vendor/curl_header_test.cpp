/// Compares vendor::Curl with curl/curl.h, where it is there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/real_host.hpp"
#include "vendor/curl.hpp"

#ifdef GPUREADY_HAVE_CURL_HEADER
#include <curl/curl.h>

#include "tests/vendor/declarations.hpp"
#endif

namespace gpuready::vendor {
namespace {

#ifdef GPUREADY_HAVE_CURL_HEADER

static_assert(curl::ok == CURLE_OK);
static_assert(curl::write_error == CURLE_WRITE_ERROR);
static_assert(curl::timed_out == CURLE_OPERATION_TIMEDOUT);
static_assert(curl::global_all == CURL_GLOBAL_ALL);
static_assert(curl::write_data == CURLOPT_WRITEDATA);
static_assert(curl::url == CURLOPT_URL);
static_assert(curl::error_buffer == CURLOPT_ERRORBUFFER);
static_assert(curl::post_fields == CURLOPT_POSTFIELDS);
static_assert(curl::user_agent == CURLOPT_USERAGENT);
static_assert(curl::http_header == CURLOPT_HTTPHEADER);
static_assert(curl::header_data == CURLOPT_HEADERDATA);
static_assert(curl::custom_request == CURLOPT_CUSTOMREQUEST);
static_assert(curl::fresh_connect == CURLOPT_FRESH_CONNECT);
static_assert(curl::proxy == CURLOPT_PROXY);
static_assert(curl::write_function == CURLOPT_WRITEFUNCTION);
static_assert(curl::header_function == CURLOPT_HEADERFUNCTION);
static_assert(curl::post_size == CURLOPT_POSTFIELDSIZE_LARGE);
static_assert(curl::no_body == CURLOPT_NOBODY);
static_assert(curl::follow_location == CURLOPT_FOLLOWLOCATION);
static_assert(curl::no_signal == CURLOPT_NOSIGNAL);
static_assert(curl::timeout_ms == CURLOPT_TIMEOUT_MS);
static_assert(curl::connect_timeout_ms == CURLOPT_CONNECTTIMEOUT_MS);
static_assert(static_cast<int>(curl::protocols) == 181);  // CURLOPT_PROTOCOLS, deprecated in 7.85
static_assert(curl::protocol_http == CURLPROTO_HTTP);
static_assert(curl::protocol_https == CURLPROTO_HTTPS);
static_assert(curl::response_code == CURLINFO_RESPONSE_CODE);
static_assert(curl::error_size == CURL_ERROR_SIZE);

TEST(CurlHeader, DeclaresEveryFunctionAsWeDo) {
  const std::vector<declarations::Compared> compared{
      GPUREADY_COMPARE(Curl, curl_global_init),  GPUREADY_COMPARE(Curl, curl_easy_init),
      GPUREADY_COMPARE(Curl, curl_easy_reset),   GPUREADY_COMPARE(Curl, curl_easy_setopt),
      GPUREADY_COMPARE(Curl, curl_easy_perform), GPUREADY_COMPARE(Curl, curl_easy_getinfo),
      GPUREADY_COMPARE(Curl, curl_easy_cleanup), GPUREADY_COMPARE(Curl, curl_easy_strerror),
      GPUREADY_COMPARE(Curl, curl_slist_append), GPUREADY_COMPARE(Curl, curl_slist_free_all)};
  EXPECT_THAT(declarations::faults<Curl>(compared), ::testing::IsEmpty());
}

#else

TEST(CurlHeader, DeclaresEveryFunctionAsWeDo) {
  GTEST_SKIP() << "SKIPPED: no curl/curl.h (package libcurl4-openssl-dev)";
}

#endif

TEST(CurlLibrary, OpensWhereItIsInstalled) {
  const auto machine = host::make_real_host();
  const auto curl = load_curl(*machine);
  if (!curl) GTEST_SKIP() << "SKIPPED: " << curl.error().detail;
  EXPECT_THAT(curl->file, ::testing::HasSubstr("libcurl"));
}

}  // namespace
}  // namespace gpuready::vendor
