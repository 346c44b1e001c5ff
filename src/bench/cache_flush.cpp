#include "bench/cache_flush.hpp"

#include <sched.h>

#include <algorithm>
#include <system_error>
#include <thread>

namespace gpuready::bench {

namespace {

/// Twice the largest private cache of a core so far (2 MiB of level 2 on Sapphire Rapids, 3 on
/// Lunar Lake).
constexpr std::size_t least_part = std::size_t{6} << 20U;

std::vector<int> own_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  if (cpus.empty()) cpus.push_back(-1);
  return cpus;
}

void sweep(Bytes& part, int cpu) {
  constexpr std::size_t line = 64;
  if (cpu >= 0) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);  // of this thread; refusal costs only where it runs
  }
  volatile std::byte* const bytes = part.data();
  for (std::size_t i = 0; i < part.size(); i += line)
    bytes[i] = static_cast<std::byte>(std::to_integer<unsigned>(bytes[i]) + 1U);
}

}  // namespace

tl::unexpected<Error> no_cache_size() {
  return failure("the size of its cache is not known, so it can't be emptied");
}

Result<bool> CacheSweep::run(double cache_bytes) {
  if (!(cache_bytes > 0)) return no_cache_size();
  const std::vector<int> cpus = own_cpus();
  const auto share = static_cast<std::size_t>(2 * cache_bytes) / cpus.size();
  if (parts_.empty())
    for (std::size_t i = 0; i < cpus.size(); ++i) parts_.emplace_back(std::max(share, least_part));
  std::vector<std::jthread> threads;
  try {
    for (std::size_t i = 0; i < cpus.size(); ++i)
      threads.emplace_back([this, i, cpu = cpus[i]] { sweep(parts_[i], cpu); });
  } catch (const std::system_error& e) {
    return failure(std::string("no thread to empty the cache with: ") + e.what());
  }
  return true;
}

}  // namespace gpuready::bench
