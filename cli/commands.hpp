#pragma once

namespace gpuready::cli {

/// Parses, runs, prints; the exit code of the contract. Nothing escapes it.
int run_command_line(int argc, char** argv);

}  // namespace gpuready::cli
