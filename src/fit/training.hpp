#pragma once
/// Memory of training: states, activations, adapters, buckets; on every rank.

#include <string>
#include <vector>

#include "fit/estimate.hpp"
#include "fit/kv_cache.hpp"
#include "fit/plan.hpp"
#include "fit/weights.hpp"

namespace gpuready::fit {

enum class Checkpointing { none, selective, full };
enum class Loss { full, chunked, fused };
enum class TrainingOffload { none, optimizer, all };

/// Training with nothing left to guess.
struct TrainingPlan {
  bool adapters = false;   ///< LoRA: the base is frozen
  bool quantised = false;  ///< QLoRA: and stands in a packed type
  std::string optimizer, precision;
  double activation_bytes = 2;  ///< of an element that is kept for the backward pass
  bool flash = true;
  Checkpointing checkpointing = Checkpointing::none;
  Loss loss = Loss::full;
  TrainingOffload offload = TrainingOffload::none;
  double micro_batch = 1, seq = 0;
  double conv_elements = 0;  ///< that a convolution net keeps of one image; 0: none
  double lora_rank = 0;
  std::vector<std::string> lora_targets;  ///< q, k, v, o, gate, up, down
  int zero = 0;                           ///< 3 with FSDP too
  bool fsdp = false;
  double tp = 1, pp = 1, cp = 1, data_ranks = 1;

  /// Ranks over which ZeRO and FSDP divide.
  [[nodiscard]] double shards() const { return data_ranks * cp; }
};

struct ResolvedTraining {
  TrainingPlan plan;
  std::vector<Message> assumptions;
};
/// The error says which option can't be had, and what can.
Result<ResolvedTraining> resolve_training(const Model& model, const FitRequest& request,
                                          const Devices& devices);

/// Bytes of one trainable parameter.
struct StateBytes {
  Span weights, gradients, optimizer;
};
/// `matrix`: of a two-dimensional hidden weight (Muon treats the others as AdamW does).
StateBytes state_bytes_of(const std::string& precision, const std::string& optimizer, bool matrix);

/// Bytes that one layer keeps of one token for the backward pass, without recomputing.
double activation_bytes_per_token(const Layer& layer, const Architecture& shape,
                                  const TrainingPlan& plan);
/// The part of it that tensor parallelism without sequence parallelism can't divide.
double undivided_bytes_per_token(const Architecture& shape, const TrainingPlan& plan);
/// What is kept of one token with this plan's checkpointing.
double kept_bytes_per_token(const Layer& layer, const Architecture& shape,
                            const TrainingPlan& plan);
/// Logits and loss at their peak, of a micro-batch.
double loss_bytes(const Architecture& shape, const TrainingPlan& plan);

/// Parameters of the adapters of one layer, all targets together.
double adapter_parameters(const Layer& layer, const Architecture& shape, const TrainingPlan& plan);

struct Training {
  std::vector<DeviceTerms> shares;
  double host = 0;
};
/// `parameters`: the weights in 16 bits, which counts them; `base`: the frozen ones as they stand.
Training training_terms(const Model& model, const Weights& parameters, const Weights& base,
                        const TrainingPlan& plan, const std::vector<Device>& devices);

}  // namespace gpuready::fit
