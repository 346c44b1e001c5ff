#include "bench/claims.hpp"

#include <algorithm>
#include <string>

#include "base/format.hpp"
#include "base/quantity.hpp"
#include "bench/compare.hpp"
#include "bench/stats.hpp"

namespace gpuready::bench {

namespace {

constexpr double eight_hours_over_ten_minutes = 48;

Claim start(std::string id) {
  Claim claim;
  claim.claim = {"bench.claim." + id, {}};
  claim.id = std::move(id);
  return claim;
}

Claim not_tested(Claim claim, Message why, const std::string& detail) {
  claim.why = std::move(why);
  claim.measured = Fact<double>::absent(Absence::not_tested, detail);
  claim.ci95 = Fact<Interval>::absent(Absence::not_tested, detail);
  return claim;
}

void decide(Claim& claim, bool holds, double measured, const Interval& ci95) {
  claim.verdict = holds ? ClaimVerdict::true_here : ClaimVerdict::false_here;
  claim.measured = Fact<double>(measured, "bench");
  claim.ci95 = Fact<Interval>(ci95, "bench");
}

/// The largest product of the type on the first GPU.
const Case* find_gpu(const std::vector<Case>& cases, const std::string& type, const Case* like) {
  const Case* best = nullptr;
  for (const Case& c : cases) {
    const bool same = like == nullptr || (c.device == like->device && c.shape == like->shape);
    if (c.dtype.name == type && is_on_gpu(c) && same &&
        (best == nullptr || c.shape.flop() > best->shape.flop()))
      best = &c;
  }
  return best;
}

struct Ratio {
  double value = 0;
  Interval ci95;
};

Ratio rate_ratio(const Case& fast, const Case& slow) {
  return {slow.median_s / fast.median_s, ratio_interval(slow.ci95_s, fast.ci95_s)};
}

std::string shape_text(const Shape& s) { return base::format("{} x {} x {}", s.m, s.k, s.n); }

}  // namespace

std::optional<double> part_needed(double wanted, double ratio) {
  if (!(ratio > wanted)) return {};
  return (1 - 1 / wanted) / (1 - 1 / ratio);
}

Claim judge_tensor_cores(const ClaimFacts& facts) {
  constexpr double least = 4, most = 8;
  Claim claim = start("tensor-cores");
  const Case* const fp32 = find_gpu(facts.cases, "fp32", nullptr);
  if (fp32 == nullptr)
    return not_tested(std::move(claim), {"bench.claim.why.no-gpu", {}}, "no GPU was measured");
  const Case* const fp16 = find_gpu(facts.cases, "fp16", fp32);
  if (fp16 == nullptr)
    return not_tested(std::move(claim), {"bench.claim.why.no-fp16", {fp32->device}},
                      "no fp16 product was measured on " + fp32->device);
  const Ratio ratio = rate_ratio(*fp16, *fp32);
  decide(claim, ratio.value >= least && ratio.value <= most, ratio.value, ratio.ci95);
  const Case* const tf32 = find_gpu(facts.cases, "tf32", fp32);
  const bool above = ratio.value > most;
  std::vector<std::string> args{base::show_ratio(ratio.value), shape_text(fp32->shape)};
  if (tf32 == nullptr) {
    claim.why = {above ? "bench.claim.why.tensor-above-no-tf32" : "bench.claim.why.tensor-no-tf32",
                 std::move(args)};
    return claim;
  }
  args.push_back(base::show_ratio(rate_ratio(*tf32, *fp32).value));
  claim.why = {above ? "bench.claim.why.tensor-above" : "bench.claim.why.tensor", std::move(args)};
  return claim;
}

Claim judge_half_memory(const ClaimFacts& facts) {
  // Ten times the rounding of one fp16 number, 2^-11: what training code tolerates without a
  // thought.
  constexpr double almost_no_loss = 5e-3;
  Claim claim = start("half-memory");
  const HalfProbe& p = facts.fp16;
  const bool half = p.bytes_per_number == 2, exact = p.error <= almost_no_loss;
  decide(claim, half && exact, p.error, {p.error, p.error});
  claim.why = {
      p.overflowed > 0 ? "bench.claim.why.half-overflow" : "bench.claim.why.half",
      {base::show_small(p.error), base::show_small(facts.bf16.error), std::to_string(p.overflowed),
       std::to_string(p.products), base::show_fixed(p.largest_mean, 0)}};
  return claim;
}

Claim judge_eight_hours(const ClaimFacts& facts) {
  Claim claim = start("eight-hours");
  const auto& kernel = facts.speedup.kernel_only;
  if (!kernel)
    return not_tested(std::move(claim), {"bench.claim.why.no-gpu", {}}, kernel.missing().detail);
  const double ratio = kernel->ratio;
  const auto part = part_needed(eight_hours_over_ten_minutes, ratio);
  decide(claim, part.has_value(), ratio, kernel->ci95);
  claim.why = part ? Message{"bench.claim.why.eight-hours",
                             {base::show_ratio(ratio), base::show_fixed(100 * *part, 1)}}
                   : Message{"bench.claim.why.eight-hours-impossible", {base::show_ratio(ratio)}};
  return claim;
}

Claim judge_faster(const ClaimFacts& facts) {
  Claim claim = start("faster");
  const auto& sizes = facts.speedup.sizes;
  if (sizes.empty())
    return not_tested(std::move(claim), {"bench.claim.why.no-gpu", {}}, "no GPU was measured");
  const auto& travel = facts.speedup.with_transfers;
  if (!travel)
    return not_tested(std::move(claim), {"bench.claim.why.no-transfers", {}},
                      travel.missing().detail);
  decide(claim, travel->ci95.low >= 1, travel->ratio, travel->ci95);
  const auto& side = facts.speedup.break_even_n.with_transfers;
  if (side)
    claim.why = {"bench.claim.why.faster-from",
                 {base::show_ratio(travel->ratio), base::show_fixed(*side, 0)}};
  else
    claim.why = {"bench.claim.why.faster",
                 {base::show_ratio(travel->ratio), side.missing().detail}};
  return claim;
}

std::vector<Claim> judge_claims(const ClaimFacts& facts) {
  return {judge_tensor_cores(facts), judge_half_memory(facts), judge_eight_hours(facts),
          judge_faster(facts)};
}

}  // namespace gpuready::bench
