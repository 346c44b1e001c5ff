#pragma once
/// What an out-of-memory message says.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpuready/fact.hpp"
#include "gpuready/message.hpp"
#include "gpuready/units.hpp"

namespace gpuready {

/// Why the memory was not there.
enum class OomCause {
  fragmentation,  ///< enough was held in reserve, but not in one piece
  other_process,  ///< somebody else holds what was missing
  shortage,       ///< the program itself needs more than there is
  limit,          ///< there was room, but something did not let it be taken
  cache_limit,    ///< the cache for the wanted context does not fit beside the weights
  host_memory,    ///< main memory, not the GPU's
  unknown,        ///< the message tells no numbers
};
template <>
struct EnumNames<OomCause> {
  static constexpr std::array<std::string_view, 7> list{
      "fragmentation", "other-process", "shortage", "limit",
      "cache-limit",   "host-memory",   "unknown"};
};

struct OomRemedy {
  std::string change;  ///< option, variable or command, as it is typed; may be empty
  Message what;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("change", s.change, Unit::none, "option, variable or command; may be empty");
    f("what", s.what, Unit::none, "what it does");
  }
};

struct Oom {
  std::string program = "unknown";
  std::string device;
  std::string asked_for = "unknown";
  std::int64_t messages = 0;
  Fact<std::int64_t> asked_bytes, total_bytes, free_bytes, process_bytes, allocated_bytes,
      reserve_bytes, context_bytes, other_bytes, missing_bytes, max_context;
  OomCause cause = OomCause::unknown;
  Message why;
  std::vector<OomRemedy> remedies;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("program", s.program, Unit::none,
      "pytorch, pytorch-rocm, vllm, sglang, llama.cpp, ollama, jax, tensorflow, cupy, numpy, sycl, "
      "onnxruntime, tensorrt, kernel, cuda or unknown");
    f("device", s.device, Unit::none, "device in the program's words");
    f("asked_for", s.asked_for, Unit::none,
      "logits, attention-scores, optimizer, backward, weights, kv-cache, compute-buffer, vae, "
      "start, "
      "shared-memory, container-limit or unknown");
    f("messages", s.messages, Unit::count, "such messages in the text; the last one is explained");
    f("asked_bytes", s.asked_bytes, Unit::bytes, "what was asked for");
    f("total_bytes", s.total_bytes, Unit::bytes, "memory of the device");
    f("free_bytes", s.free_bytes, Unit::bytes, "what was free");
    f("process_bytes", s.process_bytes, Unit::bytes, "what this process held in all");
    f("allocated_bytes", s.allocated_bytes, Unit::bytes, "what its tensors or buffers held");
    f("reserve_bytes", s.reserve_bytes, Unit::bytes, "what its allocator held without using it");
    f("context_bytes", s.context_bytes, Unit::bytes, "driver context, libraries and graphs");
    f("other_bytes", s.other_bytes, Unit::bytes, "what others held");
    f("missing_bytes", s.missing_bytes, Unit::bytes, "by how much it fell short");
    f("max_context", s.max_context, Unit::count, "longest context that the program says would fit");
    f("cause", s.cause, Unit::none, "why it was not there");
    f("why", s.why, Unit::none, "the same in a sentence");
    f("remedies", s.remedies, Unit::none, "what to change, least loss first");
  }
};

}  // namespace gpuready
