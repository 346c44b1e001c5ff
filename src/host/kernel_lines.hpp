#pragma once
/// Picks the lines about GPUs out of the kernel's log, so that a recording holds no other.

#include <string>
#include <string_view>

namespace gpuready::host {

inline constexpr const char* kernel_log_file = "/dev/kmsg";
inline constexpr const char* command_line_file = "/proc/cmdline";

/// Whether the line tells something about a GPU, its driver, or the machine's sleep.
bool is_about_gpus(std::string_view line);
/// Those lines, each with its line break; and the log's first line, if asked for, as a sign that
/// there is a log.
std::string lines_about_gpus(std::string_view log, bool first_too = false);

/// What a recording keeps of a file: of the kernel's log the lines about GPUs, of its command line
/// the forbidden modules, of a service's unit the settings of visible devices, of others all.
std::string part_to_keep(const std::string& path, std::string content);
/// The settings NAME=VALUE in a systemd unit whose name holds "VISIBLE_DEVICES", one for each line
/// as "Environment=NAME=VALUE".
std::string visible_devices_in_unit(std::string_view unit);

}  // namespace gpuready::host
