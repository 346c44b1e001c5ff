#include <algorithm>

#include "fit/training.hpp"

namespace gpuready::fit {

double adapter_parameters(const Layer& layer, const Architecture& shape, const TrainingPlan& plan) {
  const auto hidden = static_cast<double>(shape.hidden);
  const auto query = static_cast<double>(layer.heads) * static_cast<double>(layer.head_dim_k);
  const auto key = static_cast<double>(layer.kv_heads) * static_cast<double>(layer.head_dim_k);
  const auto value = static_cast<double>(layer.kv_heads) * static_cast<double>(layer.head_dim_v);
  const auto attended = static_cast<double>(layer.heads) * static_cast<double>(layer.head_dim_v);
  const bool gated = shape.feed_forward == FeedForward::gated;
  // Each expert has matrices, and so adapters, of its own.
  const double inner = static_cast<double>(layer.ffn) + static_cast<double>(layer.shared_ffn);
  double feed_forward = inner > 0 ? hidden + inner : 0;
  feed_forward +=
      static_cast<double>(layer.experts) * (hidden + static_cast<double>(layer.expert_ffn));
  double sizes = 0;
  for (const std::string& target : plan.lora_targets) {
    const bool mixes = query > 0;
    if (target == "q" && mixes) sizes += hidden + query;
    if (target == "k" && mixes) sizes += hidden + key;
    if (target == "v" && mixes) sizes += hidden + value;
    if (target == "o" && mixes) sizes += attended + hidden;
    if ((target == "gate" && gated) || target == "up" || target == "down") sizes += feed_forward;
  }
  return plan.lora_rank * sizes;
}

}  // namespace gpuready::fit
