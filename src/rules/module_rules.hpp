#pragma once
/// The checks of why no module, or the wrong one, drives the GPU (module_rules.cpp).

#include <optional>

#include "rules/rule.hpp"

namespace gpuready::rules {

std::optional<Sighting> driver_not_installed(const Machine& machine);
std::optional<Sighting> module_not_built_for_kernel(const Machine& machine);
std::optional<Sighting> secure_boot_rejects_module(const Machine& machine);
std::optional<Sighting> module_blacklisted(const Machine& machine);
std::optional<Sighting> module_not_loaded(const Machine& machine);
std::optional<Sighting> gpu_too_old_for_driver(const Machine& machine);
std::optional<Sighting> open_module_on_old_gpu(const Machine& machine);
std::optional<Sighting> closed_module_on_new_gpu(const Machine& machine);
std::optional<Sighting> bar_too_small(const Machine& machine);
std::optional<Sighting> gsp_firmware_fails(const Machine& machine);
std::optional<Sighting> uvm_without_address_space(const Machine& machine);
std::optional<Sighting> driver_refuses_gpu(const Machine& machine);

}  // namespace gpuready::rules
