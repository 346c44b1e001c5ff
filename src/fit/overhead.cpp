#include "fit/overhead.hpp"

#include <algorithm>

#include "catalog/context_memory.hpp"
#include "fit/range.hpp"

namespace gpuready::fit {

namespace {

Span span_of(const catalog::ContextMemory& row) {
  return {row.low_mib * mebibyte, row.expected_mib * mebibyte, row.high_mib * mebibyte};
}

bool is_native(Runtime runtime) {
  return runtime == Runtime::llama_cpp || runtime == Runtime::ollama;
}

}  // namespace

Span context_bytes(const Device& device, Runtime runtime, double world) {
  if (device.name == "cpu") return {};
  const double arch = device.compute_capability;
  const Span native = span_of(catalog::context_memory(arch > 0 ? "cuda" : "other", arch));
  Span out =
      is_native(runtime) || arch <= 0 ? native : span_of(catalog::context_memory("torch", arch));
  if (device.measured_context_bytes > 0) {
    // What was measured is the driver's part; a runtime's libraries come on top.
    const auto measured = static_cast<double>(device.measured_context_bytes);
    const double libraries = std::max(out.expected - native.expected, 0.0);
    out = {measured, measured + libraries, measured + std::max(out.high - native.high, libraries)};
  }
  if (world > 1 && !is_native(runtime)) out += span_of(catalog::context_memory("nccl", arch));
  return out;
}

Span reserve_bytes(Runtime runtime, double allocated) {
  // llama.cpp: memory comes in pieces of 2 MiB, one is lost for each buffer.
  if (is_native(runtime)) return {0, 4 * mebibyte, 16 * mebibyte};
  // PyTorch's allocator; reserved over allocated as issues and benchmarks report it.
  if (runtime == Runtime::train) return {0.03 * allocated, 0.05 * allocated, 0.08 * allocated};
  if (runtime == Runtime::diffusers) return {0.005 * allocated, 0.01 * allocated, 0.05 * allocated};
  return {0.005 * allocated, 0.01 * allocated, 0.03 * allocated};
}

Span graph_bytes() { return {0.3 * gibibyte, 0.6 * gibibyte, 1.5 * gibibyte}; }

}  // namespace gpuready::fit
