#pragma once
/// Climbs from the PCI bus to PyTorch and stops at the first broken rung. Pure.

#include "gpuready/findings.hpp"
#include "gpuready/machine.hpp"

namespace gpuready::rules {

/// The ladder, the verdict and its one sentence. What lies above the first broken rung is
/// not-tested.
Doctor climb(const Machine& machine);

/// What to use for a GPU program in general: cuda only where a kernel really ran.
DeviceChoice choose_device(const Machine& machine, const Doctor& doctor);
/// What the PyTorch of the default Python environment would use.
DeviceChoice choose_torch_device(const Machine& machine, const Doctor& doctor);

/// The environment that `python` means; nullptr where there is none.
const PythonEnvironment* default_python(const Machine& machine);

}  // namespace gpuready::rules
