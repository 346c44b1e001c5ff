#pragma once
/// The types of a product by the short names of the command line.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/element.hpp"
#include "gpuready/measurements.hpp"

namespace gpuready::bench {

/// What a product of these types may be off by.
struct Tolerance {
  double frobenius = 0;  ///< relative Frobenius error
  double element = 0;    ///< error of one element over the root mean square of C
};

struct DtypeRow {
  std::string_view name;
  std::string_view type_input, type_compute, type_accumulate, type_output;
  Element input, output;  ///< how A and B, and C, are stored
  Tolerance tolerance;

  [[nodiscard]] Dtype dtype() const;
};

/// The row of "fp64", "fp32", "tf32", "bf16", "fp16", "fp16-acc16", "fp8" or "int8"; null for any
/// other name.
const DtypeRow* find_dtype(std::string_view name);
/// The short name of these four types; empty where they have none.
std::string dtype_name(const Dtype& dtype);
std::vector<std::string> dtype_names();

}  // namespace gpuready::bench
