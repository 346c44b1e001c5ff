#pragma once
/// Picks the lines about GPUs out of the kernel's log, so that a recording holds no other.

#include <string>
#include <string_view>

namespace gpuready::host {

inline constexpr const char* kernel_log_file = "/dev/kmsg";

/// Whether the line tells something about a GPU, its driver, or the machine's sleep.
bool is_about_gpus(std::string_view line);
/// Those lines, each with its line break; and the log's first line, if asked for, as a sign that
/// there is a log.
std::string lines_about_gpus(std::string_view log, bool first_too = false);

}  // namespace gpuready::host
