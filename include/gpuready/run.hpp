#pragma once
/// One run: everything that the page, the JSON and later the report are made from.

#include <string>

#include "gpuready/bench.hpp"
#include "gpuready/choices.hpp"
#include "gpuready/estimates.hpp"
#include "gpuready/findings.hpp"
#include "gpuready/machine.hpp"
#include "gpuready/setup.hpp"

namespace gpuready {

struct Tool {
  std::string version;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("version", s.version, Unit::none, "version of gpuready");
  }
};

/// Everything that one run of `gpuready` found, measured and judged.
struct Run {
  std::string schema;
  Tool tool;
  std::string at;  ///< UTC, ISO 8601
  Machine machine;
  Doctor doctor;
  DeviceChoice device, torch_device;
  Bench bench;
  Fit fit;
  Next next;
  Setup setup;  ///< of `gpuready setup` alone, and so not in the page's list

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("schema", s.schema, Unit::none, "gpuready.run/1");
    f("tool", s.tool, Unit::none, "what wrote this");
    f("at", s.at, Unit::none, "UTC, ISO 8601");
    f("machine", s.machine, Unit::none, "what was found");
    f("doctor", s.doctor, Unit::none, "whether the GPU is usable");
    f("device", s.device, Unit::none, "what to use");
    f("torch_device", s.torch_device, Unit::none, "what the installed PyTorch would use");
    f("bench", s.bench, Unit::none, "CPU against GPU");
    f("fit", s.fit, Unit::none, "largest model by the rule of thumb");
    f("next", s.next, Unit::none, "what to do next");
  }
};

}  // namespace gpuready
