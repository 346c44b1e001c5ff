#include "commands.hpp"

int main(int argc, char** argv) { return gpuready::cli::run_command_line(argc, argv); }
