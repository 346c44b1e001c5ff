#pragma once
/// Empties a CPU's caches of what a product has left there.

#include "bench/matrix.hpp"
#include "gpuready/result.hpp"

namespace gpuready::bench {

/// The error where nobody tells how large the cache is.
tl::unexpected<Error> no_cache_size();

class CacheSweep {
 public:
  /// Writes to twice as many bytes as the last cache holds. The private caches of other cores keep
  /// what they have, at most a few per cent of it. The error says that the size is not known.
  Result<bool> run(double cache_bytes);

 private:
  Bytes bytes_;  // kept: fresh pages would cost more than the sweep
};

}  // namespace gpuready::bench
