#pragma once

#include <string_view>

namespace gpuready::probe {

/// The Python program that asks PyTorch; its answers are lines that begin with torch_mark.
std::string_view torch_script();
inline constexpr std::string_view torch_mark = "gpuready-torch:";

}  // namespace gpuready::probe
