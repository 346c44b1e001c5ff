#pragma once
/// What the kernel's log says of GPUs and their drivers since the machine started.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpuready/fact.hpp"
#include "gpuready/units.hpp"

namespace gpuready {

enum class KernelEventKind {
  xid,          ///< the driver reports an error by its Xid number
  bus_loss,     ///< a GPU does not answer on the bus any more; with or without an Xid
  driver_load,  ///< NVIDIA's module was loaded: what lies before is past
  resume,       ///< the machine woke up: what lies before is past
  message,      ///< another line that tells something about a GPU's driver
};

template <>
struct EnumNames<KernelEventKind> {
  static constexpr std::array<std::string_view, 5> list{"xid", "bus-loss", "driver-load", "resume",
                                                        "message"};
};

struct KernelEvent {
  Fact<double> time_s;
  KernelEventKind kind = KernelEventKind::message;
  Fact<std::int64_t> xid;
  Fact<std::string> pci_address;
  std::string text;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("time_s", s.time_s, Unit::seconds, "when, counted from the machine's start");
    f("kind", s.kind, Unit::none, "xid, bus-loss, driver-load, resume or message");
    f("xid", s.xid, Unit::none, "number of the error, as NVIDIA's driver counts them");
    f("pci_address", s.pci_address, Unit::none, "domain:bus:device.function, if the line has it");
    f("text", s.text, Unit::none, "the line");
  }
};

/// Where the log cannot be read, `source` says why, and nothing is known of errors.
struct KernelLog {
  Fact<std::string> source;
  Fact<double> uptime_s;
  std::vector<KernelEvent> events;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("source", s.source, Unit::none, "/dev/kmsg or journal, or why neither could be read");
    f("uptime_s", s.uptime_s, Unit::seconds, "time since the machine's start");
    f("events", s.events, Unit::none, "lines about GPUs and their drivers, the oldest first");
  }
};

}  // namespace gpuready
