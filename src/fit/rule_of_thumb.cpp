#include "fit/rule_of_thumb.hpp"

#include <array>
#include <cmath>

namespace gpuready::fit {

namespace {

struct Precision {
  const char* dtype;
  double bytes;
};

/// The lesson's rule for fp16, and the same for 8-bit and 4-bit weights.
constexpr std::array precisions{Precision{"fp16", 2.0}, Precision{"int8", 1.0},
                                Precision{"int4", 0.5}};

Fact<std::string> largest_model(const catalog::Catalog& catalog, std::int64_t max_parameters) {
  const catalog::Model* best = nullptr;
  for (const catalog::Model& model : catalog.models) {
    if (model.kind != "llm" || model.parameters > max_parameters) continue;
    if (best == nullptr || model.parameters > best->parameters) best = &model;
  }
  if (best == nullptr)
    return Fact<std::string>::absent(Absence::not_found,
                                     "no catalogued language model is so small");
  return {best->name, "data/models.csv"};
}

const Gpu* largest_usable_gpu(const Machine& machine) {
  const Gpu* best = nullptr;
  for (const Gpu& gpu : machine.gpus) {
    if (!gpu.kernel.is(true) || !gpu.memory_free_bytes) continue;
    if (best == nullptr || *gpu.memory_free_bytes > *best->memory_free_bytes) best = &gpu;
  }
  return best;
}

}  // namespace

std::vector<RuleOfThumb> rules_of_thumb(std::int64_t usable_bytes,
                                        const catalog::Catalog& catalog) {
  std::vector<RuleOfThumb> rules;
  for (const Precision& precision : precisions) {
    RuleOfThumb rule;
    rule.dtype = precision.dtype;
    rule.bytes_per_parameter = precision.bytes;
    rule.max_parameters = static_cast<std::int64_t>(
        std::floor(static_cast<double>(usable_bytes) / precision.bytes));
    rule.example = largest_model(catalog, rule.max_parameters);
    rules.push_back(std::move(rule));
  }
  return rules;
}

Fit rule_of_thumb(const Machine& machine, const catalog::Catalog& catalog) {
  Fit fit;
  const Gpu* gpu = largest_usable_gpu(machine);
  fit.device = gpu == nullptr ? "cpu" : "cuda:" + std::to_string(gpu->cuda_index.value_or(0));
  fit.usable_bytes = gpu == nullptr ? machine.memory.usable_bytes : gpu->memory_free_bytes;
  constexpr std::int64_t most_bytes = std::int64_t{1} << 50U;  // 1 PiB: no machine has it
  if (fit.usable_bytes && (*fit.usable_bytes < 0 || *fit.usable_bytes > most_bytes))
    fit.usable_bytes = Fact<std::int64_t>::absent(
        Absence::unreadable, std::to_string(*fit.usable_bytes) + " bytes is no size of a memory");
  if (!fit.usable_bytes) return fit;
  fit.rule_of_thumb = rules_of_thumb(*fit.usable_bytes, catalog);
  return fit;
}

}  // namespace gpuready::fit
