#include "catalog/gemm_rates.hpp"

#include "catalog/rows.hpp"

namespace gpuready::catalog {

namespace {

GemmRate read_rate(Cells& cells) {
  GemmRate rate;
  rate.gpu = cells.text("gpu"), rate.dtype = cells.text("dtype");
  rate.tflops = cells.number("tflops");
  rate.source = cells.text("source"), rate.as_of = cells.text("as_of");
  return rate;
}

}  // namespace

Result<std::vector<GemmRate>> load_gemm_rates() {
  return read_table<GemmRate>("gemm_rates.csv", Override{}, read_rate);
}

std::optional<double> gemm_floor(std::string_view gpu, std::string_view dtype) {
  constexpr double part = 0.85, tera = 1e12;
  static const auto table = load_gemm_rates().value_or(std::vector<GemmRate>());
  for (const GemmRate& rate : table)
    if (rate.gpu == gpu && rate.dtype == dtype) return part * tera * rate.tflops;
  return {};
}

}  // namespace gpuready::catalog
