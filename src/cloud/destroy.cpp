#include "cloud/destroy.hpp"

#include <algorithm>

#include "cloud/fault.hpp"

namespace gpuready::cloud {

namespace {

/// Asking again will not help.
bool is_final(FaultKind kind) {
  return kind == FaultKind::no_key || kind == FaultKind::bad_key || kind == FaultKind::forbidden ||
         kind == FaultKind::too_old;
}

/// What get() says, in the words of this file.
enum class Look { there, ending, gone, unknown, hopeless };

class Ending {
 public:
  Ending(Provider& provider, net::Pace& pace, const DestroyRequest& request)
      : provider_(provider), pace_(pace), request_(request), seen_(request.seen) {}

  Destroyed run() {
    const double start_s = pace_.now_s();
    constexpr int most_final_faults = 2;
    for (int final_faults = 0;;) {
      const bool ending = last_ == Look::ending;
      if (!ending && !ask()) ++final_faults;
      last_ = look();
      const double age_s = request_.age_s + pace_.now_s() - start_s;
      if (last_ == Look::gone && (seen_ || age_s >= settle_s)) return confirm();
      if (last_ == Look::hopeless) ++final_faults;
      if (final_faults >= most_final_faults || pace_.now_s() - start_s >= request_.patience_s)
        return result_;
      const double left_s = request_.patience_s - (pace_.now_s() - start_s);
      pace_.sleep_s(std::max(provider_.poll_interval_s(),
                             std::min({wait_s_, longest_wait_s, std::max(left_s, 0.0)})));
    }
  }

 private:
  /// False after a fault that stays.
  bool ask() {
    const auto asked = provider_.destroy(request_.id);
    wait_s_ = 0;
    if (asked || asked.error().kind == FaultKind::gone) {
      if (result_.accepted_at_s == 0) result_.accepted_at_s = pace_.now_s();
      return true;
    }
    result_.why = asked.error().message;
    wait_s_ = asked.error().retry_after_s;
    return !is_final(asked.error().kind);
  }

  Look look() {
    const auto got = provider_.get(request_.id);
    if (!got) {
      if (got.error().kind == FaultKind::gone) return Look::gone;
      result_.why = got.error().message;
      return is_final(got.error().kind) ? Look::hopeless : Look::unknown;
    }
    if (got->state == State::gone) return Look::gone;
    seen_ = true;
    result_.why = "the provider still lists it as " + got->state_as_told;
    return got->state == State::terminating ? Look::ending : Look::there;
  }

  Destroyed confirm() {
    result_.confirmed = true;
    result_.why.clear();
    if (result_.accepted_at_s == 0) result_.accepted_at_s = pace_.now_s();
    return result_;
  }

  Provider& provider_;
  net::Pace& pace_;
  DestroyRequest request_;
  bool seen_;
  double wait_s_ = 0;
  Look last_ = Look::there;
  Destroyed result_;
};

}  // namespace

Destroyed destroy_until_gone(Provider& provider, net::Pace& pace, const DestroyRequest& request) {
  return Ending(provider, pace, request).run();
}

TokenSearch find_by_token(Provider& provider, net::Pace& pace, const std::string& token,
                          double age_s) {
  const std::string name = std::string(name_prefix) + token;
  const double start_s = pace.now_s();
  constexpr double patience_s = 4 * settle_s;
  TokenSearch search;
  while (true) {
    const auto list = provider.list();
    if (list) {
      for (const Instance& instance : *list) {
        if (instance.name != name || instance.state == State::gone) continue;
        if (search.found == Found::yes)
          search.twins.push_back(instance.id);
        else
          search.found = Found::yes, search.instance = instance, search.why.clear();
      }
      if (search.found == Found::yes) return search;
    } else {
      search.why = list.error().message;
      if (is_final(list.error().kind)) return search;
    }
    const double waited_s = pace.now_s() - start_s;
    if (list && age_s + waited_s >= settle_s) return {Found::no, {}, {}, {}};
    if (waited_s >= patience_s) return search;
    const double asked_s = list ? 0 : std::min(list.error().retry_after_s, longest_wait_s);
    pace.sleep_s(std::max(provider.poll_interval_s(), asked_s));
  }
}

}  // namespace gpuready::cloud
