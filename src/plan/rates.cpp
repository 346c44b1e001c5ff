#include "plan/rates.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "catalog/gemm_rates.hpp"
#include "catalog/peak.hpp"
#include "plan/range.hpp"

namespace gpuready::plan {

namespace {

constexpr double tera = 1e12;

/// Of a data sheet's peak, what a large product reaches on a healthy GPU: T4 and L4 50 to 65 % (70
/// W cap), GeForce 55 to 65 % in fp32, A100 and H100 75 to 87 %; GeForce in fp16 and bf16 up to 115
/// %, as they run above the clock of the sheet (zzc0721/torch-performance-test-data,
/// stas00/ml-engineering).
constexpr PlanRange part_of_peak{0.45, 0.7, 1.15};
/// Around the lowest published rate: eleven RTX 4090 spread over 46.5 to 56.0 TFLOP/s in fp32.
constexpr PlanRange around_published{0.9, 1.05, 1.2};
/// Around our own measurement, run by run.
constexpr PlanRange around_measured{0.95, 1, 1.05};

double column(const catalog::Gpu& gpu, const std::string& dtype) {
  if (dtype == "fp32") return gpu.fp32_tflops;
  if (dtype == "tf32") return gpu.tf32_tflops;
  if (dtype == "fp16") return gpu.fp16_tflops;
  if (dtype == "bf16") return gpu.bf16_tflops;
  return 0;
}

/// The peak of the type in TFLOP/s; 0: not known.
double peak_tflops(const catalog::Gpu& gpu, const std::string& dtype) {
  const double told = column(gpu, dtype);
  if (told > 0 || gpu.fp32_tflops <= 0 || gpu.compute_capability <= 0) return told;
  static const auto table =
      catalog::load_peak_ops(catalog::Override{}).value_or(std::vector<catalog::PeakOps>());
  const catalog::PeakOps* ops =
      catalog::find_peak_ops(table, base::format("{:.1f}", gpu.compute_capability), gpu.name);
  if (ops == nullptr) return 0;
  const auto wanted = ops->ops.find(dtype), plain = ops->ops.find("fp32");
  if (wanted == ops->ops.end() || plain == ops->ops.end() || plain->second <= 0) return 0;
  return gpu.fp32_tflops * wanted->second / plain->second;
}

/// What sgemm reached on one core, in GFLOP/s, by the widest vectors: AVX-512 107 to 185 (EPYC,
/// OpenBLAS 0.3.21 and oneDNN 2.6) and 52 on a shared thread; AVX2 117 (i7-7700K), 95 (i7-13700K,
/// all cores), 55 (Ryzen 4900), 33 (Threadripper 3990X, 64 cores); AVX 48 (i7-3770K); without, a
/// Ryzen 3700X on the SSE path 19. Apple and server ARM cores: 30 to 100 as their vectors are.
PlanRange core_gflops(const Machine& machine) {
  const auto sets = machine.cpu.instruction_sets.value_or({});
  const auto has = [&](const char* name) { return std::ranges::find(sets, name) != sets.end(); };
  if (has("avx512f")) return {50, 110, 185};
  if (has("avx2")) return {30, 70, 120};
  if (has("avx")) return {20, 40, 60};
  return {8, 20, 100};
}

}  // namespace

std::string type_on(const catalog::Gpu& gpu, const std::string& dtype) {
  if (dtype != "half") return dtype;
  if (gpu.compute_capability >= 8) return "bf16";
  if (gpu.compute_capability >= 7) return "fp16";
  if (gpu.compute_capability > 0) return "fp32";
  if (gpu.bf16_tflops > 0) return "bf16";
  return gpu.fp16_tflops > 0 ? "fp16" : "fp32";
}

RateBook::RateBook(const std::vector<catalog::Gpu>& gpus) {
  for (const catalog::GemmRate& rate :
       catalog::load_gemm_rates().value_or(std::vector<catalog::GemmRate>())) {
    // A product name that fits several rows was measured on one of them: it is a floor of each.
    for (const catalog::Gpu* row : catalog::find_gpus(gpus, rate.gpu)) {
      Published& lowest = published_[{row->name, rate.dtype}];
      if (lowest.tflops == 0 || rate.tflops < lowest.tflops)
        lowest = {rate.tflops, "data/gemm_rates.csv: " + rate.source};
    }
  }
}

Rate RateBook::rate(const catalog::Gpu& gpu, const std::string& dtype) const {
  const std::string type = type_on(gpu, dtype);
  Rate rate;
  if (const auto found = published_.find({gpu.name, type}); found != published_.end()) {
    rate.flops = Fact<PlanRange>(scaled(around_published, found->second.tflops * tera),
                                 found->second.source);
    return rate;
  }
  const double peak = peak_tflops(gpu, type);
  if (peak > 0)
    rate.flops = Fact<PlanRange>(scaled(part_of_peak, peak * tera), "data/gpus.csv: peak");
  else
    rate.flops = Fact<PlanRange>::absent(
        Absence::not_found, "data/gpus.csv has no rate of " + gpu.name + " in " + type);
  return rate;
}

Rate measured_rate(const Bench& bench, const std::string& device, const std::string& dtype) {
  double best = 0;
  for (const Case& c : bench.cases)
    if (c.device == device && c.dtype.name == dtype && c.verification.passed)
      best = std::max(best, c.flops);
  if (best <= 0) return {Fact<PlanRange>::absent(Absence::not_tested, "not measured"), false};
  return {Fact<PlanRange>(scaled(around_measured, best), "bench"), true};
}

Rate cpu_rate(const Machine& machine, const Bench& bench) {
  Rate rate = measured_rate(bench, "cpu", "fp32");
  if (rate.flops) return rate;
  const Fact<std::int64_t>& cores = machine.cpu.usable_physical_cores
                                        ? machine.cpu.usable_physical_cores
                                        : machine.cpu.physical_cores;
  if (!cores || *cores <= 0) {
    rate.flops =
        Fact<PlanRange>::absent(Absence::not_found, "how many cores there are is not known");
    return rate;
  }
  constexpr double giga = 1e9;
  rate.flops = Fact<PlanRange>(scaled(core_gflops(machine), static_cast<double>(*cores) * giga),
                               "cores x published rates");
  return rate;
}

PlanRange training_part(bool on_cpu, const TrainingOptions& options) {
  // Operations as in work.hpp over the rate of products in bf16. Llama 3.1 8B: LoRA on an RTX 4090
  // 3083 tokens/s 87 %, QLoRA 2413, full 1650 64 % (pytorch/torchtune README, all computed twice);
  // FSDP on eight H100 5762 to 6667 tokens/s each 38 to 44 % (pytorch/torchtitan
  // llama3_h100_202412); Llama 2 7B, LoRA, one short sample at a time on an A100 8 %
  // (Lightning-AI/litgpt resource-tables).
  PlanRange part{0.1, 0.45, 0.9};
  if (on_cpu) part = {0.2, 0.5, 0.9};
  // Weights are unpacked at each use: 2413 of 3083 (torchtune), 2.36 of 3.68 min (litgpt).
  if (options.task == "qlora") part = product(part, {0.55, 0.78, 1});
  // Llama 3.1 70B with optimizer offload on eight A100: 1568 tokens/s, 31 to 41 % (torchtune).
  if (options.offload != "none") part = product(part, {0.3, 0.8, 1});
  return part;
}

// Reading a prompt is products of many rows: from a tenth (short prompts) to nearly all of a rate.
PlanRange prompt_part() { return {0.1, 0.45, 0.9}; }

// Work told in operations: from training with short samples to products alone, as above.
PlanRange flops_part() { return {0.1, 0.45, 0.95}; }

PlanRange speedup_part() {
  // ResNet-18 on a T4 was 13.3 times as fast as on Colab's Xeon (bishara74/GPU-Training-Tutorial),
  // where products are some 70 times as fast: a fifth. Products alone: all. Small models and data
  // that the CPU prepares: less.
  return {0.06, 0.25, 1};
}

PlanRange working_gpus(std::int64_t count) {
  if (count <= 1) return exactly(1);
  // Each of 128 GPUs did 97 % of each of 8 (torchtitan); each of two A100 40 % of one alone
  // (litgpt, 2.36 against 5.93 min for the same steps).
  return scaled({0.4, 0.85, 0.97}, static_cast<double>(count));
}

}  // namespace gpuready::plan
