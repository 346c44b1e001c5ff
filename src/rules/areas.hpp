#pragma once
/// The tables of rules, one per area; each stands in <area>_rules.cpp.

#include <vector>

#include "rules/rule.hpp"

namespace gpuready::rules {

const std::vector<Rule>& hardware_rules();     ///< PCI, kernel driver, kernel log
const std::vector<Rule>& driver_rules();       ///< libraries, versions, nodes, cuInit, context
const std::vector<Rule>& environment_rules();  ///< variables, Slurm
const std::vector<Rule>& container_rules();    ///< containers, WSL, Colab, vGPU, MIG
const std::vector<Rule>& python_rules();       ///< PyTorch, cuDNN, what shadows them
const std::vector<Rule>& vendor_rules();       ///< AMD, Intel
const std::vector<Rule>& health_rules();       ///< ECC, PCIe, clocks, power, memory

}  // namespace gpuready::rules
