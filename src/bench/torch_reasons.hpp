#pragma once
/// Why a product through PyTorch is slower than ours. Pure.

#include <cstdint>
#include <string>
#include <vector>

#include "gpuready/message.hpp"

namespace gpuready::bench {

/// What PyTorch told of itself.
struct TorchSetup {
  std::string config;  ///< torch.__config__.show()
  std::string cuda;    ///< torch.version.cuda; empty in a build for the CPU
  std::int64_t threads = 0;
  bool tf32 = false;  ///< as it stood before the measurement
};

struct TorchAsked {
  std::string device, dtype, our_library;
  std::int64_t our_threads = 0;
  double ratio = 1;  ///< PyTorch's rate over ours
};

/// Below 90 % of ours, what differs: threads, the BLAS that it was built with, a build for the CPU.
/// Empty where it is as fast. The last reason is that nothing known differs.
std::vector<Message> torch_reasons(const TorchSetup& setup, const TorchAsked& asked);

/// "mkl", "open" and the like from the build's description; empty where it names none.
std::string blas_of(const std::string& config);

}  // namespace gpuready::bench
