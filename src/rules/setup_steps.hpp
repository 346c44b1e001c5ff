#pragma once
/// What to install on this machine, step by step: driver, PyTorch, and the command that shows that
/// it works. Pure.

#include <string>
#include <vector>

#include "gpuready/machine.hpp"

namespace gpuready::rules {

struct SetupStep {
  std::string what, why;
  std::vector<std::string> commands;  ///< may be empty: then `what` and `why` tell what to do
  bool needs_root = false;
  bool done = false;
};

/// Never installs a driver inside WSL or a container: there it belongs to Windows or to the host.
/// Empty where there is no GPU of a vendor that PyTorch knows.
std::vector<SetupStep> setup_steps(const Machine& machine);

/// Which of NVIDIA's drivers a machine needs.
struct DriverNeed {
  bool known = false;     ///< whether the generation of every GPU is known
  bool possible = false;  ///< false: no driver serves all of the GPUs
  bool open = true;       ///< open kernel module; proprietary otherwise
  int last_branch = 0;    ///< 470 or 580 for GPUs that newer branches ignore; 0: the current one
};
DriverNeed driver_need(const Machine& machine);

/// Commands that install this driver the distribution's way; none where that is not known here.
std::vector<std::string> driver_commands(const std::string& family, const DriverNeed& need);

}  // namespace gpuready::rules
