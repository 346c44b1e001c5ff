#include "rules/areas.hpp"

namespace gpuready::rules {

const std::vector<Rule>& environment_rules() {
  static const std::vector<Rule> rules;
  return rules;
}

}  // namespace gpuready::rules
