#pragma once
/// The layers of a GGUF model: heads, windows, states, experts.

#include <cstdint>
#include <vector>

#include "fit/gguf_blocks.hpp"
#include "fit/gguf_keys.hpp"
#include "fit/model.hpp"

namespace gpuready::fit {

/// `count` layers by the keys and, where there are tensors, by those. `shape` has its width.
std::vector<Layer> layers_of_gguf(GgufKeys& keys, const Architecture& shape,
                                  const std::vector<GgufBlock>& blocks,
                                  std::vector<Message>& doubts);

/// Marks the layers whose attention has a window.
void mark_windows(GgufKeys& keys, std::vector<Layer>& layers, std::vector<Message>& doubts);

}  // namespace gpuready::fit
