#pragma once
/// Which build of PyTorch fits a machine: compute capability of every visible GPU, driver and
/// Python together. Pure.

#include <optional>
#include <string>
#include <vector>

#include "catalog/wheels.hpp"
#include "gpuready/machine.hpp"

namespace gpuready::rules {

struct WheelRequest {
  std::string vendor = "nvidia";                     ///< nvidia, amd or intel
  std::vector<catalog::VersionNumber> capabilities;  ///< of every visible NVIDIA GPU
  std::vector<std::string> gfx_targets;              ///< of every visible AMD GPU
  std::optional<catalog::VersionNumber> driver;      ///< nothing: not known or not installed
  std::optional<catalog::VersionNumber> python;
  std::string os = "linux", arch = "x86_64";
};

enum class WheelOutcome {
  fits,              ///< tag, torch_min, torch_max and command hold
  no_wheel,          ///< a GPU for which none of the builds has kernels
  two_environments,  ///< each GPU has a build, no build has them all
  driver_too_old,    ///< `driver_needed` tells from which driver on there is a build
  python_unsupported,
  jetson,            ///< NVIDIA's own index for Jetson
  newer_than_table,  ///< the table can't know this GPU or Python
  unknown,           ///< a fact is missing
};

struct WheelChoice {
  WheelOutcome outcome = WheelOutcome::unknown;
  std::string tag;                                             ///< "cu126"; empty where none fits
  std::optional<catalog::VersionNumber> torch_min, torch_max;  ///< releases, both included
  std::optional<catalog::VersionNumber> driver_needed;
  std::string command;  ///< that installs it; empty where none fits
  std::string why;      ///< one sentence: the reason for the choice, or why there is none
  /// What else holds: a driver newer than the table, a driver older than the GPU.
  std::vector<std::string> notes;
};

WheelChoice choose_wheel(const WheelRequest& request, const catalog::WheelTables& tables);

/// The request of a machine and one of its Python environments (none: any Python): every GPU that
/// CUDA sees, or else that NVML sees; AMD's and Intel's where there is none of NVIDIA.
WheelRequest wheel_request(const Machine& machine, const PythonEnvironment* python);

/// Whether the build has code for the GPU: of the same generation and not newer, or as PTX;
/// nothing where the table does not know.
std::optional<bool> has_kernels_for(const catalog::Wheel& wheel,
                                    const catalog::VersionNumber& capability);
/// The row of a build by its tag and release; nullptr where the table has none.
const catalog::Wheel* find_wheel(const catalog::WheelTables& tables, const std::string& tag,
                                 const catalog::VersionNumber& torch, const std::string& arch);

/// "pip install torch torchvision --index-url ..." of that tag; with an upper bound where later
/// releases under the tag don't fit.
std::string install_command(const std::string& tag,
                            const std::optional<catalog::VersionNumber>& at_most);

}  // namespace gpuready::rules
