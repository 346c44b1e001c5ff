#pragma once
/// data/models.csv: the architecture numbers of popular open models, with what its columns cannot
/// say from data/model_layers.csv.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "catalog/rows.hpp"
#include "gpuready/result.hpp"

namespace gpuready::catalog {

/// A row. Numbers that are not known, or that the model has not, are 0; where 0 means something
/// else the column is optional.
struct Model {
  std::string name, hf_id, family;
  std::string kind;  ///< llm, vlm, encoder, embedding, vision, speech, diffusion
  std::int64_t parameters = 0;
  std::int64_t active_parameters = 0;  ///< of one token; without MTP and towers; 0: all
  /// Whisper and T5: of the encoder. CLIP and SigLIP: of the image tower.
  std::int64_t layers = 0;
  std::int64_t hidden = 0, heads = 0, kv_heads = 0;
  std::int64_t head_dim = 0;    ///< of MLA: qk_nope + qk_rope
  std::int64_t head_dim_v = 0;  ///< 0: as head_dim
  std::int64_t ffn = 0, vocab = 0;
  std::optional<bool> tied_embeddings;
  std::string attention;  ///< mha, gqa, mqa, mla, swa-mix, hybrid, none
  std::int64_t sliding_window = 0;
  std::int64_t sliding_pattern = 0;  ///< n: every n-th layer is full attention; of hybrids too
  /// Layers whose keys and values grow with the context and that own a cache; 0: every layer is
  /// windowed or keeps a state. Whisper and T5: layers of the decoder.
  std::optional<std::int64_t> full_attention_layers;
  std::int64_t kv_lora_rank = 0, qk_rope_head_dim = 0;
  std::int64_t experts = 0, experts_per_token = 0, moe_ffn = 0;
  std::int64_t shared_expert_ffn = 0;  ///< of all shared experts together
  std::int64_t dense_layers = 0;       ///< layers without experts, leading or interleaved
  std::int64_t max_context = 0;
  std::string native_dtype;  ///< fp32, fp16, bf16, fp8, mxfp4, int4, fp4; empty: not known
  std::string released, source, as_of;
  /// From data/model_layers.csv: key of a configuration file -> its value as JSON.
  std::map<std::string, std::string> more;
};

/// The error names the file, the record and the field.
Result<std::vector<Model>> load_models(const Override& replaced);

}  // namespace gpuready::catalog
