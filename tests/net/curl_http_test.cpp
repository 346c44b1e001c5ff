/// The real libcurl against a real server on this machine.

#include "net/curl_http.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include "base/json.hpp"
#include "host/real_host.hpp"
#include "host/recorded_host.hpp"
#include "tests/net/server.hpp"

namespace gpuready::net {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CurlHttp : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = std::make_unique<Server>(); }
  static void TearDownTestSuite() { server_.reset(); }

  void SetUp() override {
    ASSERT_FALSE(server_->url.empty());
    auto http = make_curl_http(*machine_);
    if (!http) GTEST_SKIP() << "SKIPPED: " << http.error().text;
    http_ = std::move(*http);
  }

  static HttpRequest request(const std::string& path) {
    HttpRequest request;
    request.url = server_->url + path;
    return request;
  }

  static std::unique_ptr<Server> server_;
  std::unique_ptr<host::Host> machine_ = host::make_real_host();
  std::unique_ptr<Http> http_;
};

std::unique_ptr<Server> CurlHttp::server_;

TEST_F(CurlHttp, SendsMethodHeadersTokenAndBody) {
  HttpRequest post = request("/echo?q=1");
  post.method = "POST";
  post.body = R"({"gpu":"T4"})";
  post.headers = {{"Content-Type", "application/json"}, {"Accept", "application/json"}};
  post.token = Secret("hidden");
  const auto response = fetch(*http_, post);
  ASSERT_TRUE(response) << response.error().text;
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->header("x-test"), "yes");
  const auto told = base::parse_json(response->body);
  ASSERT_TRUE(told);
  EXPECT_EQ((*told)["method"], "POST");
  EXPECT_EQ((*told)["path"], "/echo?q=1");
  EXPECT_EQ((*told)["body"], post.body);
  EXPECT_EQ((*told)["headers"]["content-type"], "application/json");
  EXPECT_EQ((*told)["headers"]["authorization"], "Bearer hidden");
  EXPECT_THAT((*told)["headers"]["user-agent"].get<std::string>(), HasSubstr("gpuready/"));
}

TEST_F(CurlHttp, ForgetsTheLastRequest) {
  HttpRequest post = request("/echo");
  post.method = "POST", post.body = "x", post.token = Secret("hidden");
  ASSERT_TRUE(http_->exchange(post));
  const auto told = base::parse_json(http_->exchange(request("/echo"))->body);
  EXPECT_EQ((*told)["method"], "GET");
  EXPECT_EQ((*told)["body"], "");
  EXPECT_FALSE((*told)["headers"].contains("authorization"));
  HttpRequest remove = request("/echo");
  remove.method = "DELETE";
  EXPECT_EQ((*base::parse_json(http_->exchange(remove)->body))["method"], "DELETE");
  HttpRequest head = request("/bytes?n=10");
  head.method = "HEAD";
  const auto response = http_->exchange(head);
  EXPECT_EQ(response->header("content-length"), "10");
  EXPECT_EQ(response->body, "");
}

TEST_F(CurlHttp, GetsARange) {
  HttpRequest part = request("/bytes?n=1000");
  part.headers = {{"Range", "bytes=10-12"}};
  const auto response = http_->exchange(part);
  ASSERT_TRUE(response) << response.error().text;
  EXPECT_EQ(response->status, 206);
  EXPECT_EQ(response->body, "\x0a\x0b\x0c");
  EXPECT_EQ(response->header("content-range"), "bytes 10-12/1000");
}

TEST_F(CurlHttp, SendsTheTokenToNoOtherServer) {
  HttpRequest away = request("/redirect?to=" + server_->other_url + "/echo");
  away.token = Secret("hidden");
  auto told = base::parse_json(fetch(*http_, away)->body);
  EXPECT_FALSE((*told)["headers"].contains("authorization"));
  HttpRequest here = request("/redirect?to=/echo");
  here.token = Secret("hidden");
  told = base::parse_json(fetch(*http_, here)->body);
  EXPECT_EQ((*told)["headers"]["authorization"], "Bearer hidden");
}

TEST_F(CurlHttp, DoesNotFollowByItself) {
  EXPECT_EQ(http_->exchange(request("/redirect?to=/echo"))->status, 302);
}

TEST_F(CurlHttp, RefusesMoreBytesThanAreWanted) {
  HttpRequest large = request("/bytes?n=100000");
  large.max_bytes = 99999;
  EXPECT_THAT(http_->exchange(large).error().text,
              HasSubstr("/bytes: an answer of more than 99999 bytes"));
  large.max_bytes = 100000;
  EXPECT_EQ(http_->exchange(large)->body.size(), 100000U);
}

TEST_F(CurlHttp, TellsInOneLineWhyThereIsNoAnswer) {
  HttpRequest silent = request("/silent?key=hidden");
  silent.deadline = std::chrono::milliseconds(200);
  const auto late = http_->exchange(silent);
  EXPECT_THAT(late.error().text, HasSubstr("/silent: no answer within 200 ms"));
  EXPECT_THAT(late.error().text, Not(HasSubstr("hidden")));
  EXPECT_THAT(http_->exchange(request("/cut")).error().text, HasSubstr("(curl 18)"));
  HttpRequest nobody;
  nobody.url = "http://127.0.0.1:1/";
  EXPECT_THAT(http_->exchange(nobody).error().text, HasSubstr("http://127.0.0.1:1/: "));
  EXPECT_THAT(http_->exchange(nobody).error().text, HasSubstr("(curl 7)"));
}

TEST_F(CurlHttp, RefusesPlainHttpToOthersAndHeadersOfTwoLines) {
  HttpRequest plain;
  plain.url = "http://example.org/";
  EXPECT_THAT(http_->exchange(plain).error().text, HasSubstr("use https"));
  HttpRequest split = request("/echo");
  split.headers = {{"X", "a\r\nAuthorization: b"}};
  EXPECT_THAT(http_->exchange(split).error().text, HasSubstr("more than one line"));
}

/// Answers the first request, closes the connection at the second without a byte, answers what comes
/// after that; counts.
class ForgetfulServer {
 public:
  ForgetfulServer() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET, address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    ::listen(socket_, 8);
    socklen_t length = sizeof address;
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
    accepting_ = std::thread([this] { accept_all(); });
  }
  ForgetfulServer(const ForgetfulServer&) = delete;
  ForgetfulServer& operator=(const ForgetfulServer&) = delete;
  ~ForgetfulServer() {
    ::shutdown(socket_, SHUT_RDWR);
    accepting_.join();
    for (const int fd : connections_) ::shutdown(fd, SHUT_RDWR);
    for (std::thread& one : serving_) one.join();
    for (const int fd : connections_) ::close(fd);
    ::close(socket_);
  }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }
  [[nodiscard]] int requests() const { return requests_; }

 private:
  void accept_all() {
    for (int fd = ::accept(socket_, nullptr, nullptr); fd >= 0;
         fd = ::accept(socket_, nullptr, nullptr)) {
      connections_.push_back(fd);
      serving_.emplace_back([this, fd] { serve(fd); });
    }
  }
  void serve(int fd) {
    std::array<char, 4096> buffer{};
    while (::read(fd, buffer.data(), buffer.size()) > 0) {
      if (++requests_ == 2) break;
      const std::string reply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
      if (::write(fd, reply.data(), reply.size()) < 0) break;
    }
    ::shutdown(fd, SHUT_RDWR);
  }

  int socket_;
  int port_ = 0;
  std::atomic<int> requests_{0};
  std::vector<int> connections_;
  std::vector<std::thread> serving_;
  std::thread accepting_;
};

TEST_F(CurlHttp, NeverSendsTwiceWhatMayHappenOnce) {
  for (const char* method : {"POST", "PUT", "DELETE"}) {
    ForgetfulServer server;
    HttpRequest request;
    request.url = server.url();
    ASSERT_TRUE(http_->exchange(request));
    request.method = method;
    if (request.method != "DELETE") request.body = "{}";
    EXPECT_FALSE(http_->exchange(request)) << method;
    EXPECT_EQ(server.requests(), 2) << method;
  }
}

TEST(CurlHttpLibrary, IsMissedWithTheNextStep) {
  host::RecordedHost machine{host::Recording{}};
  const auto http = make_curl_http(machine);
  ASSERT_FALSE(http);
  EXPECT_THAT(http.error().text, HasSubstr("libcurl.so.4"));
  EXPECT_THAT(http.error().text, HasSubstr("install libcurl4"));
}

}  // namespace
}  // namespace gpuready::net
