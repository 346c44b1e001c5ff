#pragma once
/// A request with nothing left to guess: every option that the terms need, as numbers.

#include <string>
#include <vector>

#include "fit/estimate.hpp"
#include "fit/model.hpp"
#include "gpuready/fit.hpp"

namespace gpuready::fit {

struct InferencePlan {
  Runtime runtime = Runtime::llama_cpp;
  std::string kv_dtype;
  double cache_element_bytes = 2;  ///< blocks of quantised types counted in full
  double activation_bytes = 2;     ///< of an element between layers
  double context = 0;              ///< tokens of one sequence that the cache holds
  double sequences = 1;
  double tokens = 0;  ///< of one sequence, in one forward pass: the prompt, or the micro-batch
  double batched_tokens = 0;      ///< vLLM: of all sequences in one pass
  double running_sequences = 0;   ///< vLLM: at most at a time
  bool flash = true;              ///< attention without the matrix of scores
  double tp = 1, pp = 1, ep = 1;  ///< ranks
  double util = 1;                ///< part of the memory that the runtime may take
  double n_gpu_layers = -1;       ///< llama.cpp: -1: all and the head
  double n_cpu_moe = 0;           ///< llama.cpp: first layers whose experts stay in main memory
};

/// Memory of one device, by term.
struct DeviceTerms {
  std::int64_t device = 0;  ///< index into Devices::gpus; -1: the CPU
  std::int64_t layers = 0;
  std::array<Range, EnumNames<TermName>::list.size()> terms{};

  Range& operator[](TermName name) { return terms[static_cast<std::size_t>(name)]; }
  const Range& operator[](TermName name) const { return terms[static_cast<std::size_t>(name)]; }
  [[nodiscard]] Range total() const;
};

}  // namespace gpuready::fit
