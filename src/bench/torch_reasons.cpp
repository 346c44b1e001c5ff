#include "bench/torch_reasons.hpp"

#include "base/text.hpp"

namespace gpuready::bench {

std::string blas_of(const std::string& config) {
  const std::string mark = "BLAS_INFO=";
  const std::size_t at = config.find(mark);
  if (at == std::string::npos) return {};
  const std::size_t from = at + mark.size();
  return config.substr(from, config.find_first_of(", \n", from) - from);
}

std::vector<Message> torch_reasons(const TorchSetup& setup, const TorchAsked& asked) {
  constexpr double as_fast = 0.9;
  if (asked.ratio >= as_fast) return {};
  std::vector<Message> reasons;
  if (asked.device == "cpu") {
    if (setup.threads != asked.our_threads)
      reasons.push_back({"bench.torch.why.threads",
                         {std::to_string(setup.threads), std::to_string(asked.our_threads)}});
    if (const std::string blas = blas_of(setup.config); !blas.empty() && blas != asked.our_library)
      reasons.push_back({"bench.torch.why.blas", {blas, asked.our_library}});
  } else if (!setup.tf32 && asked.dtype == "tf32") {
    reasons.push_back({"bench.torch.why.tf32-off", {}});
  }
  if (reasons.empty()) reasons.push_back({"bench.torch.why.unknown", {}});
  return reasons;
}

}  // namespace gpuready::bench
