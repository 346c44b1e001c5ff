#include <array>
#include <string_view>

#include "fit/training.hpp"

namespace gpuready::fit {

namespace {

/// Bytes of an optimizer's states for one parameter: of a 32-bit recipe, and of one in 16 bits.
struct OptimizerStates {
  std::string_view name;
  double wide = 0, narrow = 0;
};

/// Block sizes: 8-bit states share a 32-bit scale in blocks of 256, 4-bit ones in blocks of 128
/// (pytorch/ao torchao/optim/README.md). Adafactor keeps a row and a column for each matrix.
constexpr std::array optimizers{
    OptimizerStates{"adamw", 8, 4},
    OptimizerStates{"adamw-8bit", 2 * (1 + 4.0 / 256), 2 * (1 + 4.0 / 256)},
    OptimizerStates{"adamw-4bit", 2 * (0.5 + 4.0 / 128), 2 * (0.5 + 4.0 / 128)},
    OptimizerStates{"adafactor", 0.01, 0.01},
    OptimizerStates{"sgd", 0, 0},
    OptimizerStates{"sgd-momentum", 4, 2},
    OptimizerStates{"lion", 4, 2},
    OptimizerStates{"lion-8bit", 1 + 4.0 / 256, 1 + 4.0 / 256},
    OptimizerStates{"muon", 4, 2},
};

double states_of(std::string_view optimizer, bool wide, bool matrix) {
  if (optimizer == "muon" && !matrix) optimizer = "adamw";
  for (const OptimizerStates& states : optimizers)
    if (states.name == optimizer) return wide ? states.wide : states.narrow;
  return 0;
}

Span same(double value) { return {value, value, value}; }

}  // namespace

StateBytes state_bytes_of(const std::string& precision, const std::string& optimizer, bool matrix) {
  const bool narrow = precision == "bf16";
  const double states = states_of(optimizer, !narrow, matrix);
  if (narrow) return {same(2), same(2), same(states)};
  // Weights and gradients in 16 bits beside a 32-bit copy; some accumulate gradients in 32.
  if (precision == "mixed") return {same(2), {2, 2, 4}, same(states + 4)};
  // Autocast keeps the 16-bit copies of a pass.
  if (precision == "amp") return {{4, 5, 6}, same(4), same(states)};
  return {same(4), same(4), same(states)};
}

}  // namespace gpuready::fit
