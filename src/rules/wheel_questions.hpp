#pragma once
/// What the tables of wheels and toolkits say of one build, one GPU, one driver. Pure.

#include <optional>
#include <string>

#include "catalog/wheels.hpp"

namespace gpuready::rules {

/// As has_kernels_for(); where the list of a finished build was not measured, whether its CUDA
/// toolkit knows the GPU.
bool may_run_on(const catalog::Wheel& wheel, const catalog::VersionNumber& capability,
                const catalog::WheelTables& tables);
/// Whether a CUDA toolkit came before every generation whose machine code the GPU runs, so that its
/// compiler made none for it; false where the table does not know the GPU.
bool precedes_gpu(const catalog::VersionNumber& cuda, const catalog::VersionNumber& capability,
                  const catalog::WheelTables& tables);
/// Whether a CUDA toolkit no longer makes code for the GPU; false where the table does not know it.
bool has_dropped_gpu(const catalog::VersionNumber& cuda, const catalog::VersionNumber& capability,
                     const catalog::WheelTables& tables);
/// Whether the table of toolkits lists the compute capability.
bool knows_generation(const catalog::WheelTables& tables, const catalog::VersionNumber& capability);
/// The driver that came with the first toolkit for the GPU; nothing where it is not known.
std::optional<catalog::VersionNumber> first_driver_for(const catalog::WheelTables& tables,
                                                       const catalog::VersionNumber& capability);
/// Whether the build supports this Python; true where one of them is not known.
bool supports_python(const catalog::Wheel& wheel,
                     const std::optional<catalog::VersionNumber>& python);

}  // namespace gpuready::rules
