#include "net/retry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

namespace gpuready::net {
namespace {

using ::testing::ElementsAre;

constexpr int too_long = 23;  // libcurl's code

/// Plays answers in order; the last one again and again. 0 is a lost connection.
class Script : public Http, public Pace {
 public:
  explicit Script(std::deque<int> statuses) : statuses_(std::move(statuses)) {}

  Result<HttpResponse> exchange(const HttpRequest& /*request*/) override {
    ++asked;
    const int status = statuses_.front();
    if (statuses_.size() > 1) statuses_.pop_front();
    if (status == 0) return failure("lost", code);
    HttpResponse response;
    response.status = status;
    if (!retry_after.empty()) response.headers = {{"Retry-After", retry_after}};
    return response;
  }
  double now_s() override { return 0; }
  void sleep_s(double seconds) override { slept.push_back(seconds); }
  bool stopped() override { return stops; }

  int asked = 0, code = 7;
  std::string retry_after;
  std::vector<double> slept;
  bool stops = false;

 private:
  std::deque<int> statuses_;
};

TEST(Retry, ALostConnectionAndAServersFaultAreTriedThreeTimes) {
  for (const int status : {0, 500, 502, 503}) {
    Script script({status});
    (void)exchange_patiently(script, script, {});
    EXPECT_EQ(script.asked, 3) << status;
    EXPECT_THAT(script.slept, ElementsAre(1, 2));
  }
  Script recovers({0, 503, 200});
  EXPECT_EQ(exchange_patiently(recovers, recovers, {})->status, 200);
}

TEST(Retry, AnAnswerIsAnAnswer) {
  for (const int status : {200, 204, 301, 400, 401, 404, 410, 422}) {
    Script script({status});
    EXPECT_EQ(exchange_patiently(script, script, {})->status, status);
    EXPECT_EQ(script.asked, 1);
  }
  Script script({0});
  script.code = too_long;
  EXPECT_FALSE(exchange_patiently(script, script, {}));
  EXPECT_EQ(script.asked, 1) << "it would be too long again";
}

TEST(Retry, TooOftenIsWaitedForAsTheServerSays) {
  Script script({429, 429, 200});
  script.retry_after = "7";
  EXPECT_EQ(exchange_patiently(script, script, {})->status, 200);
  EXPECT_THAT(script.slept, ElementsAre(7, 7));
  Script forever({429});
  EXPECT_EQ(exchange_patiently(forever, forever, {})->status, 429);
  EXPECT_EQ(forever.asked, 6);
  Script long_wait({429});
  long_wait.retry_after = "3600";
  EXPECT_EQ(exchange_patiently(long_wait, long_wait, {})->status, 429);
  EXPECT_EQ(long_wait.asked, 1);
}

TEST(Retry, AStopEndsIt) {
  Script script({503});
  script.stops = true;
  (void)exchange_patiently(script, script, {});
  EXPECT_EQ(script.asked, 1);
  EXPECT_TRUE(script.slept.empty());
}

TEST(Retry, ADateOrNonsenseInRetryAfterIsNone) {
  for (const char* text : {"", "Tue, 01 Dec 2026 00:00:00 GMT", "-5", "nan", "soon"}) {
    HttpResponse response;
    response.headers = {{"Retry-After", text}};
    EXPECT_EQ(retry_after_s(response), 0) << text;
  }
}

}  // namespace
}  // namespace gpuready::net
