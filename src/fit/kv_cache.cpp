#include "fit/kv_cache.hpp"

#include <algorithm>

#include "fit/ggml_types.hpp"
#include "fit/range.hpp"

namespace gpuready::fit {

namespace {

double count(std::int64_t n) { return static_cast<double>(n); }

Span same(double value) { return {value, value, value}; }

bool is_llama(Runtime runtime) {
  return runtime == Runtime::llama_cpp || runtime == Runtime::ollama;
}

/// Whisper's encoder gives 1500 positions for its 30 seconds (openai/whisper, n_audio_ctx).
constexpr double sound_positions = 1500;

/// Tokens of the sequence that a cross-attention layer reads.
double source_tokens(const Architecture& shape, const InferencePlan& plan) {
  if (shape.tower.tokens > 0) return count(shape.tower.tokens);
  return shape.kind == ModelKind::speech ? sound_positions : plan.context;
}

/// ggml-org/llama.cpp src/llama-kv-cache-iswa.cpp: cells are padded to 256, per sequence.
Span llama_cells(const Layer& layer, const InferencePlan& plan) {
  constexpr double step = 256;
  const double context = padded(plan.context, step);
  if (layer.mixer == Mixer::attention) return same(context * plan.sequences);
  const double window = std::min(context, count(layer.window) + plan.tokens);
  return same(padded(window, step) * plan.sequences);
}

/// vllm-project/vllm vllm/v1/kv_cache_interface.py: whole pages; of a sliding layer a window, the
/// tokens of a pass, and a page because a window need not begin at a page.
Span vllm_cells(const Layer& layer, const InferencePlan& plan) {
  constexpr double page = 16;
  const double full = padded(plan.context, page) * plan.sequences;
  if (layer.mixer == Mixer::attention) return same(full);
  const double kept = std::min(count(layer.window) - 1 + plan.batched_tokens, plan.context);
  return same((padded(kept, page) + page) * plan.sequences);
}

/// Older releases keep all; newer ones only the window of sliding layers.
Span torch_cells(const Layer& layer, const InferencePlan& plan) {
  const double full = plan.context * plan.sequences;
  if (layer.mixer == Mixer::attention) return same(full);
  const double window = std::min(plan.context, count(layer.window)) * plan.sequences;
  return {window, full, full};
}

/// Elements that one cell of one layer takes.
Span elements_per_cell(const Layer& layer, const Architecture& shape, const InferencePlan& plan) {
  const double heads = count(layer.kv_heads) * (count(layer.head_dim_k) + count(layer.head_dim_v));
  const Latent& latent = shape.latent;
  if (latent.kv_lora_rank == 0 || layer.mixer == Mixer::cross) {
    // With fewer heads than ranks each rank keeps one.
    const double ranks = layer.kv_heads > 0 ? std::min(plan.tp, count(layer.kv_heads)) : 1;
    return same(heads / std::max(ranks, 1.0));
  }
  const double one =
      count(latent.kv_lora_rank) + count(latent.qk_rope_head_dim) + count(latent.indexer_head_dim);
  if (plan.runtime == Runtime::transformers)
    return same(count(layer.heads) * (count(layer.head_dim_k) + count(layer.head_dim_v)));
  // llama.cpp before January 2026 kept the values beside (ggml-org/llama.cpp PR 19067).
  const double high = is_llama(plan.runtime) ? one + count(latent.kv_lora_rank) : one;
  return {one, one, high};
}

}  // namespace

double cache_element_bytes(std::string_view kv_dtype) {
  if (kv_dtype == "fp16") kv_dtype = "f16";
  if (kv_dtype == "fp32") kv_dtype = "f32";
  if (kv_dtype == "int8" || kv_dtype.starts_with("fp8")) return 1;
  const GgmlType* type = ggml_type_named(kv_dtype);
  return type == nullptr ? 0 : count(type->bytes) / count(type->block);
}

Span cache_cells(const Layer& layer, const Architecture& shape, const InferencePlan& plan) {
  if (!layer.owns_cache || layer.mixer == Mixer::recurrent || layer.mixer == Mixer::none) return {};
  if (layer.mixer == Mixer::cross) return same(source_tokens(shape, plan) * plan.sequences);
  if (is_llama(plan.runtime)) return llama_cells(layer, plan);
  if (plan.runtime == Runtime::vllm) return vllm_cells(layer, plan);
  return torch_cells(layer, plan);
}

Span cache_bytes(const Layer& layer, const Architecture& shape, const InferencePlan& plan) {
  const Span cells = cache_cells(layer, shape, plan);
  const Span elements = elements_per_cell(layer, shape, plan);
  const double bytes = plan.cache_element_bytes;
  return {cells.low * elements.low * bytes, cells.expected * elements.expected * bytes,
          cells.high * elements.high * bytes};
}

Span state_bytes(const Layer& layer, const InferencePlan& plan) {
  const double elements =
      (count(layer.conv_state) + count(layer.recurrent_state)) * plan.sequences / plan.tp;
  if (is_llama(plan.runtime)) return same(elements * 4);
  // PyTorch's runtimes keep it in the model's type or in 32 bits, by model.
  return {elements * 2, elements * 4, elements * 4};
}

}  // namespace gpuready::fit
