#pragma once
/// From batches of products to samples: which clock to believe, and how long a batch has to be.

#include <cstdint>
#include <vector>

#include "bench/backend.hpp"

namespace gpuready::bench {

/// A batch shorter than this is mostly the cost of starting and waiting.
inline constexpr double shortest_batch_s = 0.02;

/// Some products done back to back.
struct Batch {
  std::int64_t repeats = 1;
  Elapsed elapsed;
};

struct Samples {
  std::vector<double> seconds;  ///< per product, one for each batch
  /// The device's clock contradicted the wall clock, which was taken instead.
  bool event_clock_doubtful = false;
};

/// Seconds per product by the device's clock, or by the wall clock where the device has none or
/// where the two can't both be right: the device says that it worked longer than the batch took, or
/// not at all, or the wall clock says over 10 % more on batches that are not short.
Samples samples_of(const std::vector<Batch>& batches);

/// How many products make a batch of at least `batch_s`.
std::int64_t repeats_for(double product_s, double batch_s);

/// Monotonic seconds of this machine.
double steady_seconds();

}  // namespace gpuready::bench
