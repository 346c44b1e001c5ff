#pragma once
/// How much work a request means. Pure.

#include <optional>

#include "gpuready/plan.hpp"

namespace gpuready::plan {

/// Of exactly one of tokens, train_tokens, flops and cpu_hours. `model`: what fit knows of it;
/// where the work is told by tokens it must be there.
Result<PlanWork> work_of(const PlanRequest& request, const ModelSummary* model);

/// Floating-point operations of training on one token: 6 for each active parameter (2 forward, 4
/// backward: Kaplan et al., arXiv 2001.08361; Hoffmann et al., arXiv 2203.15556), 4 where the
/// weights are frozen (LoRA: no gradients of weights), 2 more where activations are computed twice.
/// With a sequence length also the scores of causal attention: half of 12 * layers * width * length
/// (Chowdhery et al., arXiv 2204.02311, appendix B).
double training_flops_per_token(const ModelSummary& model, const TrainingOptions& options);

}  // namespace gpuready::plan
