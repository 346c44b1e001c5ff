#pragma once
/// What a family's blocks consist of, exactly enough to count every tensor. The readers of
/// config.json and of catalogue rows fill it; parameters.hpp turns it into weights.

#include <cstdint>
#include <vector>

#include "fit/model.hpp"

namespace gpuready::fit {

/// How a norm is written: how many vectors of its width it owns.
enum class NormKind { rms, layer, layer_without_bias, without_weights };

/// Norms of queries and keys.
enum class QkNorm {
  none,
  per_head_width,  ///< one vector of a head's width each (Qwen3, Gemma 3)
  full_width,      ///< of all heads together (OLMo 2, Cohere, StableLM's heads one by one)
};

/// What the mixer of a block is made of.
enum class MixerParts {
  attention,
  latent,       ///< MLA
  mamba,        ///< Mamba 1
  mamba2,       ///< Mamba 2 (state space duality)
  delta_net,    ///< gated delta net (Qwen3-Next)
  rg_lru,       ///< real-gated linear recurrent unit (Griffin)
  short_conv,   ///< gated short convolution (LFM2)
  lightning,    ///< linear attention with an output gate (MiniMax-01)
  cross_gated,  ///< cross-attention with gates (Llama 3.2 Vision)
  none,
};

/// Sizes of a recurrent mixer; what a kind has not is 0.
struct Recurrent {
  std::int64_t inner = 0;   ///< channels
  std::int64_t state = 0;   ///< of each channel; of delta nets the width of a key
  std::int64_t heads = 0;   ///< of delta nets: of values
  std::int64_t groups = 0;  ///< Mamba 2; of delta nets: heads of keys
  std::int64_t conv = 0;    ///< taps of the convolution
  std::int64_t dt_rank = 0;
  bool conv_bias = true, bias = false;
  bool inner_norms = false;  ///< Jamba: of dt, B and C
};

struct Block {
  Layer layer;
  MixerParts parts = MixerParts::attention;
  bool sinks = false;              ///< one number per head (gpt-oss)
  bool value_weights = true;       ///< false: keys serve as values (Gemma 4)
  bool unused_kv_weights = false;  ///< has K and V matrices though it owns no cache (Gemma 3n)
};

/// Which linear layers have a bias.
struct Biases {
  bool q = false, k = false, v = false, out = false;
  bool ffn_in = false, ffn_out = false;
  bool router = false, experts = false, head = false;
};

/// Which small parts a family adds.
struct Extras {
  bool output_gate = false;        ///< queries twice as wide: the other half gates (Qwen3-Next)
  bool head_gate = false;          ///< a gate of its own as wide as the queries
  bool shared_gate = false;        ///< a gate on the shared experts (Qwen MoE)
  bool router_correction = false;  ///< one number per expert (DeepSeek V3)
  std::int64_t expert_input = 0;   ///< experts read a narrower state (Nemotron 3 Super); 0: no
  std::int64_t indexer_heads = 0;  ///< DeepSeek V3.2
  std::int64_t positions = 0;      ///< rows of a learned table
  std::int64_t token_types = 0;    ///< BERT
  std::int64_t relative_positions = 0;  ///< numbers of one relative table (T5)
  std::int64_t embedding_width = 0;     ///< where it is not the hidden size (OPT-350m)
  bool embedding_norm = false;
};

struct Blueprint {
  Architecture shape;  ///< `layers` is made from `blocks`
  std::vector<Block> blocks;
  NormKind norm = NormKind::rms;
  NormKind qk_norm_kind = NormKind::rms;
  QkNorm qk_norm = QkNorm::none;
  std::int64_t norms = 2;  ///< of the hidden width, in each block
  bool final_norm = true;
  bool head = true;  ///< gives logits
  Biases biases;
  Extras extras;
  Recurrent recurrent;
  /// Parts that are no block: towers, poolers, an encoder, blocks for multi-token prediction.
  std::vector<WeightGroup> parts;
};

}  // namespace gpuready::fit
