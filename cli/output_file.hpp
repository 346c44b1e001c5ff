#pragma once

#include <string>
#include <string_view>

#include "gpuready/result.hpp"

namespace gpuready::cli {

/// Devices and pipes (/dev/full, /dev/stdout) cannot be replaced; they are written to.
bool is_special(const std::string& path);

/// Writes a file whole or not at all: into a file beside it, which then takes its name. What
/// stood there before is kept when anything fails.
Result<bool> write_file(const std::string& path, std::string_view text);

}  // namespace gpuready::cli
