#pragma once
/// Keeps a device busy for a while and checks its product at the end.

#include <functional>

#include "bench/runner.hpp"

namespace gpuready::bench {

struct Busy {
  double seconds = 0;         ///< from the first product under load to the end of the last
  std::int64_t products = 0;  ///< products computed in that time
  bool right = false;         ///< whether a product after it passed its check
};

/// Multiplies for request.max_time_s, in slices of a quarter of a second, with the operands sent
/// and the product fetched before each slice. `sample` is called once in each slice, while the
/// device works. The product grows up to request.shape until one takes some milliseconds. The error
/// is the device's own.
Result<Busy> keep_busy(Backend& backend, const MeasureRequest& request, const Clock& clock,
                       const std::function<void()>& sample);

}  // namespace gpuready::bench
