#pragma once
/// What doctor judges: the ladder, the findings and the verdict.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "gpuready/fact.hpp"
#include "gpuready/message.hpp"
#include "gpuready/units.hpp"

namespace gpuready {

enum class Outcome { pass, finding, not_tested };

template <>
struct EnumNames<Outcome> {
  static constexpr std::array<std::string_view, 3> list{"pass", "finding", "not-tested"};
};

/// The rungs in the order in which they are climbed.
enum class Rung {
  pci_device,
  kernel_driver,
  versions,
  device_nodes,
  nvml,
  cuda_init,
  device_count,
  context,
  kernel,
  libraries,
  torch,
};

template <>
struct EnumNames<Rung> {
  static constexpr std::array<std::string_view, 11> list{
      "pci-device",   "kernel-driver", "versions", "device-nodes", "nvml", "cuda-init",
      "device-count", "context",       "kernel",   "libraries",    "torch"};
};

struct RungResult {
  Rung rung = Rung::pci_device;
  Outcome outcome = Outcome::not_tested;
  Message why;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("rung", s.rung, Unit::none, "which rung");
    f("outcome", s.outcome, Unit::none, "pass, finding or not-tested");
    f("why", s.why, Unit::none, "one sentence");
  }
};

enum class Severity { blocker, degraded, risk, info };

template <>
struct EnumNames<Severity> {
  static constexpr std::array<std::string_view, 4> list{"blocker", "degraded", "risk", "info"};
};

struct Evidence {
  std::string field, value, source;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("field", s.field, Unit::none, "path of the fact in `gpuready facts --json`");
    f("value", s.value, Unit::none, "what was found");
    f("source", s.source, Unit::none, "file or call that it came from");
  }
};

struct Fix {
  Message when;
  std::vector<std::string> commands;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("when", s.when, Unit::none, "the situation that this cure is for");
    f("commands", s.commands, Unit::none, "commands to paste");
  }
};

struct Finding {
  std::string id;
  Severity severity = Severity::info;
  Message title, meaning;
  std::vector<Evidence> evidence;
  std::vector<Fix> fixes;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("id", s.id, Unit::none, "permanent name of the rule");
    f("severity", s.severity, Unit::none, "blocker, degraded, risk or info");
    f("title", s.title, Unit::none, "a few words");
    f("meaning", s.meaning, Unit::none, "one plain sentence");
    f("evidence", s.evidence, Unit::none, "the facts that it rests on");
    f("fixes", s.fixes, Unit::none, "cures, each for a situation");
  }
};

/// `not_tested`: a GPU is there, but nothing on this machine could be asked about it.
enum class Verdict { usable, degraded, not_usable, no_gpu, not_tested };

template <>
struct EnumNames<Verdict> {
  static constexpr std::array<std::string_view, 5> list{"usable", "degraded", "not-usable",
                                                        "no-gpu", "not-tested"};
};

struct Doctor {
  Verdict verdict = Verdict::no_gpu;
  Message summary;
  std::vector<RungResult> ladder;
  std::vector<Finding> findings;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("verdict", s.verdict, Unit::none, "usable, degraded, not-usable, no-gpu or not-tested");
    f("summary", s.summary, Unit::none, "what is wrong in a few words, or that all is well");
    f("ladder", s.ladder, Unit::none, "rung by rung");
    f("findings", s.findings, Unit::none, "most severe first");
  }
};

/// The word that a script asks for, in PyTorch's terms: cuda, xpu or cpu.
struct DeviceChoice {
  std::string device = "cpu";
  Message reason;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("device", s.device, Unit::none, "cuda, xpu or cpu");
    f("reason", s.reason, Unit::none, "why");
  }
};

}  // namespace gpuready
