#include "bench/fma_peak.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <barrier>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "bench/fma_loops.hpp"
#include "bench/timing.hpp"

namespace gpuready::bench {

namespace {

/// Short, so that some of them run undisturbed on a busy machine.
constexpr int slices = 30;
constexpr double slice_s = 0.002;
/// Enough for the slices, also where the threads often wait for a core.
constexpr double longest_s = 0.5;
/// The part of a slice that all threads must share for their own rates to be added up.
constexpr double shared_part = 0.8;

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
  bool over = false;
  const double until_s = steady_seconds() + longest_s;
  const auto after_slice = [&]() noexcept {
    best = std::max(best, rate_of_slice(starts, ends));
    over = steady_seconds() > until_s;
  };
  std::barrier begin(threads);
  std::barrier end(threads, after_slice);
  const auto work = [&](std::size_t self) {
    for (int slice = 0; slice < slices && !over; ++slice) {
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

#if defined(__x86_64__)
/// CPUID leaf 7: AMX-BF16 is bit 22 of EDX, AMX-INT8 bit 25 (Intel's manual, volume 2A).
bool has_amx() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
  return (edx & ((1U << 22U) | (1U << 25U))) != 0;
}
#endif

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
  if (!has_chain())
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

FmaLoop loop_for(std::string_view dtype) {
  if (dtype == "fp32" || dtype == "fp64") return widest_fma_loop();
#if defined(__x86_64__)
  if (has_amx()) return FmaLoop::none;  // tiles do more than any of these loops
  if (dtype == "bf16" && __builtin_cpu_supports("avx512bf16") != 0) return FmaLoop::avx512_bf16;
  if (dtype == "int8" && __builtin_cpu_supports("avx512vnni") != 0) return FmaLoop::avx512_vnni;
#endif
  return FmaLoop::none;
}

PercentOfPeak percent_of_cpu_peak(std::string_view dtype, std::int64_t threads, double flops) {
  PercentOfPeak peak;
  peak.spec_clock = Fact<double>::absent(Absence::not_applicable,
                                         "the CPU's nominal clock says little about its products");
  peak.clock_hz = measure_clock();
  const FmaLoop loop = loop_for(dtype);
  if (loop == FmaLoop::none) {
    peak.peak_flops = peak.measured_clock = Fact<double>::absent(
        Absence::not_applicable,
        "there is no loop that measures this CPU's peak in " + std::string(dtype));
    return peak;
  }
  Fact<double> found = measure_fma_peak(loop, threads);
  if (!found) {
    peak.peak_flops = peak.measured_clock = found;
    return peak;
  }
  peak.peak_flops = {*found * (dtype == "fp64" ? 0.5 : 1.0), found.source()};
  peak.measured_clock = {100 * flops / *peak.peak_flops, found.source()};
  return peak;
}

}  // namespace gpuready::bench
