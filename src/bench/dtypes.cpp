#include "bench/dtypes.hpp"

#include <algorithm>

namespace gpuready::bench {

namespace {

/// The relative errors against exact arithmetic on the stored inputs, emulated for sums of 512 to
/// 16384 terms: fp32 added in the worst order 2.3e-6; TF32 rounding of the inputs 3e-4; output in
/// fp16 2.1e-4, in bf16 1.7e-3; sums in fp16 1.8e-2. The tolerance is some times that; single
/// elements spread to about ten times the mean. Integers are exact.
constexpr std::array rows{
    DtypeRow{"fp64", "fp64", "fp64", "fp64", "fp64", Element::fp64, Element::fp64, {1e-13, 1e-12}},
    DtypeRow{"fp32", "fp32", "fp32", "fp32", "fp32", Element::fp32, Element::fp32, {1e-5, 1e-4}},
    DtypeRow{
        "tf32", "fp32", "tf32", "fp32", "fp32", Element::fp32, Element::fp32, {1.5e-3, 1.5e-2}},
    DtypeRow{"bf16", "bf16", "bf16", "fp32", "bf16", Element::bf16, Element::bf16, {1e-2, 1e-1}},
    DtypeRow{
        "fp16", "fp16", "fp16", "fp32", "fp16", Element::fp16, Element::fp16, {1.5e-3, 1.5e-2}},
    DtypeRow{
        "fp16-acc16", "fp16", "fp16", "fp16", "fp16", Element::fp16, Element::fp16, {5e-2, 5e-1}},
    DtypeRow{"fp8",
             "fp8-e4m3",
             "fp8-e4m3",
             "fp32",
             "bf16",
             Element::fp8_e4m3,
             Element::bf16,
             {2e-2, 2e-1}},
    DtypeRow{"int8", "int8", "int8", "int32", "int32", Element::int8, Element::int32, {0, 0}},
};

}  // namespace

Dtype DtypeRow::dtype() const {
  return {std::string(name), std::string(type_input), std::string(type_compute),
          std::string(type_accumulate), std::string(type_output)};
}

const DtypeRow* find_dtype(std::string_view name) {
  const auto* row = std::ranges::find(rows, name, &DtypeRow::name);
  return row == rows.end() ? nullptr : row;
}

std::string dtype_name(const Dtype& dtype) {
  for (const DtypeRow& row : rows)
    if (row.type_input == dtype.input && row.type_compute == dtype.compute &&
        row.type_accumulate == dtype.accumulate && row.type_output == dtype.output)
      return std::string(row.name);
  return {};
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (const DtypeRow& row : rows) names.emplace_back(row.name);
  return names;
}

}  // namespace gpuready::bench
