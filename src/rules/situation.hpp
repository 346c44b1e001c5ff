#pragma once

#include <string>
#include <vector>

#include "gpuready/machine.hpp"

namespace gpuready::rules {

/// The situations that fixes are written for, the most telling first: colab, kaggle, slurm, wsl,
/// the kind of container (docker, podman, kubernetes, apptainer, lxc), container, then the
/// distribution's family (ubuntu, debian, fedora, rhel, suse, arch, nixos), then any. A fix for the
/// first that has one is shown.
std::vector<std::string> situations(const Machine& machine);

}  // namespace gpuready::rules
