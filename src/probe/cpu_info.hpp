#pragma once
/// What /proc/cpuinfo says; pure.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gpuready/fact.hpp"

namespace gpuready::probe {

/// Package and core of each logical CPU.
using CoreMap = std::map<int, std::pair<int, int>>;

struct CpuInfo {
  Fact<std::string> model, vendor;
  Fact<std::vector<std::string>> instruction_sets;
  std::vector<int> processors;
  CoreMap cores;  ///< empty where "core id" is not printed (ARM, many virtual machines)
};

/// `source`: the file that the text came from.
CpuInfo parse_cpu_info(const std::string& text, const std::string& source);

}  // namespace gpuready::probe
