#pragma once
/// What can be rented, what is rented, and with which keys: `gpuready cloud offers`, `list`,
/// `keys`. Nothing here starts or ends a machine.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpuready/fact.hpp"
#include "gpuready/offers.hpp"
#include "gpuready/result.hpp"
#include "gpuready/run.hpp"
#include "gpuready/units.hpp"

namespace gpuready {

struct Style;

struct CloudRequest {
  std::vector<std::string> providers;  ///< lambda, runpod, vast; empty: all
  std::string data_dir;                ///< replaces the compiled-in tables; may be empty
  std::function<bool()> stopped;       ///< whether to end now; may be empty
};

/// Which offers are wanted; what is empty or 0 is not asked for.
struct OffersRequest : CloudRequest {
  std::string gpu;  ///< as a user says it; one that fits several GPUs means any of them
  std::int64_t gpu_count = 0;
  std::int64_t min_vram_bytes = 0;  ///< of each GPU
  std::int64_t disk_bytes = 0;      ///< in the price; 0: 20 GB
  double max_usd_per_hour = 0;      ///< of the whole machine
  std::string region;               ///< part of its name
  std::string kind;                 ///< on-demand, community, secure
};

/// Asks the providers at the same time. An error is a wrong request (an unknown GPU or provider);
/// a provider that can't be asked is in `errors`. Cheapest first, sold-out ones last.
Result<OfferList> cloud_offers(const OffersRequest& request);

/// A machine of the account.
struct RentedMachine {
  std::string provider, id, name;
  std::string whose;  ///< ours, other-computer, stranger
  std::string state, state_as_told, gpu;
  std::int64_t gpu_count = 0;
  std::string region;
  Fact<double> usd_per_hour;
  Fact<std::string> ends_at;
  std::string dead_because;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("provider", s.provider, Unit::none, "lambda, runpod or vast");
    f("id", s.id, Unit::none, "the provider's name of it");
    f("name", s.name, Unit::none, "name, label or tag that it was given");
    f("whose", s.whose, Unit::none,
      "ours (in this computer's ledger), other-computer (named as gpuready's, but not in this "
      "ledger), or stranger (never touched)");
    f("state", s.state, Unit::none,
      "requested, booting, running, unhealthy, stopped, terminating or unknown");
    f("state_as_told", s.state_as_told, Unit::none, "the provider's own word");
    f("gpu", s.gpu, Unit::none, "GPU as the provider tells it");
    f("gpu_count", s.gpu_count, Unit::count, "GPUs");
    f("region", s.region, Unit::none, "where it stands");
    f("usd_per_hour", s.usd_per_hour, Unit::usd_per_hour, "what it costs now");
    f("ends_at", s.ends_at, Unit::none, "when gpuready ends it (UTC)");
    f("dead_because", s.dead_because, Unit::none, "why it will never run; empty where it may");
  }
};

/// A machine of the ledger that its provider did not list.
struct UnlistedMachine {
  std::string provider, id, token;
  bool provider_answered = false;
  double usd_per_hour = 0;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("provider", s.provider, Unit::none, "lambda, runpod or vast");
    f("id", s.id, Unit::none, "the provider's name of it; empty where it never came");
    f("token", s.token, Unit::none, "its name is gpuready- and this");
    f("provider_answered", s.provider_answered, Unit::none,
      "its list was read and lacks it; otherwise nothing is known");
    f("usd_per_hour", s.usd_per_hour, Unit::usd_per_hour, "price");
  }
};

struct RentedList {
  std::vector<RentedMachine> machines;
  std::vector<UnlistedMachine> unlisted;
  std::vector<ProviderError> errors;
  std::vector<std::string> asked;  ///< providers whose whole list was read

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("machines", s.machines, Unit::none, "every machine of the accounts, ours first");
    f("unlisted", s.unlisted, Unit::none, "machines of the ledger that no list has");
    f("errors", s.errors, Unit::none, "providers whose machines are not known, and why");
    f("asked", s.asked, Unit::none, "providers whose whole list was read");
  }
};

/// An error where the ledger can't be read, or the request is wrong.
Result<RentedList> cloud_list(const CloudRequest& request);

struct AccountKey {
  std::string id, name, type, comment;
  bool ours = false;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("id", s.id, Unit::none, "the provider's name of it; may be empty");
    f("name", s.name, Unit::none, "name on the account; may be empty");
    f("type", s.type, Unit::none, "ssh-ed25519, ...");
    f("comment", s.comment, Unit::none, "its comment");
    f("ours", s.ours, Unit::none, "the one that gpuready uses from this computer");
  }
};

/// Which key of a provider is in use.
struct ProviderKey {
  std::string provider;
  std::string source;  ///< variable or file; empty: none found
  std::string last4;
  std::string base_url;
  Fact<bool> works;
  Fact<double> balance_usd;
  std::vector<AccountKey> ssh_keys;
  std::string ssh_how;  ///< registered, per-machine
  std::vector<ProviderError> errors;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("provider", s.provider, Unit::none, "lambda, runpod or vast");
    f("source", s.source, Unit::none, "variable or file that the API key is from; empty: none");
    f("last4", s.last4, Unit::none, "its last four characters; empty where it is short");
    f("base_url", s.base_url, Unit::none, "address that is asked");
    f("works", s.works, Unit::none, "whether the provider accepts the key");
    f("balance_usd", s.balance_usd, Unit::usd, "what is left on the account");
    f("ssh_keys", s.ssh_keys, Unit::none, "SSH keys that the account knows");
    f("ssh_how", s.ssh_how, Unit::none,
      "registered (once on the account) or per-machine (given to each machine)");
    f("errors", s.errors, Unit::none, "what could not be found out, and why");
  }
};

struct KeyList {
  std::vector<ProviderKey> keys;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("keys", s.keys, Unit::none, "one per provider");
  }
};

Result<KeyList> cloud_keys(const CloudRequest& request);

std::string show_text(const OfferList& list, const Style& style);
std::string show_json(const Run& run, const OfferList& list);
std::string show_text(const RentedList& list, const Style& style);
std::string show_json(const Run& run, const RentedList& list);
std::string show_text(const KeyList& list, const Style& style);
std::string show_json(const Run& run, const KeyList& list);

}  // namespace gpuready
