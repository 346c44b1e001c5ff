#pragma once
/// Steps that the readers of families share: each reads some keys of a configuration into a
/// blueprint.

#include <cstdint>
#include <string>

#include "fit/blueprint.hpp"
#include "fit/config_keys.hpp"

namespace gpuready::fit {

inline constexpr KeyNames hidden_names{"hidden_size", "n_embd", "d_model", "dim"};
inline constexpr KeyNames layer_names{"num_hidden_layers", "n_layer", "n_layers", "num_layers"};
inline constexpr KeyNames head_names{"num_attention_heads", "n_head", "n_heads", "num_heads"};
inline constexpr KeyNames kv_head_names{"num_key_value_heads", "num_kv_heads", "n_head_kv",
                                        "num_query_groups"};
inline constexpr KeyNames ffn_names{
    "intermediate_size", "ffn_hidden_size", "n_inner", "ffn_dim", "d_ff", "hidden_dim"};
inline constexpr KeyNames expert_names{"num_experts", "num_local_experts", "n_routed_experts",
                                       "moe_num_experts"};
inline constexpr KeyNames top_k_names{
    "num_experts_per_tok", "num_experts_per_token", "moe_k", "moe_topk",
    "moe_top_k",           "top_k_experts"};

inline constexpr KeyNames context_names{
    "max_position_embeddings", "n_positions",        "max_seq_len", "seq_length", "n_ctx",
    "model_max_length",        "max_sequence_length"};

/// Sizes, vocabulary, context, tied embeddings, and as many equal blocks as there are layers.
void read_shape(ConfigKeys& keys, Blueprint& plan, bool tied_by_default);
/// The same without a feed-forward width: the family says it itself.
void read_shape_without_ffn(ConfigKeys& keys, Blueprint& plan, bool tied_by_default);
/// Layers: 1 to 10,000.
std::int64_t read_layer_count(ConfigKeys& keys);

/// A bias on queries, keys and values, and on the output where `out`.
void set_attention_bias(Blueprint& plan, bool bias, bool out);
/// A bias on every linear layer of the blocks.
void set_all_biases(Blueprint& plan);

/// `layer_types`, else every layer but each `pattern`-th is windowed (0: all of them are). No key
/// `sliding_window`: nothing is.
void read_windows(ConfigKeys& keys, Blueprint& plan, std::int64_t pattern);

/// Which of a model's layers have experts.
struct ExpertPlaces {
  std::int64_t first = 0;   ///< layers before it are dense
  std::int64_t step = 1;    ///< then every step-th layer ...
  std::int64_t offset = 0;  ///< ... whose index modulo step is this
};

struct ExpertDefaults {
  std::int64_t experts = 0, top_k = 0;
};

/// Experts of `width` in the layers of `places`, which lose their dense feed-forward.
void read_experts(ConfigKeys& keys, Blueprint& plan, std::int64_t width, ExpertDefaults defaults,
                  ExpertPlaces places);
/// Shared experts of this whole width beside the routed ones.
void set_shared_experts(Blueprint& plan, std::int64_t width);

/// Keys of MLA.
void read_latent(ConfigKeys& keys, Blueprint& plan);

/// One block for multi-token prediction: a block like the last one, a norm for each of the two
/// states that it joins, the matrix that joins them, and a last norm. Where `whole`, the checkpoint
/// also has its own embeddings and head.
void add_mtp_blocks(ConfigKeys& keys, Blueprint& plan, bool whole);

/// Sets mixer and state of block `i` to the recurrent kind that the blueprint's sizes describe.
void make_recurrent(Blueprint& plan, std::size_t i, MixerParts parts);

}  // namespace gpuready::fit
