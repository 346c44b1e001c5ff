#include "fit/gguf_blocks.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "fit/gguf_names.hpp"

namespace gpuready::fit {

namespace {

using base::starts_with;

bool is_one_of(std::string_view part, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, part) != names.end();
}

std::int64_t side(const GgufTensor& tensor, std::size_t i) {
  return i < tensor.shape.size() ? tensor.shape[i] : 0;
}

void note_mixer(std::string_view part, GgufBlock& block) {
  if (starts_with(part, "ssm_") || starts_with(part, "shortconv") || starts_with(part, "time_mix"))
    block.recurrent = true;
  if (is_one_of(part, {"ssm_ba", "ssm_beta", "ssm_alpha", "ssm_f_a"})) block.delta_net = true;
  if (is_one_of(part, {"attn_k", "attn_q", "attn_qkv", "attn_kv_a_mqa", "attn_q_b", "attn_kv_b"}))
    block.attention = true;
  if (is_one_of(part, {"ffn_norm", "post_attention_norm", "post_ffw_norm", "attn_output_norm",
                       "attn_post_norm"}))
    block.one_norm = false;
}

/// The width of the feed-forward part is what goes into its last matrix.
void note_feed_forward(const GgufTensor& tensor, std::string_view part, GgufBlock& block) {
  const std::int64_t in = side(tensor, 0), out = side(tensor, 1);
  if (part == "ffn_down") {
    block.ffn = in;
  } else if (part == "ffn_down_shexp") {
    block.shared_ffn = in;
  } else if (part == "ffn_down_exps") {
    block.expert_ffn = in;
    block.experts = side(tensor, 2);
  } else if (starts_with(part, "ffn_down.")) {  // one tensor for each expert, before 2024-04
    block.expert_ffn = in;
    ++block.experts;
  }
  if (starts_with(part, "ffn_gate") && !starts_with(part, "ffn_gate_inp")) block.gated = true;
  // Gate and up together: twice as wide as what comes after.
  if (part == "ffn_up" && block.ffn > 0 && out == 2 * block.ffn) block.gated = true;
}

}  // namespace

std::vector<GgufBlock> gguf_blocks(const GgufHeader& header, std::int64_t count) {
  std::vector<GgufBlock> blocks(static_cast<std::size_t>(count));
  const bool decoder = std::ranges::any_of(header.tensors, [](const GgufTensor& tensor) {
    return starts_with(tensor.name, "dec.blk.") || starts_with(tensor.name, "blk.");
  });
  // Twice, because the width of ffn_down tells what ffn_up is.
  for (int pass = 0; pass < 2; ++pass)
    for (const GgufTensor& tensor : header.tensors) {
      const GgufName name = split_gguf_name(tensor.name);
      if (name.block < 0 || name.block >= count || name.is_bias || (decoder && name.in_encoder))
        continue;
      GgufBlock& block = blocks[static_cast<std::size_t>(name.block)];
      block.known = true;
      note_mixer(name.part, block);
      if (pass == 1 && starts_with(name.part, "ffn_down.")) continue;
      note_feed_forward(tensor, name.part, block);
    }
  return blocks;
}

}  // namespace gpuready::fit
