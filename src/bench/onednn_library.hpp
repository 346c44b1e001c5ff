#pragma once
/// oneDNN, and what it says of the CPU.

#include <string>

#include "bench/backend.hpp"
#include "vendor/onednn.hpp"

namespace gpuready::bench {

struct OneDnnLibrary {
  vendor::OneDnn api{};
  std::string file, version;
  int isa = 0;  ///< dnnl_cpu_isa_t; 0 where the library doesn't tell
  std::int64_t threads = 1;

  [[nodiscard]] bool has_matmul() const;  ///< version 3 and its interface for every type
  [[nodiscard]] Fact<std::string> instructions() const;
};

/// `file` may be empty: the library's usual names. Sets the threads; an error where the library
/// takes them from something else than OpenMP.
Result<OneDnnLibrary> open_onednn_library(host::Host& host, const std::string& file,
                                          std::int64_t threads);

/// "AVX512-BF16" for dnnl_cpu_isa_avx512_core_bf16, and so on; the number where it is newer.
std::string isa_name(int isa);
/// "unimplemented (3)".
std::string onednn_error(const char* function, int status);

/// What can be said of a type before anything is tried: whether the CPU multiplies it itself, or an
/// error with unsupported_code.
Result<bool> multiplies_itself(const OneDnnLibrary& library, const std::string& dtype);

}  // namespace gpuready::bench
