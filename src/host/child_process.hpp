#pragma once

#include <vector>

#include "host/host.hpp"

namespace gpuready::host {

/// Runs the commands at the same time, each in a process group of its own, and reads their output
/// through pipes. A command that is not done at its deadline is killed with its whole group.
std::vector<CommandResult> run_children(const std::vector<Command>& commands);

/// Kills the groups of all children that run now, and of any started from now on; safe in a signal
/// handler.
void kill_running_children();
/// Children may be started again: for what cleans up after a signal.
void allow_children();

}  // namespace gpuready::host
