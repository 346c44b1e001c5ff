#pragma once
/// Memory that a forward pass takes beside weights and cache, on one device.

#include "fit/kv_cache.hpp"
#include "fit/plan.hpp"
#include "fit/weights.hpp"

namespace gpuready::fit {

/// The widest layer, and the widest feed-forward as one token sees it.
struct Widths {
  double hidden = 0, vocab = 0;
  double heads = 0;      ///< of queries, over all layers the most
  double ffn = 0;        ///< active: dense, or the chosen experts and the shared ones
  double routed = 0;     ///< inner width of the chosen experts together; 0: no experts
  double per_token = 0;  ///< experts chosen for a token
};
Widths widths_of(const Architecture& shape);

/// llama.cpp: the graph of one micro-batch in 32 bits. `head` says whether the head stands on this
/// device. Cells as the full attention layers keep them.
Span llama_compute_bytes(const Architecture& shape, const InferencePlan& plan, bool head);
/// llama.cpp: buffers in main memory: inputs, and the logits of the last tokens.
double llama_host_bytes(const Architecture& shape, const InferencePlan& plan);

/// transformers: activations of the whole prompt, 2 (3f + 3h) bytes a token of 16 bits, on every
/// device that holds layers; with eager attention the scores too. What a quantised type unpacks for
/// one product is added.
Span torch_compute_bytes(const Architecture& shape, const InferencePlan& plan,
                         const Weights& weights);
/// transformers: logits of the last token of each sequence; one head keeps them.
Span torch_logits_bytes(const Architecture& shape, const InferencePlan& plan);

/// vLLM: the profiled pass of the most tokens that a step may have.
Span vllm_compute_bytes(const Architecture& shape, const InferencePlan& plan);
/// vLLM: logits of the sequences that run at a time, with what sampling needs.
Span vllm_logits_bytes(const Architecture& shape, const InferencePlan& plan);

/// Activations of the tower that reads images or sound, for `inputs` of them in one pass.
Span tower_bytes(const Tower& tower, double inputs, Runtime runtime);

}  // namespace gpuready::fit
