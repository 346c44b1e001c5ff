#include <gtest/gtest.h>

#include "probe/probe.hpp"
#include "tests/probe/recorded_machine.hpp"

namespace gpuready::probe {
namespace {

using testing::host_with_files;

using Files = std::map<std::string, std::string>;

/// Four CPUs, of two cores with two threads each, all allowed.
Files four_cpus() {
  Files files{{"/proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-3\n"},
              {"/sys/devices/system/cpu/online", "0-3\n"},
              {"/proc/self/cgroup", "0::/a/b\n"}};
  for (const int cpu : {0, 1, 2, 3}) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    files[folder + "core_id"] = std::to_string(cpu % 2);
    files[folder + "physical_package_id"] = "0";
  }
  return files;
}

Cpu probe(const Files& files) {
  host::RecordedHost host = host_with_files(files);
  return probe_cpu(host);
}

TEST(ProbeCpu, HyperThreadsAreCountedOnce) {
  const Cpu cpu = probe(four_cpus());
  EXPECT_TRUE(cpu.physical_cores.is(2));
  EXPECT_TRUE(cpu.logical_cpus.is(4));
  EXPECT_TRUE(cpu.usable_threads.is(4));
  EXPECT_TRUE(cpu.usable_physical_cores.is(2));
}

TEST(ProbeCpu, AffinityLimitsThreadsAndCores) {
  Files files = four_cpus();
  files["/proc/self/status"] = "Cpus_allowed_list:\t0,2\n";
  const Cpu cpu = probe(files);
  EXPECT_TRUE(cpu.affinity_cpus.is(2));
  EXPECT_TRUE(cpu.usable_threads.is(2));
  EXPECT_TRUE(cpu.usable_physical_cores.is(1));
}

TEST(ProbeCpu, AllowedCpusThatAreOfflineDoNotCount) {
  Files files = four_cpus();
  files["/proc/self/status"] = "Cpus_allowed_list:\t0-127\n";
  EXPECT_TRUE(probe(files).affinity_cpus.is(4));
}

TEST(ProbeCpu, TheSmallestQuotaAmongAncestorsCounts) {
  Files files = four_cpus();
  files["/sys/fs/cgroup/a/b/cpu.max"] = "max 100000\n";
  files["/sys/fs/cgroup/a/cpu.max"] = "150000 100000\n";
  files["/sys/fs/cgroup/cpu.max"] = "300000 100000\n";
  const Cpu cpu = probe(files);
  EXPECT_TRUE(cpu.quota_cpus.is(1.5));
  EXPECT_EQ(cpu.quota_cpus.source(), "/sys/fs/cgroup/a/cpu.max");
  EXPECT_TRUE(cpu.usable_threads.is(1));
}

TEST(ProbeCpu, AQuotaBelowOneCpuStillAllowsOneThread) {
  Files files = four_cpus();
  files["/sys/fs/cgroup/cpu.max"] = "25000 100000\n";
  EXPECT_TRUE(probe(files).usable_threads.is(1));
}

TEST(ProbeCpu, AQuotaAboveTheAffinityChangesNothing) {
  Files files = four_cpus();
  files["/sys/fs/cgroup/cpu.max"] = "6400000 100000\n";
  EXPECT_TRUE(probe(files).usable_threads.is(4));
}

TEST(ProbeCpu, VersionOneOfControlGroupsIsRead) {
  Files files = four_cpus();
  files["/proc/self/cgroup"] = "12:memory:/m\n4:cpu,cpuacct:/docker/x\n";
  files["/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us"] = "200000\n";
  files["/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us"] = "100000\n";
  EXPECT_TRUE(probe(files).quota_cpus.is(2.0));
  files["/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us"] = "-1\n";
  EXPECT_TRUE(probe(files).quota_cpus.absent_for(Absence::not_applicable));
}

TEST(ProbeCpu, AGroupOutsideTheNamespaceIsTakenForTheRoot) {
  Files files = four_cpus();
  files["/proc/self/cgroup"] = "0::/../../x\n";
  files["/sys/fs/cgroup/cpu.max"] = "200000 100000\n";
  EXPECT_TRUE(probe(files).quota_cpus.is(2.0));
}

TEST(ProbeCpu, CpuinfoAloneGivesPackagesAndCores) {
  std::string info;
  for (const int cpu : {0, 1, 2, 3})
    info += "processor\t: " + std::to_string(cpu) +
            "\nmodel name\t: Test CPU\nphysical id\t: " + std::to_string(cpu / 2) +
            "\ncore id\t\t: 0\nflags\t\t: fpu avx2 fma amx_int8 hle\n\n";
  const Cpu cpu = probe({{"/proc/cpuinfo", info}});
  EXPECT_TRUE(cpu.model.is("Test CPU"));
  EXPECT_TRUE(cpu.sockets.is(2));
  EXPECT_TRUE(cpu.physical_cores.is(2));
  EXPECT_EQ(*cpu.instruction_sets, (std::vector<std::string>{"avx2", "fma", "amx_int8"}));
  EXPECT_TRUE(cpu.usable_threads.is(4));
}

TEST(ProbeCpu, GarbageIsRefusedWithAReason) {
  Files files{
      {"/proc/cpuinfo", std::string(100000, '\xff') + "\nprocessor : -7\ncore id: 99999999"},
      {"/proc/self/status", "Cpus_allowed_list:\t0-99999999999\n"},
      {"/sys/devices/system/cpu/online", "banana\n"},
      {"/proc/self/cgroup", ":::\n0:\n\n0::/a/../b\n"},
      {"/sys/fs/cgroup/cpu.max", "1e400 -5\n"}};
  const Cpu cpu = probe(files);
  EXPECT_TRUE(cpu.model.absent_for(Absence::not_found));
  EXPECT_TRUE(cpu.logical_cpus.absent_for(Absence::unreadable));
  EXPECT_TRUE(cpu.affinity_cpus.absent_for(Absence::unreadable));
  EXPECT_TRUE(cpu.quota_cpus.absent_for(Absence::not_applicable));
}

}  // namespace
}  // namespace gpuready::probe
