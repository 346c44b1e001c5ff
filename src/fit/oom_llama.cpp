#include <algorithm>
#include <array>
#include <string>

#include "base/text.hpp"
#include "fit/oom_readers.hpp"
#include "fit/size_text.hpp"

namespace gpuready::fit::oom {

using base::contains;

namespace {

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

}  // namespace

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
  const bool by_ollama = contains(text, "llama runner") || contains(text, "ollama");
  oom.program = by_ollama ? "ollama" : "llama.cpp";
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

}  // namespace gpuready::fit::oom
