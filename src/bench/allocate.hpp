#pragma once
/// Takes memory of a GPU, to see whether it can be had, and gives it back.

#include <cstdint>
#include <string>

#include "gpuready/fact.hpp"
#include "gpuready/units.hpp"
#include "host/host.hpp"

namespace gpuready::bench {

struct AllocateRequest {
  std::string device = "cuda:0";
  std::int64_t bytes = 0;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("device", s.device, Unit::none, "cuda:N");
    f("bytes", s.bytes, Unit::bytes, "how much to take");
  }
};

struct AllocateAnswer {
  std::int64_t allocated_bytes = 0;
  Fact<std::int64_t> free_before_bytes, free_after_bytes;
  std::string error;  ///< of the driver, where it did not give all; or why nothing could be tried

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("allocated_bytes", s.allocated_bytes, Unit::bytes, "what the driver gave");
    f("free_before_bytes", s.free_before_bytes, Unit::bytes, "free with our context alone");
    f("free_after_bytes", s.free_after_bytes, Unit::bytes, "free with all of it taken");
    f("error", s.error, Unit::none, "what the driver said, where it did not give all");
  }
};

/// In pieces of at most 512 MiB, as a program with many tensors does; everything is given back.
AllocateAnswer try_to_allocate(host::Host& host, const AllocateRequest& request);

}  // namespace gpuready::bench
