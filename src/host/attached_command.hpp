#pragma once
/// Runs a command on this program's own terminal, for commands that ask questions (sudo) and whose
/// output is for the user to see as it comes.

#include <string>

#include "host/host.hpp"

namespace gpuready::host {

/// `sh -c command` with our standard streams and in a process group of its own, which has the
/// terminal until it ends; no deadline. `output` and `errors` of the result stay empty.
/// With `output_to_errors` its standard output goes to our standard error.
CommandResult run_attached(const std::string& command, bool output_to_errors);

/// Passes a signal on to the command that runs now; false where none does. Safe in a signal
/// handler. run_attached() then tells that the command was ended by this signal, whatever it says
/// itself.
bool forward_to_attached(int signal);

}  // namespace gpuready::host
