#pragma once
/// Memory that no tensor takes: the driver's context and libraries, and what an allocator holds.

#include "fit/estimate.hpp"
#include "fit/kv_cache.hpp"

namespace gpuready::fit {

/// Context and libraries of one process on this device; `world` processes that talk to each other
/// need NCCL's buffers too. The value measured on this GPU wins over data/context_memory.csv. The
/// CPU has none.
Span context_bytes(const Device& device, Runtime runtime, double world);

/// What the allocator holds beyond what was asked for: a part of `allocated` bytes.
Span reserve_bytes(Runtime runtime, double allocated);

/// vLLM: the CUDA graphs that it records unless told not to.
Span graph_bytes();

}  // namespace gpuready::fit
