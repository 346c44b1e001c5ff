#include "cloud/launch.hpp"

#include <algorithm>

#include "cloud/cost.hpp"
#include "cloud/dead_man.hpp"
#include "cloud/destroy.hpp"

namespace gpuready::cloud {

namespace {

constexpr std::int64_t seconds_per_minute = 60;

LedgerEntry intent(const Tools& tools, const SessionRequest& request, const Offer& offer,
                   const std::string& token) {
  LedgerEntry entry;
  entry.token = token;
  entry.provider = tools.provider.name();
  entry.base_url = tools.base_url;
  entry.gpu = offer.gpu;
  entry.gpu_count = offer.gpu_count;
  entry.usd_per_hour = offer.usd_per_hour ? *offer.usd_per_hour : 0;
  entry.created_at = tools.host.now();
  entry.deadline_at = entry.created_at + request.max_minutes * seconds_per_minute;
  entry.status = "creating";
  set_owner(tools.host, entry);
  return entry;
}

CreateRequest create_request(const Tools& tools, const SessionRequest& request, const Offer& offer,
                             const LedgerEntry& entry) {
  CreateRequest create;
  create.offer = offer;
  create.name = std::string(name_prefix) + entry.token;
  create.ssh_public_key = request.ssh_public_key;
  create.max_minutes = request.max_minutes;
  if (tools.provider.protection() == Protection::in_machine_timer)
    create.start_script = dead_man_script(entry.provider, request.max_minutes);
  return create;
}

/// Does this fault of create() end the search for a machine with this provider?
bool is_hopeless(FaultKind kind) {
  return kind == FaultKind::no_key || kind == FaultKind::bad_key || kind == FaultKind::forbidden ||
         kind == FaultKind::no_money || kind == FaultKind::too_old ||
         kind == FaultKind::rate_limited;
}

void show_risk(const SessionRequest& request, const LedgerEntry* entry) {
  if (request.at_risk) request.at_risk(entry);
}

/// The entry of a machine that never came to be.
Launch forget(const Tools& tools, Launch launch) {
  if (const auto removed = tools.ledger.remove(launch.rented.entry.token); !removed)
    launch.end = LaunchEnd::hopeless, launch.why += "; " + removed.error().text;
  return launch;
}

/// With the id on the disk before anything else.
Launch adopt(const Tools& tools, Launch launch, const std::string& id) {
  launch.rented.entry.id = id;
  launch.rented.entry.status = "running";
  launch.rented.instance.id = id;
  launch.rented.instance.provider = launch.rented.entry.provider;
  launch.end = LaunchEnd::created;
  if (const auto put = tools.ledger.put(launch.rented.entry); !put) {
    // It can't be written down, so it must not live on.
    const EndResult ended = end_entry(tools, launch.rented.entry, launch.rented.seen);
    launch.end = ended.confirmed ? LaunchEnd::hopeless : LaunchEnd::unconfirmed;
    launch.why = put.error().text;
  }
  return launch;
}

/// A request that arrived twice made two machines of one name: one is enough.
bool end_twins(const Tools& tools, const TokenSearch& search) {
  return std::ranges::all_of(search.twins, [&](const std::string& id) {
    return destroy_until_gone(tools.provider, tools.pace, {id, settle_s, true, 600}).confirmed;
  });
}

/// The reply was lost: whether there is a machine only the list can tell. Never asks again.
Launch reconcile(const Tools& tools, Launch launch) {
  // Counted from now: the provider may have carried it out as late as this.
  tools.pace.finish_up(true);
  const TokenSearch search =
      find_by_token(tools.provider, tools.pace, launch.rented.entry.token, 0);
  const bool twins_ended = end_twins(tools, search);
  tools.pace.finish_up(false);
  if (!twins_ended) {
    launch.end = LaunchEnd::unconfirmed;
    launch.why += "; two machines came of it, and one of them could not be ended";
    return launch;
  }
  if (search.found == Found::yes) {
    launch.rented.seen = true;
    launch.rented.instance = search.instance;
    return adopt(tools, std::move(launch), search.instance.id);
  }
  if (search.found == Found::no) {
    launch.end = LaunchEnd::refused;
    return forget(tools, std::move(launch));
  }
  launch.end = LaunchEnd::unconfirmed;
  launch.why += "; and whether there is a machine can't be told: " + search.why;
  return launch;
}

/// An error that names a machine all the same (Vast makes a stopped one, which bills its disk).
Launch end_stillborn(const Tools& tools, Launch launch, const std::string& id) {
  launch.rented.entry.id = id;
  launch.rented.entry.status = "destroying";
  (void)tools.ledger.put(launch.rented.entry);
  const EndResult ended = end_entry(tools, launch.rented.entry, false);
  launch.end = ended.confirmed ? LaunchEnd::refused : LaunchEnd::unconfirmed;
  if (!ended.confirmed) launch.why += "; " + ended.why;
  return launch;
}

Launch not_created(const Tools& tools, Launch launch, const Fault& fault) {
  launch.why = fault.message;
  if (!fault.instance_id.empty()) return end_stillborn(tools, std::move(launch), fault.instance_id);
  if (may_have_happened(fault.kind)) return reconcile(tools, std::move(launch));
  launch.end = is_hopeless(fault.kind) ? LaunchEnd::provider_out : LaunchEnd::refused;
  return forget(tools, std::move(launch));
}

/// The moment of asking is on the disk before it is asked: what a list may lag behind, and the time
/// that the machine has, count from here.
Result<void> note_asking(const Tools& tools, std::int64_t max_minutes, Rented& rented) {
  rented.asked_at_s = tools.pace.now_s();
  rented.entry.created_at = tools.host.now();
  rented.entry.deadline_at = rented.entry.created_at + max_minutes * seconds_per_minute;
  return tools.ledger.put(rented.entry);
}

/// "Too often" is a plain no, so that asking again later makes no second machine. Nothing else is
/// asked twice.
Answer<std::string> create_patiently(const Tools& tools, const CreateRequest& request,
                                     Rented& rented) {
  constexpr int most_tries = 3;
  constexpr double least_wait_s = 15;  // Lambda: five launches a minute
  for (int tries = 1;; ++tries) {
    if (tools.pace.stopped())
      return tl::unexpected(Fault{FaultKind::refused, "", "stopped", 0, ""});
    if (const auto noted = note_asking(tools, request.max_minutes, rented); !noted)
      return tl::unexpected(Fault{FaultKind::refused, "", noted.error().text, 0, ""});
    auto created = tools.provider.create(request);
    if (created || tries >= most_tries) return created;
    const Fault& fault = created.error();
    if (fault.kind != FaultKind::rate_limited || !fault.instance_id.empty() ||
        fault.retry_after_s > longest_wait_s)
      return created;
    tools.pace.sleep_s(std::max(least_wait_s, fault.retry_after_s));
  }
}

/// One look at a machine that is not ready yet.
class Waiting {
 public:
  Waiting(const Tools& tools, const SessionRequest& request, const Offer& offer, Rented& rented,
          std::vector<Stage>& stages)
      : t_(tools), request_(request), offer_(offer), rented_(rented), stages_(stages) {}

  Wait run() {
    const double start_s = t_.pace.now_s();
    const double boot_s = t_.provider.boot_deadline_s(offer_);
    const double lifetime_s = static_cast<double>(request_.max_minutes * seconds_per_minute);
    while (true) {
      if (t_.pace.stopped()) return {WaitEnd::stopped, "stopped"};
      tell();
      if (auto end = look()) return *end;
      const double now_s = t_.pace.now_s();
      if (now_s - rented_.asked_at_s >= lifetime_s)
        return {WaitEnd::out_of_time, "not ready when its time was over" + because()};
      if (now_s - start_s >= boot_s) return {WaitEnd::dead, "did not come up in time" + because()};
      t_.pace.sleep_s(t_.provider.poll_interval_s());
    }
  }

 private:
  [[nodiscard]] std::string because() const { return last_.empty() ? "" : " (" + last_ + ")"; }

  void tell() {
    if (!request_.tell) return;
    const double now_s = t_.pace.now_s();
    request_.tell({running_ ? "ssh" : "boot", now_s - rented_.asked_at_s,
                   usd_so_far(rented_, now_s), rented_.entry});
  }

  void end_stage(const char* name) {
    const double now_s = t_.pace.now_s();
    stages_.push_back({name, now_s - stage_start_s_});
    stage_start_s_ = now_s;
  }

  std::optional<Wait> look() {
    const auto got = t_.provider.get(rented_.entry.id);
    if (!got) return judge_fault(got.error());
    if (got->state == State::gone) return judge_absence();
    rented_.seen = true;
    rented_.instance = *got;
    last_ = "it is " + got->state_as_told;
    if (!got->dead_because.empty()) return Wait{WaitEnd::dead, got->dead_because};
    if (got->state == State::stopped || got->state == State::unhealthy ||
        got->state == State::terminating)
      return Wait{WaitEnd::dead, "the provider says that it is " + got->state_as_told};
    // Half a cent is rounding of what was shown before.
    constexpr double rounding_usd = 0.005;
    if (got->usd_per_hour && *got->usd_per_hour > request_.max_usd_per_hour + rounding_usd)
      return Wait{WaitEnd::dead, "it costs more than was offered"};
    if (got->state == State::running && rented_.runs_since_s < 0)
      rented_.runs_since_s = t_.pace.now_s();
    attach();
    if (got->state != State::running || !got->ssh) return {};
    if (!running_) running_ = true, end_stage("boot");
    return knock();
  }

  std::optional<Wait> judge_fault(const Fault& fault) {
    if (fault.kind == FaultKind::gone) return judge_absence();
    last_ = fault.message;
    const bool final = fault.kind == FaultKind::bad_key || fault.kind == FaultKind::forbidden ||
                       fault.kind == FaultKind::too_old;
    if (final) return Wait{WaitEnd::out_of_time, fault.message};
    return {};
  }

  /// A machine that was asked for a moment ago may not show yet.
  std::optional<Wait> judge_absence() {
    if (!rented_.seen && t_.pace.now_s() - rented_.asked_at_s < settle_s) return {};
    return Wait{WaitEnd::dead, "the provider says that there is no such machine any more"};
  }

  void attach() {
    if (attached_) return;
    const auto attached = t_.provider.attach_key(rented_.entry.id, request_.ssh_public_key);
    attached_ = attached.has_value();
    if (!attached) last_ = attached.error().message;
  }

  std::optional<Wait> knock() {
    const net::SshResult answer = request_.knock(rented_.instance, rented_.identity);
    if (answer.end == net::SshEnd::done && answer.code == 0) {
      rented_.identity.met_before = true;
      end_stage("ssh");
      return Wait{WaitEnd::ready, ""};
    }
    last_ = answer.why;
    // The first key that it showed is in the file; another one is another machine.
    if (answer.end == net::SshEnd::wrong_host_key) return Wait{WaitEnd::dead, answer.why};
    if (answer.end == net::SshEnd::no_ssh) return Wait{WaitEnd::out_of_time, answer.why};
    return {};
  }

  const Tools& t_;
  const SessionRequest& request_;
  const Offer& offer_;
  Rented& rented_;
  std::vector<Stage>& stages_;
  double stage_start_s_ = t_.pace.now_s();
  bool running_ = false, attached_ = false;
  std::string last_;
};

}  // namespace

double usd_so_far(const Rented& rented, double now_s) {
  // Of a machine that ended by itself some say 0.
  const double told = rented.instance.usd_per_hour.value_or(0);
  const double price = told > 0 ? told : rented.entry.usd_per_hour;
  const double ran_s = rented.runs_since_s < 0 ? 0 : now_s - rented.runs_since_s;
  return cost_usd(rented.entry.provider,
                  {price, rented.disk_usd_per_hour, now_s - rented.asked_at_s, ran_s});
}

Launch launch(const Tools& tools, const SessionRequest& request, const Offer& offer) {
  Launch launch;
  const auto token = new_token();
  if (!token) return {LaunchEnd::hopeless, {}, token.error().text};
  launch.rented.entry = intent(tools, request, offer, *token);
  if (offer.disk_usd_per_hour) launch.rented.disk_usd_per_hour = *offer.disk_usd_per_hour;
  const std::string alias = std::string(name_prefix) + *token;
  launch.rented.identity = {request.private_key_file,
                            tools.ledger.folder() + "/" + alias + ".hosts", alias, false};
  CreateRequest create = create_request(tools, request, offer, launch.rented.entry);
  const auto key_name = tools.provider.register_key(request.ssh_public_key);
  if (!key_name) return {LaunchEnd::provider_out, {}, key_name.error().message};
  create.ssh_key_name = *key_name;
  if (const auto put = tools.ledger.put(launch.rented.entry); !put)
    return {LaunchEnd::hopeless, {}, put.error().text};
  if (request.guard && tools.provider.protection() == Protection::local_reaper) {
    if (const auto guarded = request.guard(launch.rented.entry); !guarded) {
      launch.why = guarded.error().text;
      return forget(tools, std::move(launch));
    }
  }
  show_risk(request, &launch.rented.entry);
  launch.rented.asked_at_s = tools.pace.now_s();
  const auto created = create_patiently(tools, create, launch.rented);
  launch = created ? adopt(tools, std::move(launch), *created)
                   : not_created(tools, std::move(launch), created.error());
  const bool exists = launch.end == LaunchEnd::created || launch.end == LaunchEnd::unconfirmed;
  show_risk(request, exists ? &launch.rented.entry : nullptr);
  return launch;
}

Wait wait_until_ready(const Tools& tools, const SessionRequest& request, const Offer& offer,
                      Rented& rented, std::vector<Stage>& stages) {
  return Waiting(tools, request, offer, rented, stages).run();
}

}  // namespace gpuready::cloud
