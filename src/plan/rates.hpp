#pragma once
/// How fast devices are: measured on this machine, measured by others, or from data sheets. Pure.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "catalog/catalog.hpp"
#include "gpuready/plan.hpp"

namespace gpuready::plan {

/// FLOP/s of large matrix products, with where the figure comes from.
struct Rate {
  Fact<PlanRange> flops;
  bool measured = false;  ///< on this machine
};

/// The type that a GPU computes in where `dtype` is asked: "half" is bf16 from Ampere on, fp16 on
/// Volta and Turing, and fp32 before; the others stay.
std::string type_on(const catalog::Gpu& gpu, const std::string& dtype);

/// Rates of the table's GPUs. The table must outlive it.
class RateBook {
 public:
  explicit RateBook(const std::vector<catalog::Gpu>& gpus);
  /// What others measured (data/gemm_rates.csv), else a part of the peak. The peak of a type that
  /// the data sheet leaves out follows from fp32 and data/peak_ops.csv.
  [[nodiscard]] Rate rate(const catalog::Gpu& gpu, const std::string& dtype) const;

 private:
  struct Published {
    double tflops = 0;
    std::string source;
  };
  /// The lowest published rate by row and type.
  std::map<std::pair<std::string, std::string>, Published> published_;
};

/// The fastest right product that was measured on that device with that type.
Rate measured_rate(const Bench& bench, const std::string& device, const std::string& dtype);

/// This machine's CPU in fp32: measured, else its cores times what others measured for one core
/// with these instructions, which is a wide range.
Rate cpu_rate(const Machine& machine, const Bench& bench);

/// Part of a product's rate that real work reaches.
PlanRange training_part(bool on_cpu, const TrainingOptions& options);
PlanRange prompt_part();
PlanRange flops_part();
/// Part of the ratio of products, GPU over CPU, by which a whole program becomes faster.
PlanRange speedup_part();
/// GPUs that work together, as so many single ones.
PlanRange working_gpus(std::int64_t count);

}  // namespace gpuready::plan
