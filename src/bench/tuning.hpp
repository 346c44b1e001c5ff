#pragma once
/// Which of the ways that a library offers is the fastest here.

#include <cstdint>

#include "bench/backend.hpp"
#include "bench/runner.hpp"

namespace gpuready::bench {

struct Choice {
  std::int64_t candidates = 1, rank = 1;  ///< rank: place in the library's order, from 1
  double gain = 1;                        ///< time of the first way over that of the one taken
};

/// Times every candidate and leaves the backend with the fastest. Another than the first must be
/// more than 2 % faster: closer than that, chance would choose. The time that counts is measured
/// again later, so that being chosen for a lucky moment does not flatter it. Candidates that fail
/// are passed over; an error is that of the last one where all fail. At most a quarter of
/// `max_time_s` goes into this; what was not tried in that time is passed over.
Result<Choice> choose_fastest(Backend& backend, const Clock& clock, double max_time_s);

}  // namespace gpuready::bench
