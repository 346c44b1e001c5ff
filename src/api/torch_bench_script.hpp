#pragma once

#include <string_view>

namespace gpuready::api {

/// The Python program that multiplies through PyTorch. Its one argument is JSON: device, m, n, k,
/// dtype, seconds. Its answer is one line of JSON after torch_bench_mark.
std::string_view torch_bench_script();
inline constexpr std::string_view torch_bench_mark = "gpuready-torch-bench:";

}  // namespace gpuready::api
