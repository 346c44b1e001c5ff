#include "net/url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuready::net {
namespace {

using ::testing::HasSubstr;

TEST(Url, IsReadInItsParts) {
  const Url url = *parse_url("HTTPS://HuggingFace.co/a/b?c=d#e");
  EXPECT_EQ(url.scheme, "https");
  EXPECT_EQ(url.host, "huggingface.co");
  EXPECT_EQ(url.port, 443);
  EXPECT_EQ(url.path, "/a/b?c=d");
  EXPECT_EQ(url.text(), "https://huggingface.co/a/b?c=d");
  EXPECT_EQ(url.shown(), "https://huggingface.co/a/b");
  EXPECT_EQ(parse_url("http://[::1]:8080")->text(), "http://[::1]:8080/");
  EXPECT_EQ(parse_url("http://127.0.0.1:80/x")->text(), "http://127.0.0.1/x");
  EXPECT_EQ(parse_url("https://host?x")->path, "/?x");
}

TEST(Url, IsRefusedWhereItCouldMeanAnotherServer) {
  for (const char* text :
       {"", "host", "ftp://host/", "file:///etc/passwd", "https://", "https:///x", "https://a b/",
        "https://a\r\nHost: b/", "https://host:0/", "https://host:99999/", "https://host:x/",
        "https://user@host/", "https://huggingface.co@evil.org/",
        "https://evil.org\\@huggingface.co/", "https://h\xC3\xB6st/"})
    EXPECT_FALSE(parse_url(text)) << text;
  EXPECT_THAT(parse_url("https://u:secret@h/").error().text, ::testing::Not(HasSubstr("secret")));
  EXPECT_THAT(parse_url("ftp://h/?key=secret").error().text, ::testing::Not(HasSubstr("secret")));
}

TEST(Url, FollowsRelativeLocations) {
  const Url from = *parse_url("https://host/a/b/c?q=1");
  const auto to = [&](const char* location) { return resolve_url(from, location)->text(); };
  EXPECT_EQ(to("https://other/x"), "https://other/x");
  EXPECT_EQ(to("//other/x"), "https://other/x");
  EXPECT_EQ(to("/x?to=http://y"), "https://host/x?to=http://y");
  EXPECT_EQ(to("x"), "https://host/a/b/x");
  EXPECT_FALSE(resolve_url(from, "ftp://x"));
}

TEST(Url, KnowsThisMachineAndTheSameServer) {
  for (const char* text :
       {"http://localhost/", "http://127.0.0.1:5/", "http://127.9.9.9/", "http://[::1]/"}) {
    EXPECT_TRUE(parse_url(text)->is_loopback()) << text;
    EXPECT_TRUE(check_transport(*parse_url(text))) << text;
  }
  for (const char* text : {"http://localhost.evil.org/", "http://127.0.0.1.evil.org/",
                           "http://127.evil.a.b/", "http://10.0.0.1/", "http://huggingface.co/"}) {
    EXPECT_FALSE(parse_url(text)->is_loopback()) << text;
    EXPECT_THAT(check_transport(*parse_url(text)).error().text, HasSubstr("use https")) << text;
  }
  const Url a = *parse_url("https://host/");
  EXPECT_TRUE(a.same_server(*parse_url("https://HOST:443/x")));
  EXPECT_FALSE(a.same_server(*parse_url("http://host:443/")));
  EXPECT_FALSE(a.same_server(*parse_url("https://host:444/")));
  EXPECT_FALSE(a.same_server(*parse_url("https://www.host/")));
}

TEST(Url, EscapesWhatIsNoPartOfAName) {
  EXPECT_EQ(escape_url("a-b_c.d~e/f g\xC3\xA9?"), "a-b_c.d~e%2Ff%20g%C3%A9%3F");
}

}  // namespace
}  // namespace gpuready::net
