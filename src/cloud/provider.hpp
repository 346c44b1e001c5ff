#pragma once
/// What a provider of rented machines can do, in one vocabulary. One file per provider implements
/// it; providers.cpp lists them.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/gpus.hpp"
#include "gpuready/offers.hpp"
#include "gpuready/result.hpp"
#include "net/http.hpp"
#include "net/pace.hpp"
#include "net/secret.hpp"
#include "net/ssh.hpp"

namespace gpuready::cloud {

enum class FaultKind {
  no_key,        ///< no API key was found
  bad_key,       ///< the provider doesn't know the key
  forbidden,     ///< the key may not do this
  gone,          ///< the thing asked for does not exist (any more)
  no_capacity,   ///< nothing of this kind is free now: take another offer
  no_money,      ///< the account has no balance: stop
  rate_limited,  ///< asked too often, after our own waits
  too_old,       ///< 410: this gpuready is older than the interface
  refused,       ///< the request was wrong or not allowed now; the same again won't help
  busy,          ///< not allowed in this state; later it may be (terminate while booting)
  network,       ///< no answer: whether the request was carried out is not known
  garbled,       ///< an answer that is not what the interface promises
  server,        ///< the provider's own fault (5xx)
};

/// Why a call failed. Texts hold no secret and no control characters.
struct Fault {
  FaultKind kind = FaultKind::network;
  std::string code;     ///< the provider's own code, or the HTTP status
  std::string message;  ///< one line: what, and the next step
  double retry_after_s = 0;
  /// An instance that exists although the call failed (Vast puts one into error bodies).
  std::string instance_id;
};

template <class T>
using Answer = tl::expected<T, Fault>;

/// May a machine exist although create() failed so? Then the token is looked for before anything
/// else is tried.
[[nodiscard]] constexpr bool may_have_happened(FaultKind kind) {
  return kind == FaultKind::network || kind == FaultKind::garbled || kind == FaultKind::server;
}

/// What an instance is doing, in one vocabulary for all providers.
enum class State { requested, booting, running, unhealthy, stopped, terminating, gone, unknown };

/// A machine of the account.
struct Instance {
  std::string provider, id;
  std::string name;  ///< name, label or tag; ours begin with name_prefix
  State state = State::unknown;
  std::string state_as_told;
  std::string gpu;
  std::int64_t gpu_count = 0;
  std::string region;
  std::optional<double> usd_per_hour;  ///< as billed, whole machine
  std::optional<net::SshTarget> ssh;   ///< absent until it has an address
  /// Why it will never run; empty where it may.
  std::string dead_because;
};

inline constexpr std::string_view name_prefix = "gpuready-";

/// What is wanted of offers: what saves requests or changes prices. The rest is filter_offers()'s.
struct OfferQuery {
  std::int64_t gpu_count = 0;   ///< 0: any
  std::int64_t disk_bytes = 0;  ///< of the price; 0: the provider's usual
};

struct CreateRequest {
  Offer offer;
  std::string name;            ///< name_prefix + token
  std::string ssh_public_key;  ///< one line, as in a .pub file
  std::string ssh_key_name;    ///< what register_key() returned; empty where it isn't needed
  /// Minutes after which the machine ends itself, where it can (protection()).
  std::int64_t max_minutes = 60;
  /// Shell text that the machine runs beside its own start (RunPod, Vast; ignored by Lambda). Holds
  /// no secret. Vast takes 4096 bytes of it at most.
  std::string start_script;
  std::string image;  ///< container image (RunPod, Vast); empty: one with sshd and CUDA
};

/// Who ends the machine if this computer dies.
enum class Protection { in_machine_timer, local_reaper };

struct SshKey {
  std::string id, name, public_key;
};

/// What is known of the account behind a key.
struct Account {
  std::optional<double> balance_usd;
};

class Provider {
 public:
  Provider() = default;
  Provider(const Provider&) = delete;
  Provider& operator=(const Provider&) = delete;
  virtual ~Provider() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual Protection protection() const = 0;
  /// How long a machine of this offer may take to boot before we give it up, in seconds.
  [[nodiscard]] virtual double boot_deadline_s(const Offer& offer) const = 0;
  /// Seconds between two looks at one instance that the rate limit allows.
  [[nodiscard]] virtual double poll_interval_s() const = 0;

  virtual Answer<std::vector<Offer>> offers(const OfferQuery& query) = 0;
  /// Every machine of the account, all pages. An answer is complete, or it is a Fault.
  virtual Answer<std::vector<Instance>> list() = 0;
  /// One machine; state `gone` where the provider itself says that there is none.
  virtual Answer<Instance> get(const std::string& id) = 0;
  /// Asks once, never retries. Returns the new id and waits for nothing.
  virtual Answer<std::string> create(const CreateRequest& request) = 0;
  /// Success where it is already gone or terminating; `busy` where it must be asked again.
  virtual Answer<void> destroy(const std::string& id) = 0;
  /// Public keys that the account knows.
  virtual Answer<std::vector<SshKey>> ssh_keys() = 0;
  /// What must be done once per account so that a machine takes the key; returns the key's name
  /// there (empty where keys go with each machine). Does nothing where it is done already.
  virtual Answer<std::string> register_key(const std::string& public_key) = 0;
  /// What must be done after create() so that the machine takes the key (Vast).
  virtual Answer<void> attach_key(const std::string& id, const std::string& public_key) = 0;
  /// Asks something that needs the key.
  virtual Answer<Account> account() = 0;
};

/// What every provider is made with. What is referred to must outlive it.
struct Access {
  net::Http& http;
  net::Pace& pace;
  const std::vector<catalog::Gpu>& gpus;  ///< to know the GPUs by the table's names
  net::Secret key;
  std::string base_url;  ///< without a slash at its end
};

}  // namespace gpuready::cloud
