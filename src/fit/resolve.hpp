#pragma once
/// From what a user calls a model to a row of data/models.csv.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/models.hpp"
#include "gpuready/message.hpp"
#include "gpuready/result.hpp"

namespace gpuready::fit {

/// A row, and what was understood beyond it.
struct Resolved {
  const catalog::Model* row = nullptr;
  /// What the name says of the weights, in the words of `fit --dtype` (gptq-int4, awq, nf4, fp8,
  /// q4_k_m, ...); "gguf" where the name says GGUF but not which; empty where it says nothing.
  std::string dtype;
  /// Where the row is a sibling (base for instruct) or the original of a copy: says so.
  std::vector<Message> doubts;
};

/// `name`: a catalogue name or a Hub id, without regard to case. Sizes, versions and families are
/// never guessed. The error says that the name is not known or is ambiguous, and gives up to six
/// near ones.
Result<Resolved> resolve_model(const std::vector<catalog::Model>& models, std::string_view name);

}  // namespace gpuready::fit
