#include <algorithm>
#include <array>
#include <string>

#include "base/text.hpp"
#include "fit/oom.hpp"
#include "fit/size_text.hpp"

namespace gpuready::fit {

namespace {

using base::contains;

/// A message and what stands around it are not longer than this.
constexpr std::size_t message_length = 1600;

Fact<std::int64_t> told(std::optional<std::int64_t> value) {
  if (value) return {*value, "message"};
  return Fact<std::int64_t>::absent(Absence::not_found, "the message does not tell it");
}

std::int64_t count_of(std::string_view text, std::string_view phrase) {
  std::int64_t count = 0;
  for (std::size_t at = text.find(phrase); at != std::string_view::npos;
       at = text.find(phrase, at + phrase.size()))
    ++count;
  return count;
}

/// What a line of a stack trace or a log says that the memory was for.
struct Sign {
  std::string_view text, asked_for;
};

constexpr std::array python_signs{
    Sign{"cross_entropy", "logits"},
    Sign{"lm_head", "logits"},
    Sign{"logits.float()", "logits"},
    Sign{"log_softmax", "logits"},
    Sign{"compute_loss", "logits"},
    Sign{"logits", "logits"},
    Sign{"attn_weights", "attention-scores"},
    Sign{"attention_scores", "attention-scores"},
    Sign{"torch.baddbmm", "attention-scores"},
    Sign{"get_attention_scores", "attention-scores"},
    Sign{"exp_avg", "optimizer"},
    Sign{"optimizer.step", "optimizer"},
    Sign{"_init_group", "optimizer"},
    Sign{"torch/optim/", "optimizer"},
    Sign{"run_backward", "backward"},
    Sign{".backward(", "backward"},
    Sign{"past_key_value", "kv-cache"},
    Sign{"cache_utils.py", "kv-cache"},
    Sign{"_allocate_kv_cache", "kv-cache"},
    Sign{"initialize_kv_cache", "kv-cache"},
    Sign{"vae.decode", "vae"},
    Sign{"autoencoder_kl", "vae"},
    Sign{"decode_latents", "vae"},
    Sign{"from_pretrained", "weights"},
    Sign{"load_state_dict", "weights"},
    Sign{"load_model", "weights"},
    Sign{"create_weights", "weights"},
    Sign{"set_module_tensor_to_device", "weights"},
    Sign{"in _apply", "weights"},
};

/// The sign that stands last before the message: the innermost call.
std::string asked_for(std::string_view before) {
  std::size_t nearest = 0;
  std::string_view found;
  for (const Sign& sign : python_signs) {
    const std::size_t at = before.rfind(sign.text);
    if (at == std::string_view::npos || (!found.empty() && at <= nearest)) continue;
    nearest = at, found = sign.asked_for;
  }
  return std::string(found.empty() ? "unknown" : found);
}

/// Before 2.1: "(GPU 0; 6.00 GiB total capacity; 781.59 MiB already allocated; 3.03 GiB free; 1.24
/// GiB reserved in total by PyTorch)", and "cached" for "reserved" before 1.4.
void read_old_torch(std::string_view message, Oom& oom) {
  oom.total_bytes = told(size_before(message, "total capacity"));
  oom.allocated_bytes = told(size_before(message, "already allocated"));
  oom.free_bytes = told(size_before(message, "free;"));
  auto held = size_before(message, "reserved in total");
  if (!held) held = size_before(message, "cached)");
  if (held && oom.allocated_bytes)
    oom.reserve_bytes = told(std::max<std::int64_t>(*held - *oom.allocated_bytes, 0));
}

std::int64_t other_processes(std::string_view message) {
  std::int64_t sum = 0;
  for (std::size_t at = message.find("Process "); at != std::string_view::npos;
       at = message.find("Process ", at + 1)) {
    const std::string_view rest = message.substr(at + 8);
    const std::size_t has = rest.find(" has ");
    constexpr std::size_t longest_id = 12;
    if (has == std::string_view::npos || has > longest_id) continue;
    sum += size_at_start(rest.substr(has + 5)).value_or(0);
  }
  return sum;
}

/// Since 2.1, in sentences ("capacty" in 2.0 and 2.1).
void read_new_torch(std::string_view message, Oom& oom) {
  auto total = size_after(message, "total capacity of ");
  if (!total) total = size_after(message, "total capacty of ");
  oom.total_bytes = told(total);
  oom.free_bytes = told(size_after(message, "of which "));
  oom.process_bytes = told(size_after(message, "this process has "));
  oom.allocated_bytes = told(size_after(message, "Of the allocated memory "));
  oom.reserve_bytes = told(size_before(message, "is reserved by PyTorch but unallocated"));
  if (const std::int64_t others = other_processes(message); others > 0)
    oom.other_bytes = told(others);
}

/// "MPS backend out of memory (MPS allocated: 17.50 GB, other allocations: 512 MB, max allowed:
/// 18.13 GB). Tried to allocate 256.00 MB": its MB are powers of two.
void read_mps(std::string_view before, std::string_view message, Oom& oom) {
  oom.device = "mps";
  oom.asked_bytes = told(size_after(message, "Tried to allocate ", true));
  oom.allocated_bytes = told(size_after(before, "MPS allocated: ", true));
  // Of the same process: Metal's own.
  oom.context_bytes = told(size_after(before, "other allocations: ", true));
  oom.total_bytes = told(size_after(before, "max allowed: ", true));
  if (oom.total_bytes && oom.allocated_bytes && oom.context_bytes)
    oom.free_bytes = told(
        std::max<std::int64_t>(*oom.total_bytes - *oom.allocated_bytes - *oom.context_bytes, 0));
}

bool read_torch(std::string_view text, Oom& oom) {
  constexpr std::string_view begin = "Tried to allocate ";
  const std::size_t at = text.rfind(begin);
  if (at == std::string_view::npos) return false;
  const std::string_view message = text.substr(at, message_length);
  const std::string_view before = text.substr(0, at);
  oom.program = "pytorch";
  oom.messages = count_of(text, begin);
  oom.asked_for = asked_for(before);
  const std::size_t mps = before.rfind("MPS backend out of memory");
  if (mps != std::string_view::npos && at - mps < message_length) {
    read_mps(before.substr(mps), message, oom);
    return true;
  }
  oom.asked_bytes = told(size_after(message.substr(0, begin.size() + 40), begin));
  if (const auto gpu = integer_after(message.substr(0, 120), "GPU "))
    oom.device = "cuda:" + std::to_string(*gpu);
  if (contains(message, "total capacity;"))
    read_old_torch(message, oom);
  else
    read_new_torch(message, oom);
  return true;
}

bool read_torch_host(std::string_view text, Oom& oom) {
  constexpr std::string_view begin = "you tried to allocate ";
  if (!contains(text, "DefaultCPUAllocator") || !contains(text, begin)) return false;
  oom.program = "pytorch", oom.device = "cpu", oom.messages = count_of(text, begin);
  oom.asked_bytes = told(size_after(text, begin));
  oom.asked_for = asked_for(text);
  return true;
}

/// "To serve at least one request with the model's max seq len (N), (X KV cache is needed, which is
/// larger than the available KV cache memory (Y). ... the estimated maximum model length is M."
bool read_vllm_cache(std::string_view text, Oom& oom) {
  const bool needed = contains(text, "KV cache is needed");
  const bool stored = contains(text, "maximum number of tokens that can be stored in KV cache");
  const bool none = contains(text, "No available memory for the cache blocks");
  if (!needed && !stored && !none) return false;
  oom.program = "vllm", oom.asked_for = "kv-cache", oom.cause = OomCause::cache_limit;
  oom.messages = needed ? count_of(text, "KV cache is needed") : 1;
  if (needed) {
    oom.asked_bytes = told(size_before(text, "KV cache is needed"));
    oom.free_bytes = told(size_after(text, "available KV cache memory ("));
    oom.max_context = told(integer_after(text, "estimated maximum model length is "));
  }
  if (!needed && stored) oom.max_context = told(integer_after(text, "can be stored in KV cache ("));
  if (none) oom.free_bytes = told(std::int64_t{0});
  return true;
}

/// "Free memory on device (20.5/23.64 GiB) on startup is less than desired GPU memory utilization
/// (0.9, 21.28 GiB)".
bool read_vllm_start(std::string_view text, Oom& oom) {
  constexpr std::string_view begin = "Free memory on device";
  const std::size_t at = text.rfind(begin);
  if (at == std::string_view::npos || !contains(text, "desired GPU memory utilization"))
    return false;
  const std::string_view message = text.substr(at, message_length);
  const std::size_t open = message.find('('), slash = message.find('/');
  if (open == std::string_view::npos || slash == std::string_view::npos) return false;
  const std::string_view total = message.substr(slash + 1);
  oom.program = "vllm", oom.asked_for = "weights", oom.messages = count_of(text, begin);
  oom.total_bytes = told(size_at_start(total));
  const std::string free = std::string(message.substr(open + 1, slash - open - 1)) + " GiB";
  oom.free_bytes = told(size_at_start(free));
  if (const std::size_t wanted = message.find("utilization ("); wanted != std::string_view::npos)
    if (const std::size_t comma = message.find(", ", wanted); comma != std::string_view::npos)
      oom.asked_bytes = told(size_at_start(message.substr(comma + 2)));
  if (oom.total_bytes && oom.free_bytes) oom.other_bytes = told(*oom.total_bytes - *oom.free_bytes);
  return true;
}

/// What llama.cpp put on the device before: "CUDA0 model buffer size = 4095.05 MiB", "CUDA0 KV
/// buffer size", "CUDA0 compute buffer size".
std::optional<std::int64_t> held_by_llama(std::string_view text, const std::string& device) {
  std::int64_t sum = 0;
  bool found = false;
  for (const std::string& line : base::split_lines(text)) {
    const std::size_t at = line.find(device + " ");
    const std::size_t size = line.find("buffer size =");
    if (at == std::string::npos || size == std::string::npos || size < at) continue;
    const auto bytes = size_at_start(base::trim(std::string_view(line).substr(size + 13)));
    if (bytes) sum += *bytes, found = true;
  }
  if (!found) return {};
  return sum;
}

/// What llama.cpp says after a failed allocation that it was for.
std::string llama_asked_for(std::string_view after) {
  struct Phrase {
    std::string_view text, asked_for;
  };
  constexpr std::array phrases{
      Phrase{"compute", "compute-buffer"},     Phrase{"graph_reserve", "compute-buffer"},
      Phrase{"kv cache", "kv-cache"},          Phrase{"kv_cache_init", "kv-cache"},
      Phrase{"llama_kv_cache", "kv-cache"},    Phrase{"self-attention cache", "kv-cache"},
      Phrase{"alloc_tensor_range", "weights"}, Phrase{"error loading model", "weights"},
      Phrase{"gallocr", "compute-buffer"}};
  std::size_t nearest = after.size();
  std::string_view found = "unknown";
  for (const Phrase& phrase : phrases)
    if (const std::size_t at = after.find(phrase.text); at < nearest)
      nearest = at, found = phrase.asked_for;
  // alloc_tensor_range serves weights and the cache; the next line tells which.
  if (found == "weights" && after.substr(0, 600).find("kv cache") != std::string_view::npos)
    return "kv-cache";
  return std::string(found);
}

/// "failed to allocate CUDA0 buffer of size 314310656", before it "allocating 299.75 MiB on device
/// 0: cudaMalloc failed"; of Vulkan "Device memory allocation of size N failed".
bool read_llama(std::string_view text, Oom& oom) {
  constexpr std::string_view cuda = "cudaMalloc failed: out of memory";
  constexpr std::string_view buffer = "buffer of size ";
  constexpr std::string_view vulkan = "Device memory allocation of size ";
  const std::size_t at = std::min(text.rfind(cuda), text.rfind(vulkan));
  const std::size_t sized = text.rfind(buffer);
  const bool failed = contains(text, "failed to allocate") && sized != std::string_view::npos;
  if (at == std::string_view::npos && !failed) return false;
  oom.program = "llama.cpp";
  oom.messages = std::max<std::int64_t>(
      {1, count_of(text, cuda) + count_of(text, vulkan), failed ? count_of(text, buffer) : 0});
  if (sized != std::string_view::npos) {
    oom.asked_bytes = told(integer_after(text, buffer));
    const std::size_t space = sized >= 2 ? text.rfind(' ', sized - 2) : std::string_view::npos;
    if (space != std::string_view::npos)
      oom.device = std::string(base::trim(text.substr(space + 1, sized - space - 1)));
  } else if (const auto bytes = integer_after(text, vulkan)) {
    oom.asked_bytes = told(bytes);
  }
  if (!oom.asked_bytes) oom.asked_bytes = told(size_after(text.substr(0, at), "allocating "));
  const std::size_t from = at == std::string_view::npos ? sized : at;
  oom.asked_for = llama_asked_for(text.substr(from));
  if (!oom.device.empty()) oom.allocated_bytes = told(held_by_llama(text, oom.device));
  return true;
}

/// "model requires more system memory (5.6 GiB) than is available (3.3 GiB)".
bool read_ollama(std::string_view text, Oom& oom) {
  constexpr std::string_view begin = "requires more system memory (";
  if (!contains(text, begin)) return false;
  oom.program = "ollama", oom.device = "cpu", oom.asked_for = "weights";
  oom.messages = count_of(text, begin);
  oom.asked_bytes = told(size_after(text, begin));
  oom.free_bytes = told(size_after(text, "is available ("));
  return true;
}

/// "Out of memory: Killed process 1234 (python3) total-vm:...kB, anon-rss:24063120kB".
bool read_kernel(std::string_view text, Oom& oom) {
  constexpr std::string_view begin = "Killed process ";
  const bool alone = base::trim(text) == "Killed";
  if (!alone && (!contains(text, begin) || !contains(text, "anon-rss:"))) return false;
  oom.program = "kernel", oom.device = "cpu";
  oom.messages = std::max<std::int64_t>(1, count_of(text, begin));
  oom.process_bytes = told(size_after(text, "anon-rss:"));
  return true;
}

struct Plain {
  std::string_view phrase, program;
};
/// Programs whose messages tell a size, or nothing.
constexpr std::array plain_messages{
    Plain{"Out of memory while trying to allocate ", "jax"},
    Plain{"Out of memory allocating ", "cupy"},
    Plain{"OOM when allocating tensor", "tensorflow"},
    Plain{"CUDA error: out of memory", "cuda"},
    Plain{"CUDA out of memory", "pytorch"},
    Plain{"HIP out of memory", "pytorch"},
    Plain{"CUDA_ERROR_OUT_OF_MEMORY", "cuda"},
    Plain{"cudaErrorMemoryAllocation", "cuda"},
    Plain{"hipErrorOutOfMemory", "cuda"},
    Plain{"CUBLAS_STATUS_ALLOC_FAILED", "cuda"},
    Plain{"CUDNN_STATUS_ALLOC_FAILED", "cuda"},
    Plain{"ErrorOutOfDeviceMemory", "llama.cpp"},
    Plain{"kIOGPUCommandBufferCallbackErrorOutOfMemory", "llama.cpp"},
};

bool read_plain(std::string_view text, Oom& oom) {
  for (const Plain& plain : plain_messages) {
    if (!contains(text, plain.phrase)) continue;
    oom.program = std::string(plain.program);
    oom.messages = count_of(text, plain.phrase);
    oom.asked_bytes = told(size_after(text, plain.phrase));
    oom.asked_for = asked_for(text);
    return true;
  }
  return false;
}

}  // namespace

Oom read_oom(std::string_view raw) {
  // Terminals and logs break sentences anywhere, also within a word.
  std::string joined(raw), spaced(raw);
  std::erase_if(joined, [](char c) { return c == '\n' || c == '\r'; });
  std::ranges::replace_if(
      spaced, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  for (const auto read : {read_vllm_cache, read_vllm_start, read_torch, read_torch_host, read_llama,
                          read_ollama, read_kernel, read_plain})
    for (const std::string_view text : {raw, std::string_view(spaced), std::string_view(joined)}) {
      Oom oom;
      for (Fact<std::int64_t>* fact :
           {&oom.asked_bytes, &oom.total_bytes, &oom.free_bytes, &oom.process_bytes,
            &oom.allocated_bytes, &oom.reserve_bytes, &oom.context_bytes, &oom.other_bytes,
            &oom.missing_bytes, &oom.max_context})
        *fact = told({});
      if (!read(text, oom)) continue;
      // A sentence that is broken in the middle reads better without the break.
      const bool poor = text.data() == raw.data() && !oom.asked_bytes && !oom.max_context;
      if (!poor || read == read_kernel || read == read_plain) return oom;
    }
  return {};
}

}  // namespace gpuready::fit
