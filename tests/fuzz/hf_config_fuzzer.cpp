/// Bytes as a config.json. No input may crash, hang or take much memory; what is read has sums that
/// agree, and no error steers the terminal.

#include "fit/hf_config.hpp"
#include "tests/fuzz/entry.hpp"
#include "tests/fuzz/json_mutator.hpp"

namespace gpuready {
namespace {

void check(const fit::Model& model) {
  std::int64_t sum = 0;
  for (const fit::WeightGroup& group : model.weights) {
    fuzz::require(group.parameters >= 0 && group.bytes >= 0, "sizes are not negative", model.name);
    fuzz::require(group.layer < static_cast<std::int64_t>(model.shape.layers.size()),
                  "groups stand in layers that are there", model.name);
    sum += group.parameters;
  }
  fuzz::require(sum == model.parameters, "groups sum to the parameters", model.name);
  fuzz::require(model.active_parameters >= 0 && model.active_parameters <= model.parameters,
                "active parameters are a part of all", model.name);
  for (const fit::Layer& layer : model.shape.layers)
    fuzz::require(layer.heads >= 0 && layer.window >= 0 && layer.recurrent_state >= 0,
                  "layers have no negative sizes", model.name);
}

}  // namespace
}  // namespace gpuready

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto model = gpuready::fit::read_hf_config({reinterpret_cast<const char*>(data), size});
  if (model) {
    gpuready::check(*model);
  } else {
    gpuready::fuzz::require(!gpuready::fuzz::steers_a_terminal(model.error().text),
                            "no error steers the terminal", model.error().text);
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return gpuready::fuzz::mutate_json(data, size, most, seed);
}
