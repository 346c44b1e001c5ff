#pragma once
/// What fit says: the rule of thumb on usable memory.

#include <cstdint>
#include <string>
#include <vector>

#include "gpuready/fact.hpp"
#include "gpuready/units.hpp"

namespace gpuready {

struct RuleOfThumb {
  std::string dtype;
  double bytes_per_parameter = 0;
  std::int64_t max_parameters = 0;
  Fact<std::string> example;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("dtype", s.dtype, Unit::none, "fp16, int8 or int4");
    f("bytes_per_parameter", s.bytes_per_parameter, Unit::bytes, "weights only");
    f("max_parameters", s.max_parameters, Unit::count, "largest model by that rule");
    f("example", s.example, Unit::none, "largest catalogued language model within it");
  }
};

struct Fit {
  std::string device;
  Fact<std::int64_t> usable_bytes;
  std::vector<RuleOfThumb> rule_of_thumb;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("device", s.device, Unit::none, "device whose memory counts, as cuda:0 or cpu");
    f("usable_bytes", s.usable_bytes, Unit::bytes, "memory that is free, not nominal");
    f("rule_of_thumb", s.rule_of_thumb, Unit::none, "parameters = usable bytes / bytes each");
  }
};

}  // namespace gpuready
