#pragma once
/// The checks of the Python area, which stand in several files, and what they share.

#include <optional>
#include <string>

#include "catalog/version_number.hpp"
#include "gpuready/machine.hpp"
#include "rules/rule.hpp"

namespace gpuready::rules {

/// The environment in question and its PyTorch; nullptr where there is none. It is the one that
/// `python` means; where that is the system's and has no PyTorch, the one at hand that has.
struct DefaultTorch {
  const PythonEnvironment* python = nullptr;
  const TorchBuild* torch = nullptr;
  std::string field;  ///< its path in the facts, as "machine.python[0]"
};
DefaultTorch default_torch(const Machine& machine);

bool has_gpu_of(const Machine& machine, const char* vendor);
/// An AMD GPU that a ROCm build of the table lists, or whose target is not known.
bool has_amd_gpu_for_torch(const Machine& machine);
/// Whether it is one of PyTorch's own builds for CUDA, whose contents the table knows.
bool is_cuda_wheel(const TorchBuild& torch);
/// The command that installs the build that fits into this environment; a comment with the reason
/// where none does.
std::string install_line(const Machine& machine, const PythonEnvironment* python);

// Which build it is (torch_build_rules.cpp)
std::optional<Sighting> cpu_build_of_torch(const Machine& machine);
std::optional<Sighting> conda_keeps_cpu_torch(const Machine& machine);
std::optional<Sighting> torch_for_other_vendor(const Machine& machine);
std::optional<Sighting> wheel_lacks_kernels(const Machine& machine);
std::optional<Sighting> wheel_lacks_one_gpu(const Machine& machine);
std::optional<Sighting> jetson_needs_jetpack_torch(const Machine& machine);

// What lies beside it (torch_neighbour_rules.cpp)
std::optional<Sighting> several_torch_copies(const Machine& machine);
std::optional<Sighting> jupyter_kernel_elsewhere(const Machine& machine);
std::optional<Sighting> torch_set_from_two_indexes(const Machine& machine);
std::optional<Sighting> older_cudnn_shadows_torch(const Machine& machine);
std::optional<Sighting> older_cuda_shadows_torch(const Machine& machine);
std::optional<Sighting> nvidia_packages_differ_from_pins(const Machine& machine);

// What PyTorch itself says (torch_answer_rules.cpp)
std::optional<Sighting> torch_import_fails(const Machine& machine);
std::optional<Sighting> torch_gives_no_answer(const Machine& machine);
std::optional<Sighting> python_hides_gpus(const Machine& machine);
std::optional<Sighting> torch_loads_other_libcuda(const Machine& machine);
std::optional<Sighting> torch_sees_no_gpu(const Machine& machine);
std::optional<Sighting> torch_product_fails(const Machine& machine);
std::optional<Sighting> torch_product_wrong(const Machine& machine);
std::optional<Sighting> torch_list_lacks_gpu(const Machine& machine);
std::optional<Sighting> torch_list_differs_from_table(const Machine& machine);

// Whether it can be installed (torch_install_rules.cpp)
std::optional<Sighting> no_wheel_for_python(const Machine& machine);
std::optional<Sighting> python_newer_than_wheels(const Machine& machine);
std::optional<Sighting> no_wheel_for_libc(const Machine& machine);

}  // namespace gpuready::rules
