#pragma once
/// What others measured for matrix products on GPUs by product name, from data/gemm_rates.csv.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpuready/result.hpp"

namespace gpuready::catalog {

/// The lowest rate published for a healthy GPU of this model, for large products.
struct GemmRate {
  std::string gpu, dtype, source, as_of;
  double tflops = 0;
};

/// The compiled-in table; the error names the file, the record and the column.
Result<std::vector<GemmRate>> load_gemm_rates();
/// FLOP/s below which a GPU of this name is slow, whatever its peers do: 85 % of the lowest rate
/// published. Never a part of the data sheet's figure: a healthy T4 reaches half of that.
std::optional<double> gemm_floor(std::string_view gpu, std::string_view dtype);

}  // namespace gpuready::catalog
