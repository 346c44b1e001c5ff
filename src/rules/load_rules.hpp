#pragma once
/// What load on a GPU shows; silent where there was none. The rows stand in health_rules.cpp.

#include <optional>
#include <string>

#include "gpuready/machine.hpp"
#include "rules/rule.hpp"

namespace gpuready::rules {

/// The first GPU under load that is so; nullptr where none is, or none was put under load.
const GpuLoad* load_where(const Machine& machine, bool (*wanted)(const GpuLoad&));
std::string load_name(const GpuLoad& load);

std::optional<Sighting> pcie_generation_reduced(const Machine& machine);
std::optional<Sighting> pcie_width_under_load(const Machine& machine);
std::optional<Sighting> ecc_errors_under_load(const Machine& machine);
std::optional<Sighting> wrong_product_under_load(const Machine& machine);
std::optional<Sighting> gpu_fails_under_load(const Machine& machine);
std::optional<Sighting> clocks_lowered_by_heat(const Machine& machine);

}  // namespace gpuready::rules
