#pragma once
/// What CUDA reads in CUDA_VISIBLE_DEVICES. Pure.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpuready/driver.hpp"

namespace gpuready::rules {

struct InvalidEntry {
  std::string text;
  std::size_t before = 0;  ///< valid entries before it; CUDA shows these only
};

/// The first entry that names none of these GPUs: a number beyond the last, a start of a UUID that
/// none has, a device named twice, or something else. Names of MIG instances are taken as valid,
/// since NVML lists GPUs here.
std::optional<InvalidEntry> first_invalid_entry(std::string_view value,
                                                const std::vector<NvmlDevice>& devices);

}  // namespace gpuready::rules
