#pragma once
/// The lesson's claims, judged by what was measured here. Pure.

#include <optional>
#include <vector>

#include "bench/half_probe.hpp"
#include "gpuready/bench.hpp"

namespace gpuready::bench {

/// What the verdicts are made from.
struct ClaimFacts {
  std::vector<Case> cases;  ///< of every device and type
  Speedups speedup;
  HalfProbe fp16, bf16;
};

/// "Tensor Cores are 4 to 8 times faster than normal cores": fp16 with fp32 sums against fp32 on
/// the same GPU and shape; TF32 against fp32 is told beside it.
Claim judge_tensor_cores(const ClaimFacts& facts);
/// "fp16 takes half the memory at almost no loss": the bytes of the matrices, the error against
/// fp64, and what overflows.
Claim judge_half_memory(const ClaimFacts& facts);
/// "8 hours on a CPU are 10 minutes on a GPU": a factor of 48, which Amdahl's law bounds by the
/// part of the work that is products.
Claim judge_eight_hours(const ClaimFacts& facts);
/// "The GPU is faster": from which size on, with the data's way.
Claim judge_faster(const ClaimFacts& facts);

std::vector<Claim> judge_claims(const ClaimFacts& facts);

/// The part of the work that has to be products for a total speed-up of `wanted`, when products
/// alone gain `ratio`; nothing where no part suffices. From S = 1 / ((1 - p) + p / R).
std::optional<double> part_needed(double wanted, double ratio);

}  // namespace gpuready::bench
