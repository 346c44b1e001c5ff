#pragma once
/// The generation of one of NVIDIA's GPUs by its PCI device number, as far as drivers differ.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "gpuready/driver.hpp"

namespace gpuready::rules {

/// Generations by what a driver can do for them.
enum class Age { kepler, maxwell_to_volta, turing_to_hopper, blackwell };

/// NVIDIA numbers its devices by generation (the PCI ID repository: GM107 begins at 0x1340, TU102
/// at 0x1e00, GB100 at 0x2900).
inline Age age_of_device(std::int64_t device) {
  if (device < 0x1340) return Age::kepler;
  if (device < 0x1e00) return Age::maxwell_to_volta;
  if (device < 0x2900) return Age::turing_to_hopper;
  return Age::blackwell;
}

/// Nothing where the bus does not tell the device's number.
inline std::optional<Age> age_of_gpu(const PciFunction& gpu) {
  const std::string id = gpu.device_id.value_or("");
  if (!base::starts_with(id, "0x")) return {};
  const auto device = base::to_integer(std::string_view(id).substr(2), 16);
  if (!device) return {};
  return age_of_device(*device);
}

}  // namespace gpuready::rules
