#include "bench/claims.hpp"

#include "api/bench_modes.hpp"
#include "base/text.hpp"
#include "bench/compare.hpp"
#include "bench/sizes.hpp"

namespace gpuready::api {

namespace {

constexpr std::int64_t terms = 8192;

/// The crossover needs small sizes, the types one large one.
Result<bool> add_products(BenchRun& run) {
  BenchRequest part = run.request();
  if (part.device == "all") part.device.clear();
  if (!part.shapes_are_chosen) {
    part.shapes.clear();
    for (const std::int64_t side : {256, 512, 1024, 2048, 4096})
      part.shapes.push_back(bench::square(side));
  }
  part.dtypes = {"fp32"};
  if (const auto good = run.add(part); !good) return good;
  for (const std::string& device : devices_of(run)) {
    if (!base::starts_with(device, "cuda")) continue;
    part.device = device, part.shapes = {part.shapes.back()};
    part.dtypes = {"tf32", "fp16", "fp16-acc16"};
    if (const auto good = run.add(part); !good) return good;
  }
  return true;
}

}  // namespace

Result<bool> try_claims(BenchRun& run) {
  if (const auto good = add_products(run); !good) return good;
  run.announce();
  run.measure();
  if (run.stopped()) return true;
  bench::ClaimFacts facts;
  facts.cases = run.bench().cases;
  facts.speedup = bench::compare_cpu_gpu(facts.cases);
  constexpr std::uint64_t seed = 20260101;
  facts.fp16 = bench::probe_half(bench::Element::fp16, terms, seed);
  facts.bf16 = bench::probe_half(bench::Element::bf16, terms, seed);
  run.bench().claims = bench::judge_claims(facts);
  return true;
}

}  // namespace gpuready::api
