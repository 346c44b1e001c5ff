#include "net/retry.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace gpuready::net {

namespace {

constexpr int too_many = 429, server_fault = 500;
/// CURLE_WRITE_ERROR: the answer is longer than was allowed, and would be so again.
constexpr int too_long = 23;

enum class Outcome { final, refused, lost };

Outcome outcome_of(const Result<HttpResponse>& response) {
  if (!response) return response.error().code == too_long ? Outcome::final : Outcome::lost;
  if (response->status == too_many) return Outcome::refused;
  return response->status >= server_fault ? Outcome::lost : Outcome::final;
}

}  // namespace

double retry_after_s(const HttpResponse& response) {
  const auto seconds = base::to_number(base::trim(response.header("retry-after")));
  constexpr double a_day = 86400;
  return seconds && *seconds > 0 ? std::min(*seconds, a_day) : 0;
}

Result<HttpResponse> exchange_patiently(Http& http, Pace& pace, const HttpRequest& request,
                                        const RetryRule& rule) {
  double wait_s = rule.first_wait_s;
  for (int lost = 0, refused = 0;;) {
    auto response = http.exchange(request);
    const Outcome outcome = outcome_of(response);
    if (outcome == Outcome::final || pace.stopped()) return response;
    const bool enough =
        outcome == Outcome::refused ? ++refused >= rule.refused_tries : ++lost >= rule.lost_tries;
    const double asked_s = response ? retry_after_s(*response) : 0;
    if (enough || asked_s > rule.most_wait_s) return response;
    pace.sleep_s(std::max(asked_s, std::min(wait_s, rule.most_wait_s)));
    if (pace.stopped()) return response;
    wait_s *= 2;
  }
}

}  // namespace gpuready::net
