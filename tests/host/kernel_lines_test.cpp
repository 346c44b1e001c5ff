#include "host/kernel_lines.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>

#include "host/real_host.hpp"

namespace gpuready::host {
namespace {

TEST(KernelLines, OnlyWhatIsAboutGpusIsKept) {
  const std::string log =
      "6,1,0,-;Linux version 6.8\n"
      "6,2,1,-;eth0: link of a neighbour is up\n"
      "6,2,1,-;Kernel command line: nvidia-drm.modeset=1 secret=1\n"
      "4,3,2,-;NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.\n"
      "6,4,3,-;PM: suspend exit";
  EXPECT_EQ(lines_about_gpus(log),
            "4,3,2,-;NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.\n"
            "6,4,3,-;PM: suspend exit\n");
  EXPECT_EQ(lines_about_gpus(log, true).substr(0, 25), "6,1,0,-;Linux version 6.8");
  EXPECT_EQ(lines_about_gpus(""), "");
}

TEST(KernelLines, ARecordingKeepsOfAFileOnlyWhatIsAboutGpus) {
  EXPECT_EQ(part_to_keep("/proc/cmdline", "root=UUID=1 key=2 module_blacklist=nvidia quiet\n"),
            "module_blacklist=nvidia ");
  EXPECT_EQ(part_to_keep("/etc/systemd/system/a.service",
                         "[Service]\nExecStart=/bin/a --key=1\n"
                         "Environment=\"A_KEY=1\" 'CUDA_VISIBLE_DEVICES=0'\n"),
            "Environment=CUDA_VISIBLE_DEVICES=0\n");
  EXPECT_EQ(part_to_keep("/etc/os-release", "ID=debian\n"), "ID=debian\n");
}

TEST(KernelLines, TheDeviceOfTheLogIsReadToItsEnd) {
  const auto log = make_real_host()->read_file(kernel_log_file, std::size_t{16} << 20U);
  struct stat status {};
  if (!log) {
    // Containers often lack it, and the right to it is rare: then the reason is told.
    EXPECT_NE(log.error().code, EAGAIN);
    return;
  }
  ASSERT_EQ(::stat(kernel_log_file, &status), 0);
  const bool whole_lines = log->empty() || log->back() == '\n';
  EXPECT_TRUE(!S_ISCHR(status.st_mode) || whole_lines);
}

}  // namespace
}  // namespace gpuready::host
