#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "probe/control_group.hpp"
#include "probe/cpu_info.hpp"
#include "probe/probe.hpp"
#include "probe/read.hpp"

namespace gpuready::probe {

namespace {

using CpuList = std::vector<int>;

const std::string cpu_folder = "/sys/devices/system/cpu";
/// 256 CPUs and more print over 1 MiB.
constexpr std::size_t most_cpuinfo_bytes = std::size_t{16} << 20U;

Fact<std::int64_t> count(std::size_t number, const std::string& source) {
  return {static_cast<std::int64_t>(number), source};
}

/// CPUs that are online, from /sys, or those that /proc/cpuinfo lists.
Fact<CpuList> online_cpus(host::Host& host, const CpuInfo& info) {
  const std::string path = cpu_folder + "/online";
  const Fact<std::string> text = read_fact(host, path);
  if (text) {
    const auto list = base::parse_cpu_list(*text);
    if (list && !list->empty()) return {*list, path};
  }
  if (!info.processors.empty()) return {info.processors, "/proc/cpuinfo"};
  if (!text) return text.pass_absence<CpuList>();
  return Missing{
      Absence::unreadable, path + ": expected a list of CPUs, found \"" + *text + "\"", {}};
}

/// CPUs that the process may run on; the kernel lists offline ones too.
Fact<CpuList> affinity(host::Host& host, const Fact<CpuList>& online) {
  const std::string path = "/proc/self/status";
  const Result<std::string> status = host.read_file(path);
  if (!status) return why_absent(status.error(), path);
  const auto list =
      base::parse_cpu_list(base::field_value(*status, "Cpus_allowed_list").value_or("none"));
  if (!list || list->empty())
    return Missing{Absence::unreadable, path + ": no Cpus_allowed_list could be read", {}};
  if (!online) return {*list, path};
  CpuList both;
  std::ranges::set_intersection(*list, *online, std::back_inserter(both));
  if (both.empty()) return {*list, path};
  return {std::move(both), path};
}

/// Package and core of each CPU, from /sys, or from /proc/cpuinfo. Empty where neither tells.
struct Topology {
  CoreMap cores;
  std::string source;
};

Topology read_topology(host::Host& host, const CpuList& online, const CpuInfo& info) {
  Topology topology{{}, cpu_folder + "/cpu*/topology"};
  for (const int cpu : online) {
    const std::string folder = cpu_folder + "/cpu" + std::to_string(cpu) + "/topology/";
    const auto core = base::to_integer(base::trim(read_or_empty(host, folder + "core_id")));
    if (!core) return {info.cores, "/proc/cpuinfo"};
    const auto package =
        base::to_integer(base::trim(read_or_empty(host, folder + "physical_package_id")));
    // The kernel writes -1 where the firmware doesn't say; there is one package then.
    const std::int64_t known_package = std::clamp<std::int64_t>(package.value_or(0), 0, 65535);
    topology.cores[cpu] = {static_cast<int>(known_package),
                           static_cast<int>(std::clamp<std::int64_t>(*core, 0, 65535))};
  }
  return topology;
}

std::size_t distinct_cores(const Topology& topology, const CpuList& among) {
  std::set<std::pair<int, int>> cores;
  for (const int cpu : among) {
    const auto it = topology.cores.find(cpu);
    if (it != topology.cores.end()) cores.insert(it->second);
  }
  return cores.size();
}

void apply_topology(const Topology& topology, const Fact<CpuList>& online, Cpu& cpu) {
  std::set<int> packages;
  for (const auto& [number, place] : topology.cores) packages.insert(place.first);
  const std::size_t cores = online ? distinct_cores(topology, *online) : 0;
  if (packages.empty() || cores == 0) {
    cpu.sockets = cpu.physical_cores =
        Missing{Absence::not_found, "neither " + cpu_folder + " nor /proc/cpuinfo tells", {}};
    return;
  }
  cpu.sockets = count(packages.size(), topology.source);
  cpu.physical_cores = count(cores, topology.source);
}

/// "max 100000" or "150000 100000", see the kernel's cgroup-v2.rst. Nothing without a limit.
std::optional<double> v2_quota(const std::string& text) {
  const std::vector<std::string> words = base::split(base::trim(text), ' ');
  if (words.size() != 2) return {};
  const auto quota = base::to_number(words[0]), period = base::to_number(words[1]);
  if (!quota || !period || *quota <= 0 || *period <= 0) return {};
  return *quota / *period;
}

std::optional<double> v1_quota(host::Host& host, const std::string& folder) {
  const auto quota = base::to_number(base::trim(read_or_empty(host, folder + "/cpu.cfs_quota_us")));
  const auto period =
      base::to_number(base::trim(read_or_empty(host, folder + "/cpu.cfs_period_us")));
  if (!quota || !period || *quota <= 0 || *period <= 0) return {};
  return *quota / *period;
}

Fact<double> quota(host::Host& host) {
  const ControlGroup group = find_control_group(host, "cpu");
  Fact<double> least =
      group.known
          ? Missing{Absence::not_applicable, "no control group limits the CPU time", {}}
          : Missing{
                Absence::not_found, "/proc/self/cgroup and /sys/fs/cgroup could not be read", {}};
  const auto tighten = [&](std::optional<double> found, const std::string& source) {
    if (found && (!least || *found < *least)) least = Fact<double>(*found, source);
  };
  for (const std::string& folder : group.v2)
    tighten(v2_quota(read_or_empty(host, folder + "/cpu.max")), folder + "/cpu.max");
  for (const std::string& folder : group.v1)
    tighten(v1_quota(host, folder), folder + "/cpu.cfs_quota_us");
  return least;
}

/// Whole CPUs of the quota, at least one: a thread more than that is stopped in every period, and
/// then all threads wait for it.
Fact<std::int64_t> usable_threads(const Cpu& cpu) {
  const Fact<std::int64_t>& cpus = cpu.affinity_cpus ? cpu.affinity_cpus : cpu.logical_cpus;
  if (!cpus) return cpus;
  if (!cpu.quota_cpus || *cpu.quota_cpus >= static_cast<double>(*cpus)) return cpus;
  const double whole = std::floor(*cpu.quota_cpus);
  return {std::max<std::int64_t>(1, static_cast<std::int64_t>(whole)), cpu.quota_cpus.source()};
}

Fact<std::int64_t> usable_cores(const Cpu& cpu, const Topology& topology,
                                const Fact<CpuList>& allowed) {
  if (!cpu.physical_cores) return cpu.physical_cores;
  if (!allowed) return allowed.pass_absence<std::int64_t>();
  const auto cores = static_cast<std::int64_t>(distinct_cores(topology, *allowed));
  const std::int64_t threads = cpu.usable_threads.value_or(cores);
  return {std::clamp<std::int64_t>(cores, 1, std::max<std::int64_t>(1, threads)), topology.source};
}

}  // namespace

Cpu probe_cpu(host::Host& host) {
  Cpu cpu;
  const std::string path = "/proc/cpuinfo";
  const Result<std::string> text = host.read_file(path, most_cpuinfo_bytes);
  const CpuInfo info = parse_cpu_info(text.value_or(std::string()), path);
  cpu.model = info.model, cpu.vendor = info.vendor;
  cpu.instruction_sets = info.instruction_sets;
  if (!text) {
    const Missing why = why_absent(text.error(), path);
    cpu.model = cpu.vendor = why;
    cpu.instruction_sets = why;
  }
  const Fact<CpuList> online = online_cpus(host, info);
  const Fact<CpuList> allowed = affinity(host, online);
  const Topology topology = read_topology(host, online.value_or({}), info);
  apply_topology(topology, online, cpu);
  cpu.logical_cpus =
      online ? count(online->size(), online.source()) : online.pass_absence<std::int64_t>();
  cpu.affinity_cpus =
      allowed ? count(allowed->size(), allowed.source()) : allowed.pass_absence<std::int64_t>();
  cpu.quota_cpus = quota(host);
  cpu.usable_threads = usable_threads(cpu);
  cpu.usable_physical_cores = usable_cores(cpu, topology, allowed);
  return cpu;
}

}  // namespace gpuready::probe
