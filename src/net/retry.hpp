#pragma once
/// Requests that may be repeated, repeated.

#include "net/http.hpp"
#include "net/pace.hpp"

namespace gpuready::net {

struct RetryRule {
  int lost_tries = 3;       ///< in all, where no answer came or the server had a fault (5xx)
  int refused_tries = 6;    ///< in all, where the server said "too often" (429)
  double first_wait_s = 1;  ///< doubled each time
  double most_wait_s =
      65;  ///< of one wait: limits count by the minute; a longer Retry-After ends it
};

/// Seconds of the header Retry-After; 0 where there is none, or a date (clocks differ).
double retry_after_s(const HttpResponse& response);

/// One exchange; where nothing came of it, again after a wait. Only for requests that do the same
/// when they are carried out twice. The last answer, whatever it was. Ends early when `pace` is
/// stopped.
Result<HttpResponse> exchange_patiently(Http& http, Pace& pace, const HttpRequest& request,
                                        const RetryRule& rule = {});

}  // namespace gpuready::net
