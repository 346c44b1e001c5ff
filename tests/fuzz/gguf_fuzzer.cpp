/// Bytes as a GGUF file: no input may crash, hang, take more memory than it has bytes for, or reach
/// the terminal raw.

#include "fit/gguf.hpp"
#include "tests/fit/memory_source.hpp"
#include "tests/fuzz/entry.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuready::fit;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  MemorySource source(bytes, "m-00001-of-00002.gguf");
  // The second shard is the file itself: split files are read too.
  const auto model = read_gguf(
      source, sibling_of({{"m-00001-of-00002.gguf", bytes}, {"m-00002-of-00002.gguf", bytes}}));
  if (!model) {
    gpuready::fuzz::require(!gpuready::fuzz::steers_a_terminal(model.error().text),
                            "no error steers the terminal", model.error().text);
    return 0;
  }
  std::int64_t sum = 0;
  const auto layers = static_cast<std::int64_t>(model->shape.layers.size());
  for (const WeightGroup& group : model->weights) {
    gpuready::fuzz::require(group.layer >= -1 && group.layer < layers, "layers exist", "");
    gpuready::fuzz::require(group.parameters >= 0 && group.bytes >= 0, "sizes are sizes", "");
    sum += group.bytes;
  }
  gpuready::fuzz::require(sum <= model->file_bytes, "weights are inside the file", "");
  gpuready::fuzz::require(!gpuready::fuzz::steers_a_terminal(model->name + model->shape.family),
                          "no name steers the terminal", model->name);
  return 0;
}
