#pragma once
/// What fit knows of a model: its shape, layer by layer, and its weights, by role. The readers
/// (GGUF, safetensors, config.json) and the catalogue make it; the terms read it.

#include <cstdint>
#include <string>
#include <vector>

#include "gpuready/message.hpp"

namespace gpuready::fit {

/// What a model is for; the words of data/models.csv.
enum class ModelKind { llm, vlm, encoder, embedding, vision, speech, diffusion };

/// How a layer mixes tokens, and so what it keeps of them.
enum class Mixer {
  attention,  ///< keys and values of every token
  sliding,    ///< of the last `window` tokens
  chunked,    ///< of the current chunk of `window` tokens (Llama 4)
  recurrent,  ///< a state of fixed size (Mamba, gated delta net, RWKV, short convolution)
  cross,      ///< keys and values of another sequence (image, sound, encoder): constant
  none,       ///< nothing: the layer has no mixer, or only a feed-forward part
};

/// One block of the decoder (or of the encoder, where there is no decoder).
struct Layer {
  Mixer mixer = Mixer::attention;
  std::int64_t heads = 0, kv_heads = 0;
  std::int64_t head_dim_k = 0, head_dim_v = 0;  ///< of MLA: as the attention itself uses them
  bool owns_cache = true;                       ///< false: reads the cache of an earlier layer
  std::int64_t window = 0;                      ///< tokens; of sliding and chunked layers
  std::int64_t ffn = 0;                         ///< inner width of the dense feed-forward; 0: none
  std::int64_t experts = 0;                     ///< routed experts; 0: the layer is dense
  std::int64_t expert_ffn = 0;                  ///< inner width of one routed expert
  std::int64_t shared_ffn = 0;                  ///< inner width of all shared experts together
  std::int64_t conv_state = 0;                  ///< elements kept of one sequence by convolutions
  std::int64_t recurrent_state = 0;             ///< elements of one sequence's other state
};

/// Attention that caches one latent for all heads (DeepSeek V2 and later); rank 0: not so.
struct Latent {
  std::int64_t kv_lora_rank = 0, qk_rope_head_dim = 0, q_lora_rank = 0;
  std::int64_t indexer_head_dim = 0;  ///< a key cache of its own (DeepSeek V3.2, GLM-5)
};

/// The feed-forward part of a block, as far as memory depends on it.
enum class FeedForward { gated, plain };

/// Tower that turns images or sound into tokens.
struct Tower {
  std::int64_t layers = 0, hidden = 0, heads = 0, ffn = 0;
  std::int64_t parameters = 0;
  std::int64_t tokens = 0;  ///< of one input at the size that the configuration names
};

struct Architecture {
  std::string
      family;  ///< as the source calls it: model_type, general.architecture, a table's family
  ModelKind kind = ModelKind::llm;
  std::int64_t hidden = 0, vocab = 0;
  std::int64_t max_context = 0;  ///< tokens, as configured; 0: not said
  bool tied_embeddings = false;
  std::vector<Layer> layers;
  std::int64_t encoder_layers = 0;  ///< of models with an encoder beside the decoder
  Latent latent;
  std::int64_t experts_per_token = 0;
  std::int64_t mtp_layers = 0;  ///< blocks for multi-token prediction; often not loaded
  FeedForward feed_forward = FeedForward::gated;
  bool parallel_residual = false;  ///< attention and feed-forward read one norm (NeoX, phi)
  double rotary_part = 1.0;        ///< of each head's elements; 0: learned or no positions
  bool learned_positions = false;
  double dropout = 0;  ///< of attention and residuals, in training
  Tower tower;
};

/// What a tensor does. Placement, offload, quantisation and training differ by it.
enum class Role {
  embedding,     ///< token (and position) embeddings
  output,        ///< the head that gives logits; absent where tied
  attention,     ///< of any mixer, recurrent ones too
  feed_forward,  ///< dense, and shared experts
  experts,       ///< routed experts
  router,
  norm,   ///< norms, biases, and what else is too small to quantise (convolutions, decays)
  tower,  ///< vision, sound, projector
  mtp,    ///< multi-token prediction
  other,
};

/// Tensors of one role, layer and type, together.
struct WeightGroup {
  Role role = Role::other;
  std::int64_t layer = -1;  ///< index into Architecture::layers; -1: in no layer
  std::string dtype;        ///< as stored: f16, bf16, q4_k, f8_e4m3, i32, ...
  std::int64_t tensors = 0;
  std::int64_t elements = 0;    ///< as stored; of packed formats fewer than parameters
  std::int64_t parameters = 0;  ///< unpacked: what the model has
  std::int64_t bytes = 0;       ///< without padding
  /// Of embeddings alone: looked up in main memory even where the token embeddings stand on the GPU
  /// as the tied head (position embeddings, Gemma's per-layer embeddings; llama.cpp).
  bool stays_on_host = false;
};

/// How weights were quantised before they were stored.
struct Quantisation {
  std::string method;  ///< gptq, awq, fp8, mxfp4, nvfp4, bitsandbytes, ...; empty: not at all
  std::int64_t bits = 0, group_size = 0;
};

/// A part that stands beside the model in a pipeline: text encoder, decoder (VAE), safety checker.
struct Component {
  std::string name, dtype;  ///< as the pipeline names it (text_encoder_2); type as stored
  std::int64_t parameters = 0, bytes = 0;
};

/// Where numbers of a model come from: how sure they are.
enum class Source { file_header, configuration, catalogue };

struct Model {
  std::string name;
  Source source = Source::catalogue;
  bool gguf = false;  ///< read from a file of llama.cpp's format
  std::string where;  ///< path, address or row that it was read from
  Architecture shape;
  std::string native_dtype;  ///< fp32, fp16, bf16, fp8 or the file's type (Q4_K_M); empty: not said
  Quantisation quantisation;
  std::int64_t parameters = 0;         ///< all of them, every expert, tied tensors once
  std::int64_t active_parameters = 0;  ///< used for one token; 0: all
  std::int64_t mtp_parameters = 0;     ///< of `parameters`, those for multi-token prediction
  /// By role, layer and type. From a header: as stored. From a configuration or the catalogue: as
  /// computed, in the native type (two bytes where none is said).
  std::vector<WeightGroup> weights;
  std::int64_t file_bytes = 0;  ///< of the weight files with headers and padding; 0: no files read
  std::vector<Component>
      components;  ///< of a pipeline read from its files; `weights` is the denoiser
  /// False: nothing says what a token adds (weights without a configuration), so no verdict but
  /// "does not fit" can be given.
  bool shape_known = true;
  /// What was not found or is not certain, each a reason for a wider range.
  std::vector<Message> doubts;
};

}  // namespace gpuready::fit
