#include "bench/fma_peak.hpp"

#include <algorithm>
#include <barrier>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "bench/timing.hpp"

namespace gpuready::bench {

namespace {

/// Short, so that some of them run undisturbed on a busy machine.
constexpr int slices = 30;
constexpr double slice_s = 0.002;
/// The part of a slice that all threads must share for their own rates to be added up.
constexpr double shared_part = 0.8;

struct Loop {
  FmaLoop kind;
  std::string_view name;
  void (*run)(std::int64_t rounds);
  double flop_per_round;
};

void run_nothing(std::int64_t /*rounds*/) {}

#if defined(__x86_64__)

/// Accumulators in each loop: more than latency times units of any CPU so far (at most 5 x 2).
constexpr int accumulators = 12;

/// Written in assembly so that the loop is the same at every level of optimisation, and so that no
/// file has to be built for a CPU that the rest may not have.
alignas(4) constexpr float factor = 0.999F;

#define GPUREADY_TWELVE(op) \
  op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7) op(8) op(9) op(10) op(11)
#define GPUREADY_CLOBBERS                                                                  \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
      "xmm11", "xmm12", "xmm13", "cc", "memory"
#define GPUREADY_ZERO_AVX(i) "vxorps %%xmm" #i ", %%xmm" #i ", %%xmm" #i "\n"
#define GPUREADY_ZERO_SSE(i) "xorps %%xmm" #i ", %%xmm" #i "\n"

#define GPUREADY_FMA512(i) "vfmadd231ps %%zmm12, %%zmm13, %%zmm" #i "\n"
void run_avx512(std::int64_t rounds) {
  asm volatile(
      "vbroadcastss (%1), %%zmm12\n"
      "vbroadcastss (%1), %%zmm13\n" GPUREADY_TWELVE(GPUREADY_ZERO_AVX) "1:\n" GPUREADY_TWELVE(
          GPUREADY_FMA512) "dec %0\n jnz 1b\n vzeroupper\n"
      : "+r"(rounds)
      : "r"(&factor)
      : GPUREADY_CLOBBERS);
}

#define GPUREADY_FMA256(i) "vfmadd231ps %%ymm12, %%ymm13, %%ymm" #i "\n"
void run_fma(std::int64_t rounds) {
  asm volatile(
      "vbroadcastss (%1), %%ymm12\n"
      "vbroadcastss (%1), %%ymm13\n" GPUREADY_TWELVE(GPUREADY_ZERO_AVX) "1:\n" GPUREADY_TWELVE(
          GPUREADY_FMA256) "dec %0\n jnz 1b\n vzeroupper\n"
      : "+r"(rounds)
      : "r"(&factor)
      : GPUREADY_CLOBBERS);
}

// Without multiply-add: half of the chains multiply and half add, which go to two units.
void run_avx(std::int64_t rounds) {
  asm volatile("vbroadcastss (%1), %%ymm12\n"
               "vbroadcastss (%1), %%ymm13\n" GPUREADY_TWELVE(GPUREADY_ZERO_AVX)
               "1:\n"
               "vmulps %%ymm12, %%ymm0, %%ymm0\n vaddps %%ymm13, %%ymm1, %%ymm1\n"
               "vmulps %%ymm12, %%ymm2, %%ymm2\n vaddps %%ymm13, %%ymm3, %%ymm3\n"
               "vmulps %%ymm12, %%ymm4, %%ymm4\n vaddps %%ymm13, %%ymm5, %%ymm5\n"
               "vmulps %%ymm12, %%ymm6, %%ymm6\n vaddps %%ymm13, %%ymm7, %%ymm7\n"
               "vmulps %%ymm12, %%ymm8, %%ymm8\n vaddps %%ymm13, %%ymm9, %%ymm9\n"
               "vmulps %%ymm12, %%ymm10, %%ymm10\n vaddps %%ymm13, %%ymm11, %%ymm11\n"
               "dec %0\n jnz 1b\n vzeroupper\n"
               : "+r"(rounds)
               : "r"(&factor)
               : GPUREADY_CLOBBERS);
}

void run_sse(std::int64_t rounds) {
  asm volatile("movss (%1), %%xmm12\n shufps $0, %%xmm12, %%xmm12\n"
               "movaps %%xmm12, %%xmm13\n" GPUREADY_TWELVE(GPUREADY_ZERO_SSE)
               "1:\n"
               "mulps %%xmm12, %%xmm0\n addps %%xmm13, %%xmm1\n"
               "mulps %%xmm12, %%xmm2\n addps %%xmm13, %%xmm3\n"
               "mulps %%xmm12, %%xmm4\n addps %%xmm13, %%xmm5\n"
               "mulps %%xmm12, %%xmm6\n addps %%xmm13, %%xmm7\n"
               "mulps %%xmm12, %%xmm8\n addps %%xmm13, %%xmm9\n"
               "mulps %%xmm12, %%xmm10\n addps %%xmm13, %%xmm11\n"
               "dec %0\n jnz 1b\n"
               : "+r"(rounds)
               : "r"(&factor)
               : GPUREADY_CLOBBERS);
}

constexpr Loop loops[]{{FmaLoop::avx512, "AVX-512", run_avx512, accumulators * 16 * 2},
                       {FmaLoop::fma, "AVX2 and FMA", run_fma, accumulators * 8 * 2},
                       {FmaLoop::avx, "AVX", run_avx, accumulators * 8},
                       {FmaLoop::sse, "SSE", run_sse, accumulators * 4},
                       {FmaLoop::none, "none", run_nothing, 0}};

void add_in_a_chain(std::int64_t rounds) {
  std::int64_t sum = 0;
  asm volatile(
      "1:\n"
      "add %2, %1\n add %2, %1\n add %2, %1\n add %2, %1\n"
      "add %2, %1\n add %2, %1\n add %2, %1\n add %2, %1\n"
      "dec %0\n jnz 1b\n"
      : "+r"(rounds), "+r"(sum)
      : "r"(std::int64_t{3})
      : "cc");
}

#elif defined(__aarch64__)

void run_neon(std::int64_t rounds) {
  asm volatile(
      "fmov v16.4s, #0.5\n fmov v17.4s, #0.5\n"
      "1:\n"
      "fmla v0.4s, v16.4s, v17.4s\n fmla v1.4s, v16.4s, v17.4s\n"
      "fmla v2.4s, v16.4s, v17.4s\n fmla v3.4s, v16.4s, v17.4s\n"
      "fmla v4.4s, v16.4s, v17.4s\n fmla v5.4s, v16.4s, v17.4s\n"
      "fmla v6.4s, v16.4s, v17.4s\n fmla v7.4s, v16.4s, v17.4s\n"
      "fmla v18.4s, v16.4s, v17.4s\n fmla v19.4s, v16.4s, v17.4s\n"
      "fmla v20.4s, v16.4s, v17.4s\n fmla v21.4s, v16.4s, v17.4s\n"
      "fmla v22.4s, v16.4s, v17.4s\n fmla v23.4s, v16.4s, v17.4s\n"
      "fmla v24.4s, v16.4s, v17.4s\n fmla v25.4s, v16.4s, v17.4s\n"
      "subs %0, %0, #1\n b.ne 1b\n"
      : "+r"(rounds)
      :
      : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21",
        "v22", "v23", "v24", "v25", "cc");
}

constexpr Loop loops[]{{FmaLoop::neon, "NEON", run_neon, 16 * 4 * 2},
                       {FmaLoop::none, "none", run_nothing, 0}};

void add_in_a_chain(std::int64_t rounds) {
  std::int64_t sum = 0;
  asm volatile(
      "1:\n"
      "add %1, %1, %2\n add %1, %1, %2\n add %1, %1, %2\n add %1, %1, %2\n"
      "add %1, %1, %2\n add %1, %1, %2\n add %1, %1, %2\n add %1, %1, %2\n"
      "subs %0, %0, #1\n b.ne 1b\n"
      : "+r"(rounds), "+r"(sum)
      : "r"(std::int64_t{3})
      : "cc");
}

#else

constexpr Loop loops[]{{FmaLoop::none, "none", run_nothing, 0}};
void add_in_a_chain(std::int64_t /*rounds*/) {}

#endif

const Loop& find_loop(FmaLoop kind) {
  for (const Loop& loop : loops)
    if (loop.kind == kind) return loop;
  return *(std::end(loops) - 1);
}

double seconds_of(void (*run)(std::int64_t), std::int64_t rounds) {
  const double start = steady_seconds();
  run(rounds);
  return steady_seconds() - start;
}

/// So many rounds that they take about a slice.
std::int64_t rounds_of_a_slice(void (*run)(std::int64_t)) {
  std::int64_t rounds = 1024;
  while (seconds_of(run, rounds) < slice_s / 4 && rounds < (std::int64_t{1} << 40U)) rounds *= 2;
  return rounds * 4;
}

/// Slices per second of all threads together. Threads that did not run side by side count from the
/// first start to the last end.
double rate_of_slice(const std::vector<double>& starts, const std::vector<double>& ends) {
  const double first = *std::ranges::min_element(starts), last = *std::ranges::max_element(ends);
  const double shared = *std::ranges::min_element(ends) - *std::ranges::max_element(starts);
  if (!(last > first)) return 0;
  if (shared < shared_part * (last - first))
    return static_cast<double>(starts.size()) / (last - first);
  double rate = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) rate += 1 / (ends[i] - starts[i]);
  return rate;
}

/// The best of all slices, in slices per second of all threads together. 0 where the threads could
/// not all be started.
double best_rate(const Loop& loop, std::int64_t rounds, std::int64_t threads) {
  const auto count = static_cast<std::size_t>(threads);
  std::vector<double> starts(count), ends(count);
  double best = 0;
  const auto after_slice = [&]() noexcept { best = std::max(best, rate_of_slice(starts, ends)); };
  std::barrier begin(threads);
  std::barrier end(threads, after_slice);
  const auto work = [&](std::size_t self) {
    for (int slice = 0; slice < slices; ++slice) {
      begin.arrive_and_wait();
      starts[self] = steady_seconds();
      loop.run(rounds);
      ends[self] = steady_seconds();
      end.arrive_and_wait();
    }
  };
  std::vector<std::jthread> others;
  bool started = true;
  try {
    for (std::size_t i = 1; i < count; ++i) others.emplace_back(work, i);
  } catch (const std::system_error&) {  // no more threads: let those that run come to their end
    started = false;
    for (std::size_t missing = others.size() + 1; missing < count; ++missing) {
      begin.arrive_and_drop();
      end.arrive_and_drop();
    }
  }
  work(0);
  others.clear();
  return started ? best : 0;
}

}  // namespace

FmaLoop widest_fma_loop() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0) return FmaLoop::avx512;
  if (__builtin_cpu_supports("avx") == 0) return FmaLoop::sse;
  return __builtin_cpu_supports("fma") != 0 ? FmaLoop::fma : FmaLoop::avx;
#elif defined(__aarch64__)
  return FmaLoop::neon;
#else
  return FmaLoop::none;
#endif
}

std::string_view name_of(FmaLoop loop) { return find_loop(loop).name; }

Fact<double> measure_fma_peak(FmaLoop kind, std::int64_t threads) {
  const Loop& loop = find_loop(kind);
  if (loop.kind == FmaLoop::none)
    return Fact<double>::absent(Absence::not_applicable, "no arithmetic loop for this CPU");
  constexpr std::int64_t most_threads = 4096;
  const std::int64_t used = std::clamp<std::int64_t>(threads, 1, most_threads);
  const std::int64_t rounds = rounds_of_a_slice(loop.run);
  const double rate = best_rate(loop, rounds, used);
  if (!(rate > 0))
    return Fact<double>::absent(Absence::call_failed,
                                "the threads of the loop could not be started");
  return {loop.flop_per_round * static_cast<double>(rounds) * rate,
          "loop of " + std::string(loop.name)};
}

Fact<double> measure_clock() {
  if (loops[0].kind == FmaLoop::none)
    return Fact<double>::absent(Absence::not_applicable, "no arithmetic loop for this CPU");
  constexpr double additions = 8;
  const std::int64_t rounds = rounds_of_a_slice(add_in_a_chain);
  double shortest = seconds_of(add_in_a_chain, rounds);
  for (int i = 1; i < slices; ++i)
    shortest = std::min(shortest, seconds_of(add_in_a_chain, rounds));
  if (!(shortest > 0))
    return Fact<double>::absent(Absence::call_failed, "the clock stood still in the loop");
  return {additions * static_cast<double>(rounds) / shortest, "chain of additions"};
}

PercentOfPeak percent_of_cpu_peak(std::string_view dtype, std::int64_t threads, double flops) {
  PercentOfPeak peak;
  peak.spec_clock = Fact<double>::absent(Absence::not_applicable,
                                         "the CPU's nominal clock says little about its products");
  peak.clock_hz = measure_clock();
  if (dtype != "fp32" && dtype != "fp64") {
    peak.peak_flops = peak.measured_clock = Fact<double>::absent(
        Absence::not_applicable, "the CPU's peak is measured for fp32 and fp64 alone");
    return peak;
  }
  Fact<double> found = measure_fma_peak(widest_fma_loop(), threads);
  if (!found) {
    peak.peak_flops = peak.measured_clock = found;
    return peak;
  }
  peak.peak_flops = {*found * (dtype == "fp64" ? 0.5 : 1.0), found.source()};
  peak.measured_clock = {100 * flops / *peak.peak_flops, found.source()};
  return peak;
}

}  // namespace gpuready::bench
