#include "cloud/reap.hpp"

#include <algorithm>

namespace gpuready::cloud {

Due due(host::Host& host, const LedgerEntry& entry) {
  if (host.now() >= entry.deadline_at) return Due::overdue;
  switch (owner_of(host, entry)) {
    case Owner::dead:
      return Due::orphaned;
    case Owner::elsewhere:
      return Due::elsewhere;
    case Owner::this_process:
    case Owner::alive:
      break;
  }
  return Due::in_use;
}

bool guard_entry(const Tools& tools, const std::string& token, double most_s) {
  constexpr double look_every_s = 5;
  double over_since_s = -1;
  while (true) {
    const auto entries = tools.ledger.entries();
    const auto same = [&](const LedgerEntry& entry) { return entry.token == token; };
    if (entries) {
      const auto found = std::ranges::find_if(*entries, same);
      if (found == entries->end()) return true;
      // A computer whose name changed meanwhile sees the process as elsewhere: no reason to act.
      const Due now = due(tools.host, *found);
      if (now == Due::overdue || now == Due::orphaned) {
        if (over_since_s < 0) over_since_s = tools.pace.now_s();
        if (end_entry(tools, *found, false).confirmed) return true;
      }
    }
    const bool given_up = over_since_s >= 0 && tools.pace.now_s() - over_since_s > most_s;
    if (given_up) return false;
    tools.pace.sleep_s(look_every_s);
  }
}

}  // namespace gpuready::cloud
