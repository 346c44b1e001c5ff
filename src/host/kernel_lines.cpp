#include "host/kernel_lines.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace gpuready::host {

namespace {

/// Words of NVIDIA's modules (NVRM, nvidia...), of the open drivers, and of the kernel where it
/// turns a module away (kernel/module/signing.c, "Loading of ... is rejected") or wakes up
/// (kernel/power/suspend.c).
constexpr std::array<std::string_view, 14> words{"NVRM",
                                                 "nvidia",
                                                 "NVIDIA",
                                                 "nouveau",
                                                 "NovaCore",
                                                 "nova_core",
                                                 "Secure boot",
                                                 "secureboot",
                                                 "Lockdown",
                                                 "is rejected",
                                                 "was rejected by service",
                                                 "not signed with a trusted key",
                                                 "PM: suspend exit",
                                                 "hibernation exit"};

}  // namespace

bool is_about_gpus(std::string_view line) {
  // The kernel's command line may hold what is nobody's business.
  if (base::contains(line, "ommand line:")) return false;
  return std::ranges::any_of(words, [&](std::string_view w) { return base::contains(line, w); }) ||
         base::contains(line, "devmem_alloc_pagemap") || base::contains(line, "fallen off the bus");
}

std::string lines_about_gpus(std::string_view log, bool first_too) {
  std::string kept;
  bool keep = first_too;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    if (keep || is_about_gpus(log.substr(0, end))) kept.append(log.substr(0, end)) += '\n';
    keep = false;
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  return kept;
}

std::string visible_devices_in_unit(std::string_view unit) {
  std::string kept;
  for (const std::string& line : base::split_lines(std::string(unit))) {
    if (!base::starts_with(base::trim(line), "Environment=")) continue;
    std::string values = line.substr(line.find('=') + 1);
    std::ranges::replace(values, '"', ' ');
    std::ranges::replace(values, '\'', ' ');
    for (const std::string& word : base::split(values, ' '))
      if (base::contains(word, "VISIBLE_DEVICES=")) kept += "Environment=" + word + '\n';
  }
  return kept;
}

std::string part_to_keep(const std::string& path, std::string content) {
  if (path == kernel_log_file) return lines_about_gpus(content);
  if (base::contains(path, ".service")) return visible_devices_in_unit(content);
  if (path != command_line_file) return content;
  std::string kept;
  for (const std::string& word : base::split(content, ' '))
    if (base::contains(word, "blacklist=")) kept += std::string(base::trim(word)) + ' ';
  return kept;
}

}  // namespace gpuready::host
