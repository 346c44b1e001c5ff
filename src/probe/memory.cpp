#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "probe/control_group.hpp"
#include "probe/probe.hpp"
#include "probe/read.hpp"

namespace gpuready::probe {

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
/// Version 1 writes "no limit" as the largest multiple of the page size below 2^63; nothing from
/// 2^62 on is a limit that somebody set.
constexpr std::int64_t no_limit = std::int64_t{1} << 62U;

Fact<std::int64_t> meminfo_bytes(const Result<std::string>& text, const std::string& name) {
  const std::string path = "/proc/meminfo";
  if (!text) return why_absent(text.error(), path);
  const auto field = base::field_value(*text, name);
  if (!field) return Missing{Absence::not_found, path + ": no " + name, {}};
  const bool kilo = base::ends_with(*field, " kB");
  const auto kib = base::to_integer(base::trim(field->substr(0, field->find(' '))));
  if (!kilo || !kib || *kib < 0 || *kib > most / 1024)
    return Missing{Absence::unreadable,
                   path + ": " + name + " is \"" + *field + "\", expected a number of kB",
                   {}};
  return {*kib * 1024, path};
}

struct Limit {
  std::int64_t limit = 0;
  std::optional<std::int64_t> used;
  std::string limit_file, used_file;

  [[nodiscard]] std::int64_t left() const {
    return std::max<std::int64_t>(0, limit - used.value_or(0));
  }
};

struct FileNames {
  const char *limit, *used, *cache;
};

std::optional<std::int64_t> read_bytes(host::Host& host, const std::string& path) {
  const auto value = base::to_integer(base::trim(read_or_empty(host, path)));
  if (!value || *value < 0) return {};
  return value;
}

/// Pages of files that the kernel would drop first don't count as used (as in the "working set" of
/// container managers): a group that has read a large file is not full.
std::optional<std::int64_t> used_bytes(host::Host& host, const std::string& folder,
                                       const FileNames& names) {
  const auto used = read_bytes(host, folder + "/" + names.used);
  if (!used) return {};
  std::int64_t cache = 0;
  const std::string start = std::string(names.cache) + " ";
  for (const std::string& line : base::split_lines(read_or_empty(host, folder + "/memory.stat")))
    if (base::starts_with(line, start))
      cache = base::to_integer(std::string_view(line).substr(start.size())).value_or(0);
  return std::max<std::int64_t>(0, *used - std::max<std::int64_t>(0, cache));
}

/// The level that leaves least; the process must fit into every one of them.
void tighten(host::Host& host, const std::vector<std::string>& folders, const FileNames& names,
             std::optional<Limit>& tightest) {
  for (const std::string& folder : folders) {
    const auto limit = read_bytes(host, folder + "/" + names.limit);
    if (!limit || *limit >= no_limit) continue;
    const Limit here{*limit, used_bytes(host, folder, names), folder + "/" + names.limit,
                     folder + "/" + names.used};
    if (!tightest || here.left() < tightest->left()) tightest = here;
  }
}

void apply_control_group(host::Host& host, Memory& memory) {
  const ControlGroup group = find_control_group(host, "memory");
  std::optional<Limit> limit;
  tighten(host, group.v2, {"memory.max", "memory.current", "inactive_file"}, limit);
  tighten(host, group.v1, {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
          limit);
  if (!limit) {
    const Missing why{group.known ? Absence::not_applicable : Absence::not_found,
                      group.known ? "no control group limits the memory"
                                  : "/proc/self/cgroup and /sys/fs/cgroup could not be read",
                      {}};
    memory.cgroup_limit_bytes = memory.cgroup_used_bytes = why;
    return;
  }
  memory.cgroup_limit_bytes = {limit->limit, limit->limit_file};
  if (limit->used) {
    memory.cgroup_used_bytes = {*limit->used, limit->used_file};
  } else {
    memory.cgroup_used_bytes =
        Missing{Absence::unreadable, limit->used_file + ": no number could be read", {}};
  }
}

Fact<std::int64_t> usable(const Memory& memory) {
  const std::int64_t left = std::max<std::int64_t>(
      0, memory.cgroup_limit_bytes.value_or(most) - memory.cgroup_used_bytes.value_or(0));
  const bool limited = memory.cgroup_limit_bytes.known();
  if (memory.available_bytes && (!limited || *memory.available_bytes <= left))
    return memory.available_bytes;
  if (limited) return {left, memory.cgroup_limit_bytes.source()};
  return memory.available_bytes;
}

}  // namespace

Memory probe_memory(host::Host& host) {
  Memory memory;
  const Result<std::string> text = host.read_file("/proc/meminfo");
  memory.total_bytes = meminfo_bytes(text, "MemTotal");
  memory.available_bytes = meminfo_bytes(text, "MemAvailable");
  apply_control_group(host, memory);
  memory.usable_bytes = usable(memory);
  return memory;
}

}  // namespace gpuready::probe
