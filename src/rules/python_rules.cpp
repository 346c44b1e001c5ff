#include "rules/areas.hpp"

namespace gpuready::rules {

const std::vector<Rule>& python_rules() {
  static const std::vector<Rule> rules;
  return rules;
}

}  // namespace gpuready::rules
