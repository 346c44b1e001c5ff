#include <gtest/gtest.h>

#include <cerrno>

#include "probe/probe.hpp"
#include "tests/probe/recorded_machine.hpp"

namespace gpuready::probe {
namespace {

using testing::host_with_files;

KernelLog log_of(const std::string& text) {
  auto host = host_with_files({{"/dev/kmsg", text}, {"/proc/uptime", "7200.50 100.00\n"}});
  return probe_kernel_log(host, false);
}

TEST(KernelLog, AnXidHasItsNumberGpuAndTime) {
  const KernelLog log = log_of(
      "6,1,1000000,-;usb 1-1: a line that is not about GPUs\n"
      "4,900,5300250000,-;NVRM: Xid (PCI:0000:0A:00): 79, GPU has fallen off the bus.\n"
      " SUBSYSTEM=pci nvidia\n");
  EXPECT_TRUE(log.source.is("/dev/kmsg"));
  EXPECT_TRUE(log.uptime_s.is(7200.5));
  ASSERT_EQ(log.events.size(), 1U);
  const KernelEvent& event = log.events[0];
  EXPECT_EQ(event.kind, KernelEventKind::xid);
  EXPECT_TRUE(event.xid.is(79));
  EXPECT_TRUE(event.pci_address.is("0000:0a:00.0"));
  EXPECT_TRUE(event.time_s.is(5300.25));
}

TEST(KernelLog, ALossOfTheBusWithoutAnXidIsSeenOverSeveralLines) {
  const KernelLog log = log_of(
      "4,1,1,-;NVRM: The NVIDIA GPU 0000:01:00.0\\x0aNVRM: (PCI ID: 10de:2684) has\\x0aNVRM: "
      "fallen off the bus and is not responding.\n");
  ASSERT_EQ(log.events.size(), 1U);
  EXPECT_EQ(log.events[0].kind, KernelEventKind::bus_loss);
  EXPECT_FALSE(log.events[0].xid);
  EXPECT_TRUE(log.events[0].pci_address.is("0000:01:00.0"));
  EXPECT_EQ(log.events[0].text.find("\\x0a"), std::string::npos);
}

TEST(KernelLog, LoadingTheDriverAndWakingUpAreEventsOfTheirOwn) {
  const KernelLog log = log_of(
      "5,1,1,-;NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.95.05\n"
      "6,2,2,-;PM: suspend exit\n6,3,3,-;nvidia-uvm: Loaded the UVM driver\n");
  ASSERT_EQ(log.events.size(), 3U);
  EXPECT_EQ(log.events[0].kind, KernelEventKind::driver_load);
  EXPECT_EQ(log.events[1].kind, KernelEventKind::resume);
  EXPECT_EQ(log.events[2].kind, KernelEventKind::message);
}

TEST(KernelLog, LinesOfDmesgAreReadToo) {
  const KernelLog log = log_of(
      "[    5.559842] NVRM: The NVIDIA GPU 0001:b3:00.0\n"
      "               NVRM: (PCI ID: 10de:26b5) installed in this system has\n"
      "               NVRM: fallen off the bus and is not responding to commands.\n"
      "[Fri Mar  3 04:44:24 2023] NVRM: Xid (PCI:0000:61:00): 119, pid=1, name=nvidia-smi\n"
      "Dec  2 11:49:53 host kernel: [   62.242168] NVRM: GPU 0000:0a:00.0: RmInitAdapter "
      "failed!\n");
  ASSERT_EQ(log.events.size(), 3U);
  EXPECT_EQ(log.events[0].kind, KernelEventKind::bus_loss);
  EXPECT_TRUE(log.events[0].pci_address.is("0001:b3:00.0"));
  EXPECT_TRUE(log.events[0].time_s.is(5.559842));
  EXPECT_TRUE(log.events[1].xid.is(119));
  EXPECT_FALSE(log.events[1].time_s);
  EXPECT_TRUE(log.events[2].time_s.is(62.242168));
  EXPECT_EQ(log.events[2].text, "NVRM: GPU 0000:0a:00.0: RmInitAdapter failed!");
}

TEST(KernelLog, WordsThatBreakOverLinesAreReadAsOne) {
  const KernelLog log = log_of(
      "4,1,1,-;NVRM: installed in this system is not supported by open\\x0aNVRM: nvidia.ko\n"
      "NVRM: API mismatch: the client has the version 535.54.03, but#012NVRM: this kernel "
      "module\n");
  ASSERT_EQ(log.events.size(), 2U);
  EXPECT_EQ(log.events[0].text,
            "NVRM: installed in this system is not supported by open nvidia.ko");
  EXPECT_EQ(log.events[1].text,
            "NVRM: API mismatch: the client has the version 535.54.03, but this kernel module");
}

TEST(KernelLog, AnErrorOfASwitchIsNoXidOfAGpu) {
  const KernelLog log =
      log_of("4,1,1,-;nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 12028, Non-fatal, Link 32\n");
  ASSERT_EQ(log.events.size(), 1U);
  EXPECT_EQ(log.events[0].kind, KernelEventKind::message);
}

TEST(KernelLog, AFloodKeepsItsErrorsItsStartAndItsEnd) {
  std::string text = "4,0,0,-;NVRM: the first line\n";
  for (int i = 0; i < 1000; ++i) {
    text += "4,1,1,-;NVRM: noise\n";
    if (i == 500) text += "4,1,1,-;NVRM: Xid (PCI:0000:01:00): 62, 0000\n";
  }
  const KernelLog log = log_of(text + "4,2,2,-;NVRM: the last line\n");
  EXPECT_LE(log.events.size(), 200U);
  EXPECT_EQ(log.events.front().text, "NVRM: the first line");
  EXPECT_EQ(log.events.back().text, "NVRM: the last line");
  int xids = 0;
  for (const KernelEvent& event : log.events) xids += event.xid.is(62) ? 1 : 0;
  EXPECT_EQ(xids, 1);
}

TEST(KernelLog, AFloodOfAMillionLinesAndOneLineOfAMillionBreaksAreReadInPassing) {
  std::string flood = "4,1,1,-;NVRM: the first line\n", breaks = "4,1,1,-;NVRM: a";
  for (int i = 0; i < 500000; ++i) flood += "4,1,1,-;NVRM: again\n", breaks += "\\x0ab";
  const KernelLog log = log_of(flood);
  EXPECT_EQ(log.events.size(), 200U);
  EXPECT_EQ(log.events.front().text, "NVRM: the first line");
  EXPECT_EQ(log_of(breaks + "\n").events.at(0).text.substr(0, 13), "NVRM: a b b b");
}

TEST(KernelLog, WhatIsMalformedIsKeptAsALineWithoutATime) {
  const KernelLog log = log_of("NVRM: Xid (PCI:\nNVRM: Xid (PCI:0000:01:00): word\n;NVRM\n");
  ASSERT_EQ(log.events.size(), 3U);
  for (const KernelEvent& event : log.events) {
    EXPECT_EQ(event.kind, KernelEventKind::message);
    EXPECT_FALSE(event.time_s);
  }
}

TEST(KernelLog, WhereItMayNotBeReadTheReasonIsToldAndNotNoErrors) {
  host::Recording recording;
  recording.files.emplace("/dev/kmsg", failure("/dev/kmsg: EPERM", EPERM));
  host::RecordedHost host(std::move(recording));
  const KernelLog log = probe_kernel_log(host, true);
  EXPECT_TRUE(log.source.absent_for(Absence::permission));
  EXPECT_TRUE(log.events.empty());
}

TEST(KernelLog, TheJournalStandsInForAClosedLogAndGivesNoHostName) {
  const host::Recording recording =
      testing::load_recording("rules/gpu-fell-off-the-bus-by-journal");
  host::RecordedHost host(recording);
  const KernelLog log = probe_kernel_log(host, true);
  EXPECT_TRUE(log.source.is("journal"));
  ASSERT_EQ(log.events.size(), 2U);
  EXPECT_EQ(log.events[1].text, "NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.");
  EXPECT_TRUE(log.events[1].time_s.is(5300.0));
  EXPECT_TRUE(probe_kernel_log(host, false).source.absent_for(Absence::permission));
}

}  // namespace
}  // namespace gpuready::probe
