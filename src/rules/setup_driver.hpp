#pragma once
/// Which of NVIDIA's drivers a machine needs, and the commands that install it. Pure.

#include <optional>
#include <string>
#include <vector>

#include "catalog/setup_tables.hpp"
#include "gpuready/machine.hpp"

namespace gpuready::rules {

struct DriverNeed {
  bool known = false;     ///< whether the generation of every GPU is known
  bool possible = false;  ///< false: no driver serves all of the GPUs
  bool open = false;      ///< open kernel module; proprietary otherwise
  bool blackwell = false;
  bool data_center = false;  ///< every chip is made for servers alone
  int last_branch = 0;       ///< the last for the oldest GPU; 0: current ones serve it
  std::vector<catalog::VersionNumber> capabilities;  ///< distinct, ascending
  std::string generations;                           ///< "Pascal", "Maxwell, Ada"
  std::string unknown_device;                        ///< a PCI id that the table does not have
};

/// From the PCI bus, which knows every GPU with or without a driver; from CUDA where it is hidden.
DriverNeed driver_need(const Machine& machine, const catalog::SetupTables& tables);

struct DriverInstall {
  std::vector<std::string> commands;              ///< none where the way is not known here
  bool open = false;                              ///< the kernel module that they install
  std::optional<catalog::VersionNumber> version;  ///< at least this; nothing where not known
};

/// The distribution's way to this driver.
DriverInstall driver_install(const Machine& machine, const DriverNeed& need,
                             const catalog::SetupTables& tables);

/// The distribution's family (situation.hpp); "any" where it is not known.
std::string distribution_family(const Machine& machine);

}  // namespace gpuready::rules
