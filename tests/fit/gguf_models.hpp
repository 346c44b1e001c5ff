#pragma once
/// Small models as GGUF files, for tests.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fit/gguf.hpp"
#include "tests/fit/gguf_bytes.hpp"
#include "tests/fit/memory_source.hpp"

namespace gpuready::fit {

inline std::string block(int i, const std::string& part) {
  return "blk." + std::to_string(i) + "." + part;
}

/// A file of this architecture with `blocks` blocks of width 64 and 4 heads.
inline GgufBytes start(const std::string& architecture, std::uint32_t blocks) {
  GgufBytes bytes;
  bytes.text("general.architecture", architecture);
  bytes.number(architecture + ".block_count", blocks);
  bytes.number(architecture + ".embedding_length", 64);
  bytes.number(architecture + ".context_length", 4096);
  bytes.number(architecture + ".attention.head_count", 4);
  bytes.texts("tokenizer.ggml.tokens", 100);
  bytes.tensor("token_embd.weight", "q8_0", {64, 100});
  return bytes;
}

inline void attention(GgufBytes& bytes, int i) {
  bytes.tensor(block(i, "attn_norm.weight"), "f32", {64});
  for (const char* part : {"attn_q", "attn_k", "attn_v", "attn_output"})
    bytes.tensor(block(i, std::string(part) + ".weight"), "q8_0", {64, 64});
}

inline void feed_forward(GgufBytes& bytes, int i) {
  bytes.tensor(block(i, "ffn_norm.weight"), "f32", {64});
  bytes.tensor(block(i, "ffn_gate.weight"), "q8_0", {64, 96});
  bytes.tensor(block(i, "ffn_up.weight"), "q8_0", {64, 96});
  bytes.tensor(block(i, "ffn_down.weight"), "q8_0", {96, 64});
}

inline void experts(GgufBytes& bytes, int i) {
  bytes.tensor(block(i, "ffn_norm.weight"), "f32", {64});
  bytes.tensor(block(i, "ffn_gate_inp.weight"), "f32", {64, 8});
  bytes.tensor(block(i, "ffn_gate_exps.weight"), "q8_0", {64, 32, 8});
  bytes.tensor(block(i, "ffn_up_exps.weight"), "q8_0", {64, 32, 8});
  bytes.tensor(block(i, "ffn_down_exps.weight"), "q8_0", {32, 64, 8});
}

inline Result<Model> read(const GgufBytes& bytes) {
  MemorySource source(bytes.file(), "/models/test.gguf");
  return read_gguf(source, sibling_of({}));
}

inline Model model_of(const GgufBytes& bytes) {
  auto model = read(bytes);
  if (model) return *model;
  ADD_FAILURE() << model.error().text;
  return {};
}

inline std::vector<Mixer> mixers(const Model& model) {
  std::vector<Mixer> list;
  for (const Layer& layer : model.shape.layers) list.push_back(layer.mixer);
  return list;
}

inline std::int64_t parameters(const Model& model, Role role) {
  std::int64_t sum = 0;
  for (const WeightGroup& group : model.weights)
    if (group.role == role) sum += group.parameters;
  return sum;
}

}  // namespace gpuready::fit
