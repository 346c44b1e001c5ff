#pragma once
/// The first half of a session: an intent, a machine with an id, a machine that answers.

#include <optional>
#include <string>

#include "cloud/session.hpp"

namespace gpuready::cloud {

/// A machine on its way.
struct Rented {
  LedgerEntry entry;
  Instance instance;
  bool seen = false;           ///< the provider has shown it
  double asked_at_s = 0;       ///< by the pace's clock
  double runs_since_s = -1;    ///< likewise; before 0: not seen running yet
  double disk_usd_per_hour = 0;
  net::SshIdentity identity;
};

enum class LaunchEnd {
  created,
  refused,       ///< by the provider, for this offer: another may do
  provider_out,  ///< by the provider, for every offer of it
  hopeless,      ///< by us
  unconfirmed,  ///< a machine may exist that can't be found, or could not be ended
};

struct Launch {
  LaunchEnd end = LaunchEnd::hopeless;
  Rented rented;
  std::string why;
};

/// Writes the intent, asks once, and has the id on the disk when it returns.
Launch launch(const Tools& tools, const SessionRequest& request, const Offer& offer);

enum class WaitEnd { ready, dead, stopped, out_of_time };
struct Wait {
  WaitEnd end = WaitEnd::dead;
  std::string why;
};
/// Until it carries out a command through SSH.
Wait wait_until_ready(const Tools& tools, const SessionRequest& request, const Offer& offer,
                      Rented& rented, std::vector<Stage>& stages);

/// USD so far, by the price that is billed.
double usd_so_far(const Rented& rented, double now_s);

}  // namespace gpuready::cloud
