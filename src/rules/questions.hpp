#pragma once
/// Questions that several rules ask of the facts. Pure.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "gpuready/machine.hpp"

namespace gpuready::rules {

inline constexpr std::int64_t errno_eperm = 1;    ///< errno of Linux: forbidden by a policy
inline constexpr std::int64_t errno_eacces = 13;  ///< errno of Linux: forbidden by the file's mode

/// Whether at least one GPU ran our kernel and gave the right result.
bool kernel_ran(const Machine& machine);
/// The code of a call that failed; nothing where the fact is known or absent for another reason.
std::optional<std::int64_t> failure_code(const Fact<bool>& fact);
/// Whether the call failed with one of these codes.
bool failed_with(const Fact<bool>& fact, std::initializer_list<std::int64_t> codes);
/// The first device on which no context or no kernel could be had for one of these codes (of
/// CUresult); nullptr where there is none.
const CudaDevice* device_that_failed_with(const Machine& machine,
                                          std::initializer_list<std::int64_t> codes);
/// Evidence of such a device: its context's failure, or its kernel's.
const Fact<bool>& failure_of(const CudaDevice& device);

bool nvml_sees_a_device(const Machine& machine);
/// GPU of NVIDIA on the bus, or NVML's or the kernel module's word that there is one.
bool has_nvidia_gpu(const Machine& machine);
bool has_nvswitch(const Machine& machine);

/// The device file of this path, or nullptr where it is not listed.
const DeviceFile* device_file(const Machine& machine, std::string_view path);
/// The first of NVIDIA's nodes that opening fails with this errno, or nullptr.
const DeviceFile* nvidia_node_failing_with(const Machine& machine, std::int64_t error);
/// Whether the node is known not to be there.
bool is_missing(const DeviceFile* file);

/// The variable's value; nothing where it is not set.
std::optional<std::string> variable(const Machine& machine, const std::string& name);
bool in_slurm_job(const Machine& machine);
/// A container that is run like a machine and has a driver of its own (LXC, systemd-nspawn), not
/// one that a runtime such as docker gives the host's.
bool in_system_container(const Machine& machine);

/// The version's number before the first dot; nothing where there is none.
std::optional<std::int64_t> major_of(std::string_view version);

}  // namespace gpuready::rules
