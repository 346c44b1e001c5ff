#pragma once
/// Which PCI functions are GPUs. Ids: the PCI ID repository (pci-ids.ucw.cz).

#include <string_view>

#include "gpuready/machine.hpp"

namespace gpuready::probe {

inline constexpr std::string_view pci_nvidia = "0x10de", pci_amd = "0x1002", pci_intel = "0x8086";

/// Class 0x03 (display: VGA, 3D and other controllers), and the "processing accelerators" (class
/// 0x1200) of AMD and NVIDIA.
bool is_gpu(const PciFunction& function);
bool is_nvswitch(const PciFunction& function);

}  // namespace gpuready::probe
