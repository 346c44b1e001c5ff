#pragma once
/// The checks of the driver's area, which stand in several files: what was loaded, the device
/// nodes, what cuInit and the first context say.

#include <optional>

#include "rules/rule.hpp"

namespace gpuready::rules {

// Libraries and versions (driver_version_rules.cpp)
std::optional<Sighting> driver_library_mismatch(const Machine& machine);
std::optional<Sighting> driver_mismatch_while_running(const Machine& machine);
std::optional<Sighting> libcuda_missing(const Machine& machine);
std::optional<Sighting> stub_libcuda(const Machine& machine);
std::optional<Sighting> compat_libcuda_mismatch(const Machine& machine);
std::optional<Sighting> compat_on_consumer_gpu(const Machine& machine);
std::optional<Sighting> driver_too_old_for_torch(const Machine& machine);
std::optional<Sighting> ptx_too_new_for_driver(const Machine& machine);
std::optional<Sighting> driver_in_two_places(const Machine& machine);

// Device nodes (driver_node_rules.cpp)
std::optional<Sighting> uvm_missing(const Machine& machine);
std::optional<Sighting> device_nodes_missing(const Machine& machine);
std::optional<Sighting> device_node_permission(const Machine& machine);
std::optional<Sighting> control_group_denies_gpu(const Machine& machine);

// cuInit and the first context (driver_start_rules.cpp)
std::optional<Sighting> uvm_broken_after_suspend(const Machine& machine);
std::optional<Sighting> cuda_start_unknown_error(const Machine& machine);
std::optional<Sighting> compute_mode_forbids(const Machine& machine);
std::optional<Sighting> gpu_unavailable(const Machine& machine);
std::optional<Sighting> fabric_manager_differs(const Machine& machine);
std::optional<Sighting> fabric_not_ready(const Machine& machine);
std::optional<Sighting> system_not_ready(const Machine& machine);
std::optional<Sighting> mps_broken(const Machine& machine);
std::optional<Sighting> persistence_mode_off(const Machine& machine);
std::optional<Sighting> wsl_many_gpus(const Machine& machine);
std::optional<Sighting> cuda_gives_no_answer(const Machine& machine);
std::optional<Sighting> nvml_gives_no_answer(const Machine& machine);

}  // namespace gpuready::rules
