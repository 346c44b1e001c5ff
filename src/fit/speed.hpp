#pragma once
/// Tokens a second of one sequence: every weight that a token needs is read once, so the memory's
/// bandwidth is the bound.

#include "fit/outcome.hpp"

namespace gpuready::fit {

/// Bytes that one token reads: the chosen experts only, the head, and the cache.
struct TokenBytes {
  std::vector<double> weights;  ///< on each device
  std::vector<double> cache;    ///< on each device, of a full context
  double host = 0;              ///< in main memory
};
TokenBytes token_bytes(const Model& model, const Outcome& outcome, const Devices& devices);

/// low: a full context; expected: half of one; high: none, at the best efficiency seen. Absent with
/// its reason where the model makes no tokens or a bandwidth is not known.
FitSpeed speed_of(const Model& model, const Outcome& outcome, const Devices& devices);

}  // namespace gpuready::fit
