#pragma once
/// One rented machine from the intent to the end: launch, wait, use, destroy. Whatever happens
/// between, the end is one and the same.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cloud/ledger.hpp"
#include "cloud/provider.hpp"
#include "net/ssh.hpp"

namespace gpuready::cloud {

/// What does not depend on the provider.
struct Desk {
  Ledger& ledger;
  net::Pace& pace;
  host::Host& host;
};

/// A provider, and the address that it is asked at.
struct Lender {
  Provider* provider = nullptr;
  std::string base_url;
};

struct Tools {
  Provider& provider;
  std::string base_url;
  Ledger& ledger;
  net::Pace& pace;
  host::Host& host;
};

struct Stage {
  std::string name;  ///< create, boot, ssh, copy, doctor, run, destroy
  double seconds = 0;
};

/// Where a session stands, for a line that shows time and money.
struct Progress {
  std::string_view stage;
  double elapsed_s = 0, usd = 0;
  const LedgerEntry& entry;
};

/// How the use of a machine ended.
struct Used {
  enum class End { done, broken_host, failed } end = End::failed;
  std::string why;  ///< one line, where it is not done
};

/// A machine that is ready.
struct Ready {
  const Offer& offer;
  const Instance& instance;
  const net::SshIdentity& identity;
  double seconds_left;  ///< until it must be gone
  std::vector<Stage>& stages;
};

struct SessionRequest {
  std::vector<Offer> offers;  ///< in order of preference
  double max_usd_per_hour = 0;
  std::int64_t max_minutes = 60;
  std::string private_key_file, ssh_public_key;
  std::size_t most_machines = 3;  ///< that came to be and were no good

  std::function<Lender(const Offer&)> lender_of;
  /// Starts what ends the machine if this process dies; called before the create, with the entry
  /// in the ledger. Not called where the machine ends itself.
  std::function<Result<void>(const LedgerEntry&)> guard;
  /// Whether the machine carries out a command.
  std::function<net::SshResult(const Instance&, const net::SshIdentity&)> knock;
  std::function<Used(const Ready&)> use;
  std::function<void(const Progress&)> tell;
  /// What would be left if this process ended now; nullptr: nothing.
  std::function<void(const LedgerEntry*)> at_risk;
  /// A machine that was no good, and why; the next offer follows.
  std::function<void(const Offer&, const std::string&)> passed_over;
};

enum class SessionEnd {
  done,
  stopped,      ///< by a signal
  no_machine,   ///< none could be had, or all were broken
  failed,       ///< the use failed
  not_started,  ///< nothing was asked for (the ledger, the guard)
};

struct SessionResult {
  SessionEnd end = SessionEnd::not_started;
  std::string why;  ///< one line, where it is not done
  Offer offer;      ///< of the last machine
  LedgerEntry entry;
  Instance instance;
  bool created = false;         ///< a machine came to be, or may have
  bool still_billing = false;   ///< not confirmed gone; `entry` stays in the ledger
  double cost_usd = 0;          ///< of all machines together
  std::vector<Stage> stages;    ///< of the last machine
  std::size_t machines = 0;
};

SessionResult run_session(const Desk& desk, const SessionRequest& request);

/// Ends the machine of an entry, and removes the entry once that is confirmed. Works for entries
/// whose machine's id never came, too.
struct EndResult {
  bool confirmed = false;
  bool existed = false;  ///< a machine was found
  double accepted_at_s = 0;
  std::string why;
};
EndResult end_entry(const Tools& tools, LedgerEntry entry, bool seen);

}  // namespace gpuready::cloud
