#include "bench/tuning.hpp"

#include <algorithm>
#include <optional>

#include "bench/timing.hpp"

namespace gpuready::bench {

namespace {

constexpr std::int64_t fewest_products = 4;
constexpr double part_of_time = 0.25;
/// As Triton's matrix product does (triton-lang/triton PR 9153).
constexpr double must_be_faster = 1.02;

double per_product(const Elapsed& elapsed, std::int64_t repeats) {
  return elapsed.device_s.value_or(elapsed.wall_s) / static_cast<double>(repeats);
}

/// Seconds of one product; the first product of a candidate also loads its kernel.
Result<double> time_candidate(Backend& backend, std::int64_t candidate) {
  if (const auto chosen = backend.select(candidate); !chosen)
    return tl::unexpected<Error>(chosen.error());
  const auto first = backend.run(1);
  if (!first) return tl::unexpected<Error>(first.error());
  const auto second = backend.run(1);
  if (!second) return tl::unexpected<Error>(second.error());
  if (per_product(*second, 1) >= shortest_batch_s) return per_product(*second, 1);
  const std::int64_t repeats =
      std::max(fewest_products, repeats_for(per_product(*second, 1), shortest_batch_s));
  const auto batch = backend.run(repeats);
  if (!batch) return tl::unexpected<Error>(batch.error());
  return per_product(*batch, repeats);
}

struct Timed {
  std::int64_t candidate = 0;
  double seconds = 0;
};

const Timed& best_of(const std::vector<Timed>& timed) {
  const Timed& fastest = *std::ranges::min_element(timed, {}, &Timed::seconds);
  return timed.front().seconds > must_be_faster * fastest.seconds ? fastest : timed.front();
}

}  // namespace

Result<Choice> choose_fastest(Backend& backend, const Clock& clock, double max_time_s) {
  const std::int64_t count = backend.candidate_count();
  if (count <= 1) return Choice{};
  const double start = clock();
  std::vector<Timed> timed;
  Error last;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto seconds = time_candidate(backend, i);
    if (seconds) timed.push_back({i, *seconds});
    if (!seconds) last = seconds.error();
    if (!timed.empty() && clock() - start > part_of_time * max_time_s) break;
  }
  if (timed.empty()) return tl::unexpected<Error>(last);
  const Timed& best = best_of(timed);
  if (const auto chosen = backend.select(best.candidate); !chosen)
    return tl::unexpected<Error>(chosen.error());
  return Choice{count, best.candidate + 1, timed.front().seconds / best.seconds};
}

}  // namespace gpuready::bench
