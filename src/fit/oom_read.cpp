#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "fit/oom.hpp"
#include "fit/oom_readers.hpp"
#include "fit/size_text.hpp"

namespace gpuready::fit {

namespace {

using base::contains;
using oom::count_of;
using oom::told;

/// A message and what stands around it are not longer than this.
constexpr std::size_t message_length = 1600;

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
  const auto held = size_before(message, "reserved in total");
  if (held && oom.allocated_bytes)
    oom.reserve_bytes = told(std::max<std::int64_t>(*held - *oom.allocated_bytes, 0));
  // What those versions call cached is what no tensor uses.
  if (!held) oom.reserve_bytes = told(size_before(message, "cached)"));
}

/// What each "Process N has X memory in use" says.
std::vector<std::int64_t> named_processes(std::string_view message) {
  std::vector<std::int64_t> sizes;
  for (std::size_t at = message.find("Process "); at != std::string_view::npos;
       at = message.find("Process ", at + 1)) {
    const std::string_view rest = message.substr(at + 8);
    const std::size_t has = rest.find(" has ");
    constexpr std::size_t longest_id = 12;
    if (has == std::string_view::npos || has > longest_id) continue;
    if (const auto size = size_at_start(rest.substr(has + 5))) sizes.push_back(*size);
  }
  return sizes;
}

/// In a container PyTorch does not know its own number, and names itself among the others: then it
/// is the least of those that hold as much as its tensors.
void tell_processes_apart(std::vector<std::int64_t> sizes, Oom& oom) {
  std::ranges::sort(sizes);
  if (!oom.process_bytes && oom.allocated_bytes) {
    const std::int64_t ours = *oom.allocated_bytes + oom.reserve_bytes.value_or(0);
    const auto own = std::ranges::lower_bound(sizes, ours);
    if (own != sizes.end()) {
      oom.process_bytes = Fact<std::int64_t>(*own, "the process that holds as much");
      sizes.erase(own);
    }
  }
  std::int64_t sum = 0;
  for (const std::int64_t size : sizes) sum += size;
  if (!sizes.empty()) oom.other_bytes = told(sum);
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
  tell_processes_apart(named_processes(message), oom);
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
  constexpr std::size_t just_before = 60;
  const std::string_view near = before.substr(before.size() - std::min(before.size(), just_before));
  if (contains(near, "HIP out of memory")) oom.program = "pytorch-rocm";
  if (const auto gpu = integer_after(message.substr(0, 120), "GPU "))
    oom.device = (contains(near, "XPU out of memory") ? "xpu:" : "cuda:") + std::to_string(*gpu);
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
  oom.program = "vllm", oom.asked_for = "start", oom.messages = count_of(text, begin);
  oom.total_bytes = told(size_at_start(total));
  const std::string free = std::string(message.substr(open + 1, slash - open - 1)) + " GiB";
  oom.free_bytes = told(size_at_start(free));
  if (const std::size_t wanted = message.find("utilization ("); wanted != std::string_view::npos)
    if (const std::size_t comma = message.find(", ", wanted); comma != std::string_view::npos)
      oom.asked_bytes = told(size_at_start(message.substr(comma + 2)));
  if (oom.total_bytes && oom.free_bytes) oom.other_bytes = told(*oom.total_bytes - *oom.free_bytes);
  return true;
}

/// "Out of memory: Killed process 1234 (python3) total-vm:...kB, anon-rss:24063120kB".
bool read_kernel(std::string_view text, Oom& oom) {
  constexpr std::string_view begin = "Killed process ";
  const bool alone = base::trim(text) == "Killed" || contains(text, "signal: killed");
  if (!alone && (!contains(text, begin) || !contains(text, "anon-rss:"))) return false;
  oom.program = "kernel", oom.device = "cpu";
  if (contains(text, "Memory cgroup out of memory")) oom.asked_for = "container-limit";
  oom.messages = std::max<std::int64_t>(1, count_of(text, begin));
  oom.process_bytes = told(size_after(text, "anon-rss:"));
  return true;
}

}  // namespace

Oom read_oom(std::string_view raw) {
  // Terminals and logs break sentences anywhere, also within a word.
  std::string joined(raw), spaced(raw);
  std::erase_if(joined, [](char c) { return c == '\n' || c == '\r'; });
  std::ranges::replace_if(
      spaced, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  for (const auto read :
       {read_vllm_cache, read_vllm_start, read_torch, read_torch_host, oom::read_comfy,
        oom::read_llama, oom::read_ollama, read_kernel, oom::read_others})
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
      if (!poor || read == read_kernel || read == oom::read_others) return oom;
    }
  return {};
}

}  // namespace gpuready::fit
