#pragma once
/// Models from the architecture numbers that public configurations give, for tests of the terms:
/// counted here anew, so that the readers' mistakes don't hide in them.

#include <string>

#include "fit/estimate.hpp"
#include "fit/model.hpp"

namespace gpuready::fit::shapes {

struct Decoder {
  std::string name;
  std::int64_t layers = 0, hidden = 0, heads = 0, kv_heads = 0, head_dim = 0, ffn = 0, vocab = 0;
  bool tied = false, qkv_bias = false;
  std::int64_t experts = 0, experts_per_token = 0;
  FeedForward feed_forward = FeedForward::gated;
  bool parallel_residual = false;
  double rotary_part = 1;
  ModelKind kind = ModelKind::llm;
  double dropout = 0;
  std::int64_t positions = 0;  ///< rows of learned position embeddings
};

/// Dense or expert decoder (or encoder) whose layers are alike.
Model decoder(const Decoder& shape);
/// The models of tests/fit/tables/ground_truth.csv by their names there; the name "" where unknown.
Model named(const std::string& name);

/// `count` GPUs of so many GiB, all usable.
Devices gpus(std::int64_t count, double gib, double compute_capability = 8.0);

}  // namespace gpuready::fit::shapes
