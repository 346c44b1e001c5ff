#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "probe/probe.hpp"
#include "probe/read.hpp"

namespace gpuready::probe {

namespace {

const std::string version_path = "/proc/driver/nvidia/version";

bool is_version(std::string_view word) {
  const auto numeral = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  if (word.empty() || !numeral(word.front()) || !base::contains(word, ".")) return false;
  return std::ranges::all_of(word, [&](char c) { return c == '.' || numeral(c); });
}

/// From "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue ..." or "... Open Kernel
/// Module for x86_64  580.95.05  Release Build ...".
std::string version_in(std::string_view text) {
  const std::size_t at = text.find("Kernel Module");
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at, text.find('\n', at) - at);
  for (const std::string& word : base::split(rest, ' '))
    if (is_version(word)) return word;
  return {};
}

Fact<std::string> module_version(host::Host& host, const Result<std::string>& text) {
  Fact<std::string> version = read_fact(host, "/sys/module/nvidia/version");
  if (version && !version->empty()) return version;
  const std::string told = text ? version_in(*text) : std::string();
  if (!told.empty()) return {told, version_path};
  if (!version) return version;
  return Missing{Absence::unreadable, "/sys/module/nvidia/version: empty", {}};
}

Fact<std::string> module_flavour(const Result<std::string>& text) {
  if (!text) return why_absent(text.error(), version_path);
  if (base::contains(*text, "Open Kernel Module")) return {"open", version_path};
  if (base::contains(*text, "Kernel Module")) return {"proprietary", version_path};
  return Missing{Absence::unreadable, version_path + ": no \"Kernel Module\" in it", {}};
}

Fact<bool> has_uvm(host::Host& host) {
  const std::string path = "/proc/devices";
  const Result<std::string> text = host.read_file(path);
  if (!text) return why_absent(text.error(), path);
  const auto lines = base::split_lines(*text);
  const bool found = std::ranges::any_of(
      lines, [](const std::string& line) { return base::ends_with(line, " nvidia-uvm"); });
  return {found, path};
}

/// Numbers of the files /dev/nvidia0, /dev/nvidia1, ...
std::vector<std::int64_t> numbers_after(const std::vector<std::string>& names,
                                        std::string_view prefix) {
  std::vector<std::int64_t> numbers;
  for (const std::string& name : names) {
    if (!base::starts_with(name, prefix)) continue;
    const auto number = base::to_integer(std::string_view(name).substr(prefix.size()));
    if (number && *number >= 0) numbers.push_back(*number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

/// The files that are there, and those whose lack means something.
std::vector<std::string> interesting_files(host::Host& host) {
  const std::vector<std::string> names = list_or_empty(host, "/dev");
  std::vector<std::string> paths{"/dev/nvidiactl"};
  const std::vector<std::int64_t> gpus = numbers_after(names, "nvidia");
  for (const std::int64_t gpu : gpus) paths.push_back("/dev/nvidia" + std::to_string(gpu));
  if (gpus.empty()) paths.emplace_back("/dev/nvidia0");
  paths.emplace_back("/dev/nvidia-uvm");
  if (std::ranges::find(names, "nvidia-uvm-tools") != names.end())
    paths.emplace_back("/dev/nvidia-uvm-tools");
  paths.emplace_back("/dev/dxg");
  paths.emplace_back("/dev/kfd");
  for (const std::int64_t node : numbers_after(list_or_empty(host, "/dev/dri"), "renderD"))
    paths.push_back("/dev/dri/renderD" + std::to_string(node));
  return paths;
}

}  // namespace

Fact<std::string> probe_fabric_manager(host::Host& host) {
  using namespace std::chrono_literals;
  const std::string program = "/usr/bin/nv-fabricmanager";
  if (!exists(host, program)) return Missing{Absence::not_found, program + " is not there", {}};
  host::Command command;
  command.argv = {program, "--version"};
  command.deadline = 2000ms;
  const host::CommandResult result = host.run(command);
  // "Fabric Manager version is : 580.95.05"
  std::string text = result.output + " " + result.errors;
  std::ranges::replace(text, '\n', ' ');
  for (const std::string& word : base::split(text, ' '))
    if (is_version(word)) return {word, program + " --version"};
  return Missing{Absence::unreadable, host::describe(result, command), {}};
}

KernelModule probe_kernel_module(host::Host& host) {
  const Result<std::string> text = host.read_file(version_path);
  KernelModule module;
  module.version = module_version(host, text);
  module.flavour = module_flavour(text);
  module.uvm = has_uvm(host);
  probe_module_files(host, module);
  return module;
}

std::vector<DeviceFile> probe_device_files(host::Host& host, bool wake) {
  std::vector<DeviceFile> files;
  for (const std::string& path : interesting_files(host)) {
    const Result<bool> open = wake ? host.try_open(path) : host.try_access(path);
    DeviceFile file{path, {}};
    file.open = open ? Fact<bool>(*open, wake ? "open(2)" : "access(2)")
                     : Fact<bool>(why_absent(open.error(), path));
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace gpuready::probe
