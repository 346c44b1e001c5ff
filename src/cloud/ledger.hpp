#pragma once
/// The record of what may be billed. Written, and on the disk, before and after each step that
/// costs money; nothing leaves it before the provider says that it is gone.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gpuready/result.hpp"
#include "gpuready/units.hpp"
#include "host/host.hpp"

namespace gpuready::cloud {

/// One machine that we asked for, or are about to.
struct LedgerEntry {
  std::string token;  ///< random; part of the machine's name
  std::string provider;
  std::string base_url;  ///< where it was asked for
  std::string id;        ///< empty: not known (yet)
  std::string gpu;
  std::int64_t gpu_count = 1;
  double usd_per_hour = 0;
  std::int64_t created_at = 0;   ///< seconds since 1970
  std::int64_t deadline_at = 0;  ///< when it must be gone
  std::string status;            ///< creating, running, destroying
  std::int64_t owner_pid = 0;    ///< process that watches it; and since when, so that a reused
  std::int64_t owner_started = 0;  ///< number is not taken for it
  std::string owner_place;         ///< computer and its set of process numbers

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("token", s.token, Unit::none, "random part of the machine's name");
    f("provider", s.provider, Unit::none, "lambda, runpod or vast");
    f("base_url", s.base_url, Unit::none, "address that it was asked of");
    f("id", s.id, Unit::none, "the provider's name of it; empty where not known");
    f("gpu", s.gpu, Unit::none, "GPU");
    f("gpu_count", s.gpu_count, Unit::count, "GPUs");
    f("usd_per_hour", s.usd_per_hour, Unit::usd_per_hour, "price");
    f("created_at", s.created_at, Unit::seconds, "when it was asked for");
    f("deadline_at", s.deadline_at, Unit::seconds, "when it must be gone");
    f("status", s.status, Unit::none, "creating, running or destroying");
    f("owner_pid", s.owner_pid, Unit::count, "process that watches it");
    f("owner_started", s.owner_started, Unit::count, "start of that process");
    f("owner_place", s.owner_place, Unit::none, "computer that it runs on");
  }
};

/// The file `ledger.json` in a folder that only its owner may enter, changed under a lock, by a
/// new file that is synced and renamed.
class Ledger {
 public:
  /// Makes the folder where it is missing. An error where others may read it, or where what is
  /// there can't be read: then nothing may be created.
  static Result<Ledger> open(const std::string& state_folder);

  [[nodiscard]] Result<std::vector<LedgerEntry>> entries() const;
  /// Adds the entry, or replaces the one with its token; on the disk when it returns.
  Result<void> put(const LedgerEntry& entry);
  /// Only after the provider has said that the machine is gone. Success where it isn't there.
  Result<void> remove(const std::string& token);
  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  explicit Ledger(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

/// GPUREADY_STATE_DIR, $XDG_STATE_HOME/gpuready or ~/.local/state/gpuready; an error where the
/// environment names none of them.
Result<std::string> state_folder(host::Host& host);

/// 16 random small letters and digits from the system.
Result<std::string> new_token();
/// name_prefix and such a token: a name that only we give.
bool is_our_name(std::string_view name);
/// The token in such a name; empty in any other.
std::string token_of(std::string_view name);

/// Writes this process into the entry as the one that watches it.
void set_owner(host::Host& host, LedgerEntry& entry);
enum class Owner { this_process, alive, dead, elsewhere };
/// `elsewhere`: another computer or container, whose processes can't be seen from here.
Owner owner_of(host::Host& host, const LedgerEntry& entry);

}  // namespace gpuready::cloud
