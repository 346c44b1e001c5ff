#pragma once
/// Memory of keys and values, and of recurrent states: one layer, all sequences.

#include <string_view>

#include "fit/plan.hpp"

namespace gpuready::fit {

/// Three figures of one term, before they are rounded.
struct Span {
  double low = 0, expected = 0, high = 0;

  Span& operator+=(const Span& more) {
    low += more.low, expected += more.expected, high += more.high;
    return *this;
  }
};

/// Bytes of an element in a type of cache: f16, bf16, f32, fp8, q8_0, ...; 0: no such type. Types
/// of blocks are counted with their scales (q8_0: 34 bytes for 32 elements).
double cache_element_bytes(std::string_view kv_dtype);

/// Cells (tokens) that a layer keeps of all sequences together. By runtime: llama.cpp pads to 256
/// cells and keeps a window and a micro-batch of sliding layers; vLLM pages of 16 tokens, and a
/// window with the tokens of a pass; transformers everything.
Span cache_cells(const Layer& layer, const Architecture& shape, const InferencePlan& plan);

/// Bytes of a layer's cache. Latent attention (MLA) keeps one vector of rank and rotary part;
/// transformers expands it to all heads.
Span cache_bytes(const Layer& layer, const Architecture& shape, const InferencePlan& plan);

/// Bytes of a layer's recurrent state. llama.cpp keeps it in 32 bits.
Span state_bytes(const Layer& layer, const InferencePlan& plan);

}  // namespace gpuready::fit
