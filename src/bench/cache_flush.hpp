#pragma once
/// Empties a CPU's caches of what a product has left there.

#include <vector>

#include "bench/matrix.hpp"
#include "gpuready/result.hpp"

namespace gpuready::bench {

/// The error where nobody tells how large the cache is.
tl::unexpected<Error> no_cache_size();

class CacheSweep {
 public:
  /// On every CPU that this process may run on, writes its share of twice the last caches' bytes
  /// (`cache_bytes`: all of them together), and at least what private caches hold. The error says
  /// that the size is not known, or that no thread could be had.
  Result<bool> run(double cache_bytes);

 private:
  std::vector<Bytes> parts_;  // kept: fresh pages would cost more than the sweep
};

}  // namespace gpuready::bench
