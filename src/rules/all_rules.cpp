#include "rules/areas.hpp"

namespace gpuready::rules {

const std::vector<Rule>& all_rules() {
  static const std::vector<Rule> rules = [] {
    std::vector<Rule> all;
    for (const auto* area : {&hardware_rules(), &driver_rules(), &environment_rules(),
                             &container_rules(), &python_rules(), &vendor_rules(), &health_rules()})
      all.insert(all.end(), area->begin(), area->end());
    return all;
  }();
  return rules;
}

}  // namespace gpuready::rules
