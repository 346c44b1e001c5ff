#pragma once
/// What bench measures.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gpuready/fact.hpp"
#include "gpuready/load_test.hpp"
#include "gpuready/message.hpp"
#include "gpuready/units.hpp"

namespace gpuready {

/// C (m x n) = A (m x k) * B (k x n).
struct Shape {
  std::int64_t m = 0, n = 0, k = 0;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("m", s.m, Unit::count, "rows of A and C");
    f("n", s.n, Unit::count, "columns of B and C");
    f("k", s.k, Unit::count, "columns of A, rows of B");
  }

  bool operator==(const Shape&) const = default;
  /// Floating-point operations of one product: a multiplication and an addition per term.
  [[nodiscard]] double flop() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

/// "fp16" alone is ambiguous by a factor of two on some GPUs, hence four types.
struct Dtype {
  std::string name = "fp32";
  std::string input = "fp32", compute = "fp32", accumulate = "fp32", output = "fp32";

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("name", s.name, Unit::none,
      "short name: fp64, fp32, tf32, bf16, fp16, fp16-acc16, fp8 or int8");
    f("input", s.input, Unit::none, "type of A and B as stored");
    f("compute", s.compute, Unit::none, "type of the multiplication");
    f("accumulate", s.accumulate, Unit::none, "type of the sum");
    f("output", s.output, Unit::none, "type of C as stored");
  }
};

struct LibraryUsed {
  std::string name;
  Fact<std::string> version, kernel_target, file;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("name", s.name, Unit::none, "as the backend");
    f("version", s.version, Unit::none, "version, as the library tells");
    f("kernel_target", s.kernel_target, Unit::none, "kernel set that the library chose");
    f("file", s.file, Unit::none, "file that was loaded");
  }
};

/// `error` is the estimated relative Frobenius error against fp64 arithmetic on the same inputs.
struct Verification {
  std::int64_t non_finite = 0;
  double error = 0, worst_element_error = 0, tolerance = 0;
  std::int64_t rows_checked = 0;
  std::string fingerprint;
  bool passed = false;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("non_finite", s.non_finite, Unit::count, "NaN or infinite elements");
    f("error", s.error, Unit::ratio, "relative Frobenius error (Freivalds' test)");
    f("worst_element_error", s.worst_element_error, Unit::ratio,
      "largest error in the sampled rows, over the root mean square of C");
    f("rows_checked", s.rows_checked, Unit::count, "rows recomputed in fp64");
    f("tolerance", s.tolerance, Unit::ratio, "largest error that passes");
    f("fingerprint", s.fingerprint, Unit::none,
      "types that an error of this size points to: exact, fp64, fp32, tf32 or fp16, bf16, fp8, "
      "none");
    f("passed", s.passed, Unit::none, "whether the product is right");
  }
};

/// A value with its 95 % interval.
struct Interval {
  double low = 0, high = 0;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("low", s.low, Unit::none, "lower end");
    f("high", s.high, Unit::none, "upper end");
  }
};

struct FirstCall {
  Fact<double> load_s, first_product_s, second_product_s;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("load_s", s.load_s, Unit::seconds, "loading the library and making its context");
    f("first_product_s", s.first_product_s, Unit::seconds, "the first product");
    f("second_product_s", s.second_product_s, Unit::seconds, "the second product");
  }
};

/// Which of the ways that a library offers was taken, after timing them.
struct Algorithm {
  std::int64_t candidates = 1, rank = 1;
  double gain = 1;
  Fact<double> workspace_bytes;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("candidates", s.candidates, Unit::count, "ways that the library offered");
    f("rank", s.rank, Unit::count, "place in the library's own order of the one taken, from 1");
    f("gain", s.gain, Unit::ratio, "time of the library's first choice over that of the one taken");
    f("workspace_bytes", s.workspace_bytes, Unit::bytes, "memory for intermediate results");
  }
};

/// A rate in per cent of what the device could do at best.
struct PercentOfPeak {
  Fact<double> measured_clock, spec_clock, peak_flops, clock_hz;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("measured_clock", s.measured_clock, Unit::none,
      "per cent of the peak at the clock that was measured: how good the library is");
    f("spec_clock", s.spec_clock, Unit::none,
      "per cent of the peak at the clock of the data sheet; may be over 100");
    f("peak_flops", s.peak_flops, Unit::flop_per_second, "the peak at the clock that was measured");
    f("clock_hz", s.clock_hz, Unit::hertz, "the clock that was measured");
  }
};

/// One product on one device with one library.
struct Case {
  std::string device, device_name, backend;
  LibraryUsed library;
  Shape shape;
  Dtype dtype;
  std::string data = "uniform";
  std::int64_t threads = 0, buffer_sets = 1;
  Algorithm algorithm;
  double median_s = 0;
  Interval ci95_s;
  std::int64_t samples = 0;
  double flops = 0;
  PercentOfPeak percent_of_peak;
  Fact<double> with_transfers_s;
  FirstCall first_call;
  Verification verification;
  Fact<GpuLoad> telemetry = Fact<GpuLoad>::absent(Absence::not_applicable, "no GPU was watched");
  std::vector<std::string> flags;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("device", s.device, Unit::none, "cpu, cuda:0 or opencl:0");
    f("device_name", s.device_name, Unit::none, "product name");
    f("backend", s.backend, Unit::none, "openblas, onednn, blis, mkl, cublaslt, cublas or clblast");
    f("library", s.library, Unit::none, "library that multiplied");
    f("shape", s.shape, Unit::none, "size of the product");
    f("dtype", s.dtype, Unit::none, "types");
    f("data", s.data, Unit::none, "what stands in A and B: uniform, normal, zeros or ones");
    f("threads", s.threads, Unit::count, "CPU threads; 0 on a GPU");
    f("buffer_sets", s.buffer_sets, Unit::count,
      "sets of A, B and C taken in turn, so that the cache does not hold them");
    f("algorithm", s.algorithm, Unit::none, "way that the library multiplied");
    f("median_s", s.median_s, Unit::seconds, "median time of one product");
    f("ci95_s", s.ci95_s, Unit::seconds, "distribution-free 95 % interval of the median");
    f("samples", s.samples, Unit::count, "samples behind the median; none was discarded");
    f("flops", s.flops, Unit::flop_per_second, "rate at the median");
    f("percent_of_peak", s.percent_of_peak, Unit::none, "rate over what the device could do");
    f("with_transfers_s", s.with_transfers_s, Unit::seconds,
      "median time with A and B sent and C fetched");
    f("first_call", s.first_call, Unit::none, "what only the first product costs");
    f("verification", s.verification, Unit::none, "whether the product is right");
    f("telemetry", s.telemetry, Unit::none, "what NVML saw while the product was timed");
    f("flags", s.flags, Unit::none,
      "not-converged, not-steady, drifting, two-modes, few-samples, shrunk, pageable, "
      "opencl-on-cpu, cache-warm, finer-than-asked, event-clock-doubtful, tf32-override, "
      "launch-blocking, fp8-fast-accumulate, emulated, override, environment, above-peak, "
      "hardware-slowdown, thermal, power-limited, clocks-capped, not-fed, cold, coarse-clock");
  }
};

/// A measurement that was wanted and did not come about.
struct CaseError {
  std::string device, backend;
  Message why;
  bool wrong_product = false;
  std::string dtype = {};

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("device", s.device, Unit::none, "cpu, cuda:0 or opencl:0");
    f("backend", s.backend, Unit::none, "openblas, onednn, blis, mkl, cublaslt, cublas or clblast");
    f("why", s.why, Unit::none, "one sentence");
    f("wrong_product", s.wrong_product, Unit::none, "whether the product failed its check");
    f("dtype", s.dtype, Unit::none, "short name of the types; empty: of all");
  }
};

/// How fast bytes move. Every byte that is read and every byte that is written counts.
struct Bandwidth {
  std::string device, what;
  std::int64_t bytes = 0, samples = 0;
  double bytes_per_s = 0;
  Interval ci95_bytes_per_s;
  std::vector<std::string> flags;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("device", s.device, Unit::none, "cpu or cuda:0");
    f("what", s.what, Unit::none,
      "host-copy, host-triad, device-write, device-copy, to-device-pinned, from-device-pinned, "
      "to-device-pageable or from-device-pageable");
    f("bytes", s.bytes, Unit::bytes, "size of one transfer, of one array for the host's");
    f("samples", s.samples, Unit::count, "samples behind the median; none was discarded");
    f("bytes_per_s", s.bytes_per_s, Unit::bytes_per_second, "median; reads and writes both count");
    f("ci95_bytes_per_s", s.ci95_bytes_per_s, Unit::bytes_per_second,
      "distribution-free 95 % interval of the median");
    f("flags", s.flags, Unit::none, "few-samples, drifting, two-modes, wrong-bytes");
  }
};

}  // namespace gpuready
