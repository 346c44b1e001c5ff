/// Bytes as a safetensors file, and as the JSON of its header and of an index: no input may crash,
/// hang, take much memory or reach the terminal raw.

#include "fit/safetensors.hpp"
#include "tests/fit/memory_source.hpp"
#include "tests/fit/safetensors_bytes.hpp"
#include "tests/fuzz/entry.hpp"
#include "tests/fuzz/json_mutator.hpp"

namespace {

using namespace gpuready;

void check_error(const Error& error) {
  fuzz::require(!fuzz::steers_a_terminal(error.text), "no error steers the terminal", error.text);
}

void read(const std::string& bytes) {
  fit::MemorySource source(bytes, "m.safetensors");
  const auto header = fit::read_safetensors_header(source);
  if (!header) return check_error(header.error());
  for (const char* method : {"", "gptq", "bitsandbytes"}) {
    fit::Model base;
    base.quantisation = {method, 3, 128};
    base.shape.layers.resize(2);
    base.shape.layers[1].experts = 3;
    base.shape.experts_per_token = 2;
    const auto model = fit::with_safetensors(std::move(base), {*header});
    if (!model) return check_error(model.error());
    std::int64_t sum = 0;
    for (const fit::WeightGroup& group : model->weights) {
      fuzz::require(group.layer >= -1 && group.layer < 2, "layers exist", "");
      fuzz::require(group.parameters >= 0, "parameters are a count", "");
      sum += group.bytes;
    }
    fuzz::require(sum <= model->file_bytes, "weights are inside the file", "");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  // As a header alone, with as much data as its tensors may want of it.
  constexpr std::size_t data_bytes = 64;
  read(fit::safetensors_file(bytes, data_bytes));
  const auto index = fit::read_safetensors_index(bytes, "index.json");
  if (!index) {
    check_error(index.error());
    return 0;
  }
  const auto good = fit::check_index(*index, {});
  if (!good) check_error(good.error());
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return gpuready::fuzz::mutate_json(data, size, most, seed);
}
