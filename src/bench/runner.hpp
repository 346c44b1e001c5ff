#pragma once
/// Measures one case on one backend: first call, warm-up, samples until the stopping rule is
/// content, transfers, and the check of the product.

#include <functional>

#include "bench/backend.hpp"
#include "bench/watch.hpp"

namespace gpuready::bench {

struct MeasureRequest {
  BackendRequest backend;
  Shape shape{5000, 5000, 5000};
  double max_time_s = 6.0;  ///< of the timed section; the first product is never cut short
  std::uint64_t seed = 20260101;
  std::string data = "uniform";  ///< a name of operands.hpp
  bool with_transfers = true;
  bool with_peak = true;
  bool cold = false;      ///< empty the cache before each product, and time each alone
  double min_time_s = 0;  ///< of the timed section; 0: as the stopping rule has it
  /// Time of the injected clock until which the warm-up goes on, so that several GPUs are timed at
  /// once; 0: as the warm-up has it. (CLOCK_MONOTONIC is one for all processes.)
  double start_at_s = 0;
  /// NVML's index of the GPU, where it is to be watched.
  Fact<std::int64_t> nvml_index = Fact<std::int64_t>::absent(Absence::not_tested, "not asked for");

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("device", s.backend.device, Unit::none, "cpu, cuda:N or opencl:N");
    f("backend", s.backend.backend, Unit::none, "a name of backends.cpp");
    f("library_file", s.backend.library_file, Unit::none, "file or soname; empty: usual names");
    f("threads", s.backend.threads, Unit::count, "CPU threads");
    f("host_budget_bytes", s.backend.host_budget_bytes, Unit::bytes,
      "main memory that the measurement may take; 0: not limited");
    f("dtype", s.backend.dtype, Unit::none, "fp64, fp32, tf32, bf16, fp16, fp16-acc16, fp8, int8");
    f("data", s.data, Unit::none, "uniform, normal, zeros or ones");
    f("shape", s.shape, Unit::none, "size of the product");
    f("max_time_s", s.max_time_s, Unit::seconds, "limit of the timed section");
    f("with_transfers", s.with_transfers, Unit::none, "time the transfers too");
    f("with_peak", s.with_peak, Unit::none, "measure the CPU's peak too");
    f("cold", s.cold, Unit::none, "empty the cache before each product");
    f("min_time_s", s.min_time_s, Unit::seconds, "least length of the timed section");
    f("start_at_s", s.start_at_s, Unit::seconds,
      "monotonic time at which the timed section begins");
    f("nvml_index", s.nvml_index, Unit::none, "NVML's index of the GPU to watch");
  }
};

/// Monotonic seconds; injected so that tests don't wait.
using Clock = std::function<double()>;
/// Called with the part done, from 0 to 1.
using Progress = std::function<void(double)>;

/// What a child sends back: a case, or why there is none.
struct MeasureAnswer {
  std::vector<Case> cases;
  std::vector<CaseError> errors;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("cases", s.cases, Unit::none, "what was measured");
    f("errors", s.errors, Unit::none, "what could not be measured, and why");
  }
};

/// Opens the backend and measures. A product that would not fit is made smaller (flag `shrunk`). A
/// product that fails its check is an error with wrong_product set, and no case. Never throws.
/// Flags: not-converged, not-steady (the warm-up ran out of time), drifting, two-modes,
/// few-samples, shrunk, cache-warm (too few sets of buffers for the cache), finer-than-asked (the
/// library used a finer type than was asked for), event-clock-doubtful, pageable, opencl-on-cpu,
/// tf32-override, launch-blocking.
/// `monitor` looks at the device before, during and after the timed section.
MeasureAnswer measure(host::Host& host, const MeasureRequest& request, const Clock& clock,
                      const Progress& progress, const Monitor& monitor = {});

/// The same on a backend that is open already.
MeasureAnswer measure_on(Backend& backend, const MeasureRequest& request, const Clock& clock,
                         const Progress& progress, const Monitor& monitor = {});

}  // namespace gpuready::bench
