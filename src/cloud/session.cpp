#include "cloud/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "cloud/cost.hpp"
#include "cloud/destroy.hpp"
#include "cloud/launch.hpp"

namespace gpuready::cloud {

namespace {

constexpr double seconds_per_minute = 60;

/// Waits are waited out while it lives.
class Finishing {
 public:
  explicit Finishing(net::Pace& pace) : pace_(pace) { pace_.finish_up(true); }
  Finishing(const Finishing&) = delete;
  Finishing& operator=(const Finishing&) = delete;
  ~Finishing() { pace_.finish_up(false); }

 private:
  net::Pace& pace_;
};

class Session {
 public:
  Session(const Desk& desk, const SessionRequest& request) : desk_(desk), request_(request) {}

  SessionResult run() {
    for (const Offer& offer : request_.offers) {
      if (desk_.pace.stopped())
        return finish(SessionEnd::stopped, "stopped before anything was rented");
      if (!is_affordable(offer) || given_up_.count(offer.provider) != 0) continue;
      const Lender lender = request_.lender_of(offer);
      if (lender.provider == nullptr) continue;
      if (!shorten_time()) return finish(SessionEnd::failed, result_.why);
      const Next next = try_offer(
          {*lender.provider, lender.base_url, desk_.ledger, desk_.pace, desk_.host}, offer);
      if (next == Next::ended) return result_;
      if (result_.machines >= request_.most_machines) break;
    }
    const std::string last = result_.why.empty() ? "no offer fits" : result_.why;
    return finish(SessionEnd::no_machine, last);
  }

 private:
  enum class Next { another_offer, ended };

  /// All machines of a session share its minutes: what was agreed to is what it costs at most.
  bool shorten_time() {
    if (started_s_ < 0) started_s_ = desk_.pace.now_s();
    const double left =
        static_cast<double>(all_minutes_) - (desk_.pace.now_s() - started_s_) / seconds_per_minute;
    request_.max_minutes = std::min(all_minutes_, static_cast<std::int64_t>(std::ceil(left)));
    if (left >= 1 || result_.machines == 0) return true;
    result_.why += "; and the time is over (--max-minutes)";
    return false;
  }

  /// Somebody else (`cloud down`, the watcher) ended it, or is about to: then nobody wants another.
  static bool was_ended_elsewhere(const Tools& t, const LedgerEntry& entry) {
    const auto entries = t.ledger.entries();
    if (!entries) return false;
    const auto found = std::ranges::find(*entries, entry.token, &LedgerEntry::token);
    return found == entries->end() || found->status == "destroying";
  }

  [[nodiscard]] bool is_affordable(const Offer& offer) const {
    return offer.usd_per_hour && *offer.usd_per_hour <= request_.max_usd_per_hour;
  }

  SessionResult finish(SessionEnd end, std::string why) {
    result_.end = end;
    result_.why = std::move(why);
    return result_;
  }

  Next pass_over(const Offer& offer, const std::string& why) {
    result_.why = why;
    if (request_.passed_over) request_.passed_over(offer, why);
    return Next::another_offer;
  }

  Next try_offer(const Tools& t, const Offer& offer) {
    result_.offer = offer;
    result_.stages.clear();
    const double start_s = t.pace.now_s();
    Launch launched = launch(t, request_, offer);
    result_.stages.push_back({"create", t.pace.now_s() - start_s});
    result_.entry = launched.rented.entry;
    switch (launched.end) {
      case LaunchEnd::created:
        break;
      case LaunchEnd::refused:
        return pass_over(offer, launched.why);
      case LaunchEnd::provider_out:
        given_up_.insert(offer.provider);
        return pass_over(offer, launched.why);
      case LaunchEnd::hopeless:
        return finish(SessionEnd::no_machine, launched.why), Next::ended;
      case LaunchEnd::unconfirmed:
        result_.created = result_.still_billing = true;
        return finish(SessionEnd::no_machine, launched.why), Next::ended;
    }
    result_.created = true;
    ++result_.machines;
    return use(t, offer, launched.rented);
  }

  /// From here on every way leads through end().
  Next use(const Tools& t, const Offer& offer, Rented& rented) {
    const Wait wait = wait_until_ready(t, request_, offer, rented, result_.stages);
    Used used;
    if (wait.end == WaitEnd::ready) {
      const double lifetime_s = static_cast<double>(request_.max_minutes) * seconds_per_minute;
      const double left_s = lifetime_s - (t.pace.now_s() - rented.asked_at_s);
      used = request_.use({offer, rented.instance, rented.identity, left_s, result_.stages});
    }
    const bool stopped = t.pace.stopped();
    const bool elsewhere = was_ended_elsewhere(t, rented.entry);
    end(t, rented);
    if (result_.still_billing) return finish(SessionEnd::failed, result_.why), Next::ended;
    if (stopped) return finish(SessionEnd::stopped, "stopped"), Next::ended;
    if (elsewhere)
      return finish(SessionEnd::failed, "the machine was ended by another gpuready"), Next::ended;
    if (wait.end == WaitEnd::dead) return pass_over(offer, wait.why);
    if (wait.end != WaitEnd::ready) return finish(SessionEnd::failed, wait.why), Next::ended;
    if (used.end == Used::End::broken_host) return pass_over(offer, used.why);
    const bool done = used.end == Used::End::done;
    return finish(done ? SessionEnd::done : SessionEnd::failed, used.why), Next::ended;
  }

  void end(const Tools& t, Rented& rented) {
    const double start_s = t.pace.now_s();
    if (request_.tell)
      request_.tell(
          {"destroy", start_s - rented.asked_at_s, usd_so_far(rented, start_s), rented.entry});
    const EndResult ended = end_entry(t, rented.entry, rented.seen);
    const double now_s = t.pace.now_s();
    result_.stages.push_back({"destroy", now_s - start_s});
    result_.instance = rented.instance;
    result_.cost_usd += usd_so_far(rented, ended.confirmed ? ended.accepted_at_s : now_s);
    result_.still_billing = !ended.confirmed;
    result_.entry.status = ended.confirmed ? "gone" : "destroying";
    if (!ended.confirmed) result_.why = ended.why;
    if (ended.confirmed && request_.at_risk) request_.at_risk(nullptr);
    ::unlink(rented.identity.known_hosts_file.c_str());
  }

  Desk desk_;
  SessionRequest request_;
  const std::int64_t all_minutes_ = request_.max_minutes;
  double started_s_ = -1;
  std::set<std::string> given_up_;  ///< providers
  SessionResult result_;
};

}  // namespace

SessionResult run_session(const Desk& desk, const SessionRequest& request) {
  return Session(desk, request).run();
}

EndResult end_entry(const Tools& tools, LedgerEntry entry, bool seen) {
  const Finishing finishing(tools.pace);
  EndResult result;
  const double age_s =
      std::max<double>(0, static_cast<double>(tools.host.now() - entry.created_at));
  if (entry.id.empty()) {
    const TokenSearch search = find_by_token(tools.provider, tools.pace, entry.token, age_s);
    result.why = search.why;
    if (search.found == Found::unknown) return result;
    if (search.found == Found::no) {
      result.confirmed = true;
      (void)tools.ledger.remove(entry.token);
      return result;
    }
    entry.id = search.instance.id, seen = true;
    for (const std::string& twin : search.twins)
      if (!destroy_until_gone(tools.provider, tools.pace, {twin, settle_s, true, 600}).confirmed) {
        result.why = "a second machine of that name, " + twin + ", could not be ended";
        return result;
      }
  }
  result.existed = true;
  entry.status = "destroying";
  (void)tools.ledger.put(entry);
  const Destroyed destroyed =
      destroy_until_gone(tools.provider, tools.pace, {entry.id, age_s, seen, 600});
  result.confirmed = destroyed.confirmed;
  result.accepted_at_s = destroyed.accepted_at_s;
  result.why = destroyed.why;
  if (destroyed.confirmed) (void)tools.ledger.remove(entry.token);
  return result;
}

}  // namespace gpuready::cloud
