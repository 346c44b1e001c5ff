#pragma once
/// What storing numbers in half the bytes costs in accuracy, computed on the CPU.

#include <cstdint>

#include "bench/element.hpp"

namespace gpuready::bench {

struct HalfProbe {
  double error = 0;                           ///< relative Frobenius error on numbers from -1 to 1
  double bytes_per_number = 0;                ///< of fp32 it is 4
  double largest_mean = 0;                    ///< mean of the products of numbers from 0 to 10
  std::int64_t overflowed = 0, products = 0;  ///< of those, infinite in the output's type
  bool tiny_becomes_zero = false;             ///< 2e-8, which fp32 holds
};

/// Rows of a product of sums of `terms`, with inputs and output stored as `stored` and summed in
/// fp64, against fp64 of the original fp32 inputs.
HalfProbe probe_half(Element stored, std::int64_t terms, std::uint64_t seed);

}  // namespace gpuready::bench
