#pragma once
/// Whether a library chose its kernels for the CPU that it runs on. Pure.

#include <optional>
#include <string>

#include "gpuready/machine.hpp"
#include "gpuready/measurements.hpp"

namespace gpuready::api {

/// The widest vectors: what a CPU has, and what a library's kernels use.
enum class VectorLevel { unknown, older, avx2, avx512 };

/// From the flags that the kernel shows. A CPU counts as AVX-512 with the four extensions that
/// every server since Skylake has: BLAS libraries ask for them.
VectorLevel level_of_cpu(const Cpu& cpu);
std::string name_of(VectorLevel level);

/// From the name of a kernel set: OpenBLAS's core names, BLIS's architectures, MKL's files.
VectorLevel level_of_kernels(const std::string& backend, const std::string& target);

/// The variable that makes a library use the kernels that the CPU has.
struct KernelOverride {
  std::string variable, value;
};

/// Nothing where the library's choice is as wide as the CPU, or where it can't be told or changed.
std::optional<KernelOverride> override_for(const Cpu& cpu, const Case& measured);

}  // namespace gpuready::api
