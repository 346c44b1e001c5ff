#pragma once
/// What a crash left.

#include <string>

#include "cloud/session.hpp"

namespace gpuready::cloud {

/// Why an entry is to be ended, or why not.
enum class Due {
  overdue,      ///< past its deadline
  orphaned,     ///< its process is dead
  in_use,       ///< its process lives and has time left
  elsewhere  ///< of another computer, with time left
};
Due due(host::Host& host, const LedgerEntry& entry);

/// Watches an entry from outside the process that rented the machine: returns when the entry is gone
/// from the ledger, or has been ended because its process died or its time was over. False where it
/// was given up: `most_s` seconds after its deadline.
bool guard_entry(const Tools& tools, const std::string& token, double most_s);

}  // namespace gpuready::cloud
