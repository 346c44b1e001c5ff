#pragma once
/// The readers of oom_read.cpp, by program. Each fills an Oom and says whether the text is its own.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "gpuready/oom.hpp"

namespace gpuready::fit::oom {

inline Fact<std::int64_t> told(std::optional<std::int64_t> value) {
  if (value) return {*value, "message"};
  return Fact<std::int64_t>::absent(Absence::not_found, "the message does not tell it");
}

inline std::int64_t count_of(std::string_view text, std::string_view phrase) {
  std::int64_t count = 0;
  for (std::size_t at = text.find(phrase); at != std::string_view::npos;
       at = text.find(phrase, at + phrase.size()))
    ++count;
  return count;
}

bool read_llama(std::string_view text, Oom& oom);   ///< llama.cpp and Ollama's runner
bool read_ollama(std::string_view text, Oom& oom);  ///< Ollama before it starts a runner
bool read_comfy(std::string_view text, Oom& oom);   ///< PyTorch's cudaMallocAsync, as in ComfyUI
bool read_others(std::string_view text, Oom& oom);  ///< programs that tell a size, or nothing

}  // namespace gpuready::fit::oom
