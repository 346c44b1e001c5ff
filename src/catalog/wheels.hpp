#pragma once
/// Which builds of PyTorch exist and what they run on (data/torch_wheels.csv), and which CUDA
/// toolkits know which GPU and need which driver (data/cuda_compat.csv). What a table leaves empty
/// is not known.

#include <optional>
#include <string>
#include <vector>

#include "catalog/rows.hpp"
#include "catalog/version_number.hpp"

namespace gpuready::catalog {

/// The builds with one tag over a range of torch releases.
struct Wheel {
  std::string vendor, tag, os, arch;                    ///< "nvidia", "cu126", "linux", "x86_64"
  std::optional<VersionNumber> torch_min, torch_max;    ///< releases, both included
  std::optional<VersionNumber> python_min, python_max;  ///< releases, both included
  std::vector<std::string> targets;  ///< "8.9" (NVIDIA) or "gfx1100" (AMD); empty: not known
  std::optional<VersionNumber> ptx;  ///< newest PTX, which newer GPUs compile for themselves
  std::optional<VersionNumber> driver_min, cuda;
  std::string cudnn;          ///< empty: not known
  bool experimental = false;  ///< released, but marked so
  bool last = false;          ///< no later torch release has this tag
  std::string as_of;
};

/// A generation of NVIDIA's GPUs.
struct SmSupport {
  VersionNumber sm, first_toolkit;
  std::optional<VersionNumber> last_toolkit;   ///< empty: current ones still do
  std::optional<VersionNumber> driver_branch;  ///< last branch for it; empty: current ones still do
};

/// A CUDA major version or toolkit and its driver: the least that runs it, or that came with it.
struct CudaDriverFloor {
  VersionNumber cuda, driver;
};

struct WheelTables {
  std::vector<Wheel> wheels;
  std::vector<SmSupport> generations;
  std::vector<CudaDriverFloor> majors, toolkits;
  std::string as_of;  ///< the youngest date of the table of wheels
};

/// The error names the file, the record and the field.
Result<WheelTables> load_wheel_tables(const Override& replaced);
/// The tables in use (tables.hpp).
const WheelTables& wheel_tables();

}  // namespace gpuready::catalog
