#include "net/http.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

namespace gpuready::net {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Answers in turn, and keeps what it was asked.
class ScriptedHttp : public Http {
 public:
  Result<HttpResponse> exchange(const HttpRequest& request) override {
    asked.push_back(request);
    HttpResponse response;
    if (answers.empty()) return failure("asked once more than expected");
    response.status = answers.front().first;
    if (!answers.front().second.empty()) response.headers = {{"Location", answers.front().second}};
    response.url = request.url;
    answers.pop_front();
    return response;
  }

  std::deque<std::pair<int, std::string>> answers;
  std::vector<HttpRequest> asked;
};

HttpRequest get(const std::string& url) {
  HttpRequest request;
  request.url = url;
  request.token = Secret("hidden");
  request.headers = {{"Range", "bytes=0-9"}, {"X-Api-Key", "k"}};
  return request;
}

TEST(Fetch, FollowsARedirectAndKeepsTheTokenOnTheSameServer) {
  ScriptedHttp http;
  http.answers = {{302, "/b"}, {200, ""}};
  const auto response = fetch(http, get("https://host/a"));
  ASSERT_TRUE(response) << response.error().text;
  EXPECT_EQ(response->url, "https://host/b");
  ASSERT_EQ(http.asked.size(), 2U);
  EXPECT_EQ(http.asked[1].token.reveal(), "hidden");
  EXPECT_EQ(http.asked[1].headers.size(), 2U);
}

TEST(Fetch, SendsNoTokenAndNoKeyToAnotherServer) {
  for (const char* other : {"https://cdn.host/x", "https://host:444/x"}) {
    ScriptedHttp http;
    http.answers = {{307, other}, {302, "https://host/a"}, {200, ""}};
    ASSERT_TRUE(fetch(http, get("https://host/a")));
    ASSERT_EQ(http.asked.size(), 3U);
    EXPECT_TRUE(http.asked[1].token.empty());
    EXPECT_EQ(http.asked[1].headers.size(), 1U);
    EXPECT_EQ(http.asked[1].headers[0].name, "Range");
    // Nor on the way back: the other server could have made the address.
    EXPECT_TRUE(http.asked[2].token.empty());
  }
}

TEST(Fetch, GoesNeitherToPlainHttpNorBackToThisMachine) {
  ScriptedHttp plain;
  plain.answers = {{302, "http://host/b"}};
  EXPECT_THAT(fetch(plain, get("https://host/a")).error().text, HasSubstr("use https"));
  ScriptedHttp local;
  local.answers = {{302, "http://127.0.0.1:22/"}};
  EXPECT_THAT(fetch(local, get("https://host/a")).error().text,
              HasSubstr("a redirect to this machine (http://127.0.0.1:22/), refused"));
  ScriptedHttp none;
  EXPECT_THAT(fetch(none, get("http://host/a")).error().text, HasSubstr("use https"));
  EXPECT_THAT(none.asked, IsEmpty());
}

TEST(Fetch, EndsARoundOfRedirects) {
  ScriptedHttp http;
  for (int i = 0; i < 9; ++i) http.answers.emplace_back(302, "https://host/a");
  EXPECT_THAT(fetch(http, get("https://host/a")).error().text, HasSubstr("more than 5 redirects"));
  EXPECT_EQ(http.asked.size(), 6U);
}

TEST(Fetch, LeavesRedirectsOfOtherMethodsToTheCaller) {
  ScriptedHttp http;
  http.answers = {{302, "https://other/"}};
  HttpRequest request = get("https://host/a");
  request.method = "DELETE";
  EXPECT_EQ(fetch(http, request)->status, 302);
  EXPECT_EQ(http.asked.size(), 1U);
}

TEST(Fetch, GivesAnyOtherStatusAsItIs) {
  ScriptedHttp http;
  http.answers = {{404, ""}};
  EXPECT_EQ(fetch(http, get("https://host/a"))->status, 404);
}

TEST(HttpResponseHeader, IsFoundInAnyCase) {
  HttpResponse response;
  response.headers = {{"Content-Range", "bytes 0-1/2"}, {"content-range", "later"}};
  EXPECT_EQ(response.header("CONTENT-RANGE"), "bytes 0-1/2");
  EXPECT_EQ(response.header("x"), "");
}

}  // namespace
}  // namespace gpuready::net
