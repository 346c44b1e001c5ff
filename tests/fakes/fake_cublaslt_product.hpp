#pragma once
/// One product of the fake cuBLASLt: any types, computed as they say.

#include <cstddef>

#include "bench/element.hpp"
#include "fake_gemm.hpp"

namespace gpuready::fakes {

/// What is multiplied with what, in the memory of the fake libcuda.so.1.
struct LtProduct {
  Stored a, b, c;
  bench::Element input, output;
  bool tf32 = false;  ///< inputs lose all but ten bits of mantissa
  const std::byte *a_data = nullptr, *b_data = nullptr;
  std::byte* c_data = nullptr;

  /// C = A * B; then one element is spoiled if the script says so.
  void operator()() const;
};

}  // namespace gpuready::fakes
