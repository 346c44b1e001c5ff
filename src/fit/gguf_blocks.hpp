#pragma once
/// What the tensors of each block of a GGUF say: the part of the shape that metadata leaves open.

#include <cstdint>
#include <vector>

#include "fit/gguf_header.hpp"

namespace gpuready::fit {

struct GgufBlock {
  bool known = false;      ///< it has tensors
  bool attention = false;  ///< projections to keys, apart or together
  bool recurrent = false;  ///< Mamba, delta net, RWKV, short convolution
  bool delta_net = false;  ///< whose projections have the names of attention's
  bool gated = false;      ///< the feed-forward part has a gate
  bool one_norm = true;    ///< attention and feed-forward part read the same norm
  std::int64_t ffn = 0, experts = 0, expert_ffn = 0, shared_ffn = 0;  ///< as in Layer
};

/// The first `count` blocks of the decoder, or of the encoder where there is no decoder.
std::vector<GgufBlock> gguf_blocks(const GgufHeader& header, std::int64_t count);

}  // namespace gpuready::fit
