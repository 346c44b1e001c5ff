#pragma once
/// How fast main memory, device memory and the link between them are.

#include <string>
#include <vector>

#include "bench/runner.hpp"

namespace gpuready::bench {

struct BandwidthRequest {
  std::string device = "cpu";    ///< cpu or cuda:N
  std::int64_t threads = 1;      ///< of the host's copies
  std::int64_t bytes = 0;        ///< of one transfer; 0: 256 MiB, less where memory is short
  std::int64_t cache_bytes = 0;  ///< the host's last cache; its arrays are four times as large
  std::int64_t host_budget_bytes = 0;
  double max_time_s = 0.5;  ///< of each kind of transfer

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("device", s.device, Unit::none, "cpu or cuda:N");
    f("threads", s.threads, Unit::count, "threads of the host's copies");
    f("bytes", s.bytes, Unit::bytes, "size of one transfer; 0: chosen here");
    f("cache_bytes", s.cache_bytes, Unit::bytes, "the host's last cache; 0: not known");
    f("host_budget_bytes", s.host_budget_bytes, Unit::bytes,
      "main memory that may be taken; 0: not limited");
    f("max_time_s", s.max_time_s, Unit::seconds, "limit of each kind of transfer");
  }
};

struct BandwidthAnswer {
  std::vector<Bandwidth> rows;
  std::vector<CaseError> errors;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("rows", s.rows, Unit::none, "what was measured");
    f("errors", s.errors, Unit::none, "what could not be measured, and why");
  }
};

/// A kind of transfer; gives the seconds that one took.
using Transfer = std::function<Result<double>()>;

/// Repeats a transfer until the interval of its median is narrow or the time is over; at least ten
/// times where the time allows it. `moved` is what one transfer reads and writes, in bytes.
Result<Bandwidth> measure_transfer(const std::string& device, const std::string& what, double moved,
                                   double max_time_s, const Transfer& transfer, const Clock& clock);

/// Main memory: a copy, and the triad of McCalpin's STREAM (a = b + s * c, two reads and a write).
BandwidthAnswer measure_host_bandwidth(const BandwidthRequest& request, const Clock& clock);
/// A CUDA device: its memory written and copied, and transfers both ways from page-locked and from
/// ordinary memory, which are compared at the end.
BandwidthAnswer measure_cuda_bandwidth(host::Host& host, const BandwidthRequest& request,
                                       const Clock& clock);

}  // namespace gpuready::bench
