#include <gtest/gtest.h>

#include "probe/probe.hpp"
#include "tests/probe/recorded_machine.hpp"

namespace gpuready::probe {
namespace {

using Files = std::map<std::string, std::string>;

Files sixteen_gib() {
  return {{"/proc/meminfo", "MemTotal:       16777216 kB\nMemAvailable:    8388608 kB\n"},
          {"/proc/self/cgroup", "0::/a/b\n"}};
}

Memory probe(const Files& files) {
  host::RecordedHost host = testing::host_with_files(files);
  return probe_memory(host);
}

constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

TEST(ProbeMemory, WithoutALimitTheKernelsEstimateIsUsable) {
  const Memory memory = probe(sixteen_gib());
  EXPECT_TRUE(memory.total_bytes.is(16 * gibibyte));
  EXPECT_TRUE(memory.usable_bytes.is(8 * gibibyte));
  EXPECT_TRUE(memory.cgroup_limit_bytes.absent_for(Absence::not_applicable));
}

TEST(ProbeMemory, TheLevelThatLeavesLeastCounts) {
  Files files = sixteen_gib();
  files["/sys/fs/cgroup/a/b/memory.max"] = "4294967296\n";
  files["/sys/fs/cgroup/a/b/memory.current"] = "1073741824\n";
  files["/sys/fs/cgroup/a/memory.max"] = "5368709120\n";
  files["/sys/fs/cgroup/a/memory.current"] = "3221225472\n";
  files["/sys/fs/cgroup/memory.max"] = "max\n";
  const Memory memory = probe(files);
  EXPECT_TRUE(memory.cgroup_limit_bytes.is(5 * gibibyte));
  EXPECT_TRUE(memory.usable_bytes.is(2 * gibibyte));
}

TEST(ProbeMemory, FilesThatTheKernelWouldDropAreNotUsedMemory) {
  Files files = sixteen_gib();
  files["/sys/fs/cgroup/memory.max"] = "2147483648\n";
  files["/sys/fs/cgroup/memory.current"] = "2147483648\n";
  files["/sys/fs/cgroup/memory.stat"] = "anon 1\nfile 3\ninactive_file 1073741824\n";
  EXPECT_TRUE(probe(files).usable_bytes.is(gibibyte));
}

TEST(ProbeMemory, VersionOnesHugeNumberIsNoLimit) {
  Files files = sixteen_gib();
  files["/proc/self/cgroup"] = "5:memory:/docker/x\n";
  files["/sys/fs/cgroup/memory/memory.limit_in_bytes"] = "9223372036854771712\n";
  EXPECT_TRUE(probe(files).cgroup_limit_bytes.absent_for(Absence::not_applicable));
  files["/sys/fs/cgroup/memory/memory.limit_in_bytes"] = "1073741824\n";
  files["/sys/fs/cgroup/memory/memory.usage_in_bytes"] = "73741824\n";
  EXPECT_TRUE(probe(files).usable_bytes.is(1000000000));
}

TEST(ProbeMemory, MoreUsedThanAllowedLeavesNothing) {
  Files files = sixteen_gib();
  files["/sys/fs/cgroup/memory.max"] = "1000\n";
  files["/sys/fs/cgroup/memory.current"] = "5000\n";
  EXPECT_TRUE(probe(files).usable_bytes.is(0));
}

TEST(ProbeMemory, TruncatedAndHugeNumbersAreUnreadable) {
  const Memory memory =
      probe({{"/proc/meminfo", "MemTotal:  99999999999999999999 kB\nMemAvailable:    83"}});
  EXPECT_TRUE(memory.total_bytes.absent_for(Absence::unreadable));
  EXPECT_TRUE(memory.available_bytes.absent_for(Absence::unreadable));
  EXPECT_FALSE(memory.usable_bytes.known());
  EXPECT_TRUE(probe({{"/proc/meminfo", "MemTotal: 9007199254740993 kB\n"}})
                  .total_bytes.absent_for(Absence::unreadable));
}

}  // namespace
}  // namespace gpuready::probe
