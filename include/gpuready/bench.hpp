#pragma once
/// What bench makes of its measurements: CPU against GPU, claims, peaks, GPU against GPU.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpuready/measurements.hpp"

namespace gpuready {

struct Speedup {
  double ratio = 0;
  Interval ci95;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("ratio", s.ratio, Unit::ratio, "CPU time over GPU time");
    f("ci95", s.ci95, Unit::ratio, "95 % interval");
  }
};

/// CPU against GPU for one size, in the same types on both sides.
struct SizeSpeedup {
  std::string device;
  Shape shape;
  Dtype dtype;
  Fact<Speedup> kernel_only, with_transfers, first_use;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("device", s.device, Unit::none, "cuda:0 or opencl:0");
    f("shape", s.shape, Unit::none, "size of the product");
    f("dtype", s.dtype, Unit::none, "types, the same on both sides");
    f("kernel_only", s.kernel_only, Unit::none, "product alone");
    f("with_transfers", s.with_transfers, Unit::none, "A and B sent, product, C fetched");
    f("first_use", s.first_use, Unit::none, "cold start on both sides");
  }
};

/// The side of the square product from which on the GPU is at least as fast, between the sizes that
/// were measured.
struct BreakEven {
  Fact<double> with_transfers, first_use;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("with_transfers", s.with_transfers, Unit::count, "with A and B sent and C fetched");
    f("first_use", s.first_use, Unit::count, "from a cold start");
  }
};

struct Speedups {
  Fact<Speedup> kernel_only, with_transfers, first_use, one_thread;
  BreakEven break_even_n;
  std::vector<SizeSpeedup> sizes;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("kernel_only", s.kernel_only, Unit::none, "product alone");
    f("with_transfers", s.with_transfers, Unit::none, "A and B sent, product, C fetched");
    f("first_use", s.first_use, Unit::none, "cold start on both sides");
    f("one_thread", s.one_thread, Unit::none, "product alone, against one thread of the CPU");
    f("break_even_n", s.break_even_n, Unit::none, "smallest square product worth the GPU");
    f("sizes", s.sizes, Unit::none, "the same for every size and type measured on both sides");
  }
};

/// How long it takes from nothing to the first product, in fresh processes.
struct FirstUse {
  std::string device;
  Shape shape;
  Dtype dtype;
  double median_s = 0;
  Interval range_s;
  std::int64_t samples = 0;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("device", s.device, Unit::none, "cpu, cuda:0 or opencl:0");
    f("shape", s.shape, Unit::none, "size of the product");
    f("dtype", s.dtype, Unit::none, "types");
    f("median_s", s.median_s, Unit::seconds,
      "median of library, context, first product and the data's way");
    f("range_s", s.range_s, Unit::seconds,
      "95 % interval of the median; below six samples the smallest and the largest");
    f("samples", s.samples, Unit::count, "fresh processes");
  }
};

enum class ClaimVerdict { true_here, false_here, not_tested };
template <>
struct EnumNames<ClaimVerdict> {
  static constexpr std::array<std::string_view, 3> list{"true here", "false here", "not tested"};
};

/// A claim that people repeat, tried on this machine.
struct Claim {
  std::string id;
  Message claim;
  ClaimVerdict verdict = ClaimVerdict::not_tested;
  Fact<double> measured;
  Fact<Interval> ci95;
  Message why;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("id", s.id, Unit::none, "short name");
    f("claim", s.claim, Unit::none, "the claim");
    f("verdict", s.verdict, Unit::none, "whether it holds on this machine");
    f("measured", s.measured, Unit::none, "the figure that decides, as `why` says");
    f("ci95", s.ci95, Unit::none, "its 95 % interval");
    f("why", s.why, Unit::none, "what was measured");
  }
};

/// The fastest shape that was found, beside the usual squares. A peak, not what work will see.
struct Peak {
  std::string device;
  Dtype dtype;
  Shape best;
  double best_flops = 0;
  Interval best_ci95_flops;
  std::int64_t tried = 0;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("device", s.device, Unit::none, "cpu or cuda:0");
    f("dtype", s.dtype, Unit::none, "types");
    f("best", s.best, Unit::none, "shape with the highest rate");
    f("best_flops", s.best_flops, Unit::flop_per_second, "its rate, measured once more on its own");
    f("best_ci95_flops", s.best_ci95_flops, Unit::flop_per_second, "95 % interval of that rate");
    f("tried", s.tried, Unit::count, "shapes that were tried");
  }
};

/// One of several GPUs: alone, while all work at once, and against the others of its model.
struct Peer {
  std::string device, device_name;
  Fact<double> alone_flops, together_flops, limit_flops;
  bool slow = false;
  Message verdict;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("device", s.device, Unit::none, "cuda:0");
    f("device_name", s.device_name, Unit::none, "product name");
    f("alone_flops", s.alone_flops, Unit::flop_per_second, "rate while the others rest");
    f("together_flops", s.together_flops, Unit::flop_per_second, "rate while all work");
    f("limit_flops", s.limit_flops, Unit::flop_per_second,
      "below this it is slower than its peers by more than chance");
    f("slow", s.slow, Unit::none, "whether it is slower than its peers or than its model's floor");
    f("verdict", s.verdict, Unit::none, "one sentence");
  }
};

/// The same product through the user's own PyTorch.
struct TorchCase {
  std::string device, python;
  Fact<std::string> version;
  Shape shape;
  Dtype dtype;
  Fact<double> flops, ours_flops, ratio;
  std::vector<Message> why;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("device", s.device, Unit::none, "cpu or cuda:0");
    f("python", s.python, Unit::none, "the Python that was asked");
    f("version", s.version, Unit::none, "version of PyTorch");
    f("shape", s.shape, Unit::none, "size of the product");
    f("dtype", s.dtype, Unit::none, "types");
    f("flops", s.flops, Unit::flop_per_second, "rate through PyTorch");
    f("ours_flops", s.ours_flops, Unit::flop_per_second,
      "rate of the same product through gpuready");
    f("ratio", s.ratio, Unit::ratio, "the first over the second");
    f("why", s.why, Unit::none, "what explains a PyTorch below 90 % of ours");
  }
};

/// What was foreseen before the start, and what came of it.
struct TimePlan {
  double predicted_s = 0, took_s = 0;
  Fact<double> limit_s = Fact<double>::absent(Absence::not_applicable, "no --max-time");
  std::vector<Message> left_out;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("predicted_s", s.predicted_s, Unit::seconds, "foreseen before the start");
    f("took_s", s.took_s, Unit::seconds, "how long it took");
    f("limit_s", s.limit_s, Unit::seconds, "limit of the whole run");
    f("left_out", s.left_out, Unit::none, "cases that would have passed the limit");
  }
};

struct Bench {
  std::vector<Case> cases;
  std::vector<CaseError> errors;
  std::vector<Bandwidth> bandwidth;
  Speedups speedup;
  std::vector<FirstUse> first_use;
  std::vector<Claim> claims;
  std::vector<Peak> peaks;
  std::vector<Peer> peers;
  std::vector<TorchCase> torch;
  TimePlan time;
  std::vector<Message> notes;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("cases", s.cases, Unit::none, "what was measured");
    f("errors", s.errors, Unit::none, "what could not be measured, and why");
    f("bandwidth", s.bandwidth, Unit::none, "how fast memory and the link to the GPU are");
    f("speedup", s.speedup, Unit::none, "CPU against GPU");
    f("first_use", s.first_use, Unit::none, "cold starts, where they were repeated");
    f("claims", s.claims, Unit::none, "claims tried on this machine (--claims)");
    f("peaks", s.peaks, Unit::none, "fastest shapes (--peak)");
    f("peers", s.peers, Unit::none, "several GPUs, one against the other");
    f("torch", s.torch, Unit::none, "the same product through PyTorch (--torch)");
    f("time", s.time, Unit::none, "what was foreseen and what it took");
    f("notes", s.notes, Unit::none, "what the figures depend on");
  }
};

}  // namespace gpuready
