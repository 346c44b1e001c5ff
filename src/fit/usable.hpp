#pragma once
/// Memory that a program really gets.

#include "catalog/gpus.hpp"
#include "fit/estimate.hpp"
#include "gpuready/machine.hpp"

namespace gpuready::fit {

/// Of the memory that a data sheet names, the part that programs get: a driver keeps some.
double usable_bytes_of(double nominal_gib, std::int64_t reported_mib);

/// A GPU of the table, with so many GiB (0: as the table says, the least where it names several).
Device device_of(const catalog::Gpu& gpu, double gib);

/// The GPUs that a request means: those that it names (--gpu, --vram, --gpus), or this machine's.
/// The error names what is unknown or ambiguous, with the near names.
Result<Devices> devices_for(const FitRequest& request, const Machine& machine,
                            const std::vector<catalog::Gpu>& table);

}  // namespace gpuready::fit
