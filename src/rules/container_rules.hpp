#pragma once
/// The checks of the area of containers and virtual machines, which stand in several files.

#include <optional>

#include "rules/rule.hpp"

namespace gpuready::rules {

// Containers (container_docker_rules.cpp)
std::optional<Sighting> container_without_gpus(const Machine& machine);
std::optional<Sighting> container_lacks_compute(const Machine& machine);
std::optional<Sighting> gpu_lost_in_container(const Machine& machine);
std::optional<Sighting> image_needs_newer_cuda(const Machine& machine);
std::optional<Sighting> driver_inside_image(const Machine& machine);
std::optional<Sighting> docker_without_gpu_toolkit(const Machine& machine);
std::optional<Sighting> docker_from_snap(const Machine& machine);
std::optional<Sighting> selinux_blocks_gpu(const Machine& machine);

// WSL, Colab, MIG, vGPU (container_guest_rules.cpp)
std::optional<Sighting> wsl_without_gpu_library(const Machine& machine);
std::optional<Sighting> linux_driver_in_wsl(const Machine& machine);
std::optional<Sighting> wsl_without_gpu_device(const Machine& machine);
std::optional<Sighting> wsl_driver_fails(const Machine& machine);
std::optional<Sighting> colab_without_gpu(const Machine& machine);
std::optional<Sighting> colab_environment_altered(const Machine& machine);
std::optional<Sighting> kaggle_without_gpu(const Machine& machine);
std::optional<Sighting> mig_without_instances(const Machine& machine);
std::optional<Sighting> mig_one_instance_per_process(const Machine& machine);
std::optional<Sighting> mig_change_pending(const Machine& machine);
std::optional<Sighting> vgpu_unlicensed(const Machine& machine);

}  // namespace gpuready::rules
