#pragma once
/// What fits at all: the rule of thumb, and the catalogue's models one by one.

#include <string>
#include <vector>

#include "gpuready/estimates.hpp"
#include "gpuready/fit.hpp"

namespace gpuready {

struct FitList {
  std::string device, gpu, runtime;
  std::int64_t gpus = 1;
  Fact<std::int64_t> usable_bytes;
  std::vector<RuleOfThumb> rule_of_thumb;
  std::vector<FittingModel> models;
  std::int64_t considered = 0;
  std::vector<Message> assumptions;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("device", s.device, Unit::none, "device whose memory counts, as cuda:0 or cpu");
    f("gpu", s.gpu, Unit::none, "its name");
    f("gpus", s.gpus, Unit::count, "how many of them");
    f("runtime", s.runtime, Unit::none, "program whose memory is estimated; empty: as suits each");
    f("usable_bytes", s.usable_bytes, Unit::bytes, "memory of each that a program gets");
    f("rule_of_thumb", s.rule_of_thumb, Unit::none, "parameters = usable bytes / bytes each");
    f("models", s.models, Unit::none, "catalogued models that fit, largest first");
    f("considered", s.considered, Unit::count, "catalogued models that the filters left");
    f("assumptions", s.assumptions, Unit::none, "what was taken for granted");
  }
};

}  // namespace gpuready
