#include <algorithm>
#include <array>
#include <string_view>

#include "fit/gguf_layers.hpp"

namespace gpuready::fit {

namespace {

/// How llama.cpp sets the windows of an architecture whose files do not say which layers have one.
struct WindowRule {
  std::string_view architecture;
  std::int64_t period;  ///< every so manieth layer sees everything
  bool full_first;      ///< it is the first of each period, not the last
  std::int64_t window;  ///< 0: only where the file says
  bool chunked;
};

// ggml-org/llama.cpp, load_arch_hparams of src/models/*.cpp.
constexpr std::array rules{
    WindowRule{"gemma2", 2, false, 4096, false},
    WindowRule{"gemma3", 6, false, 0, false},
    WindowRule{"gemma3n", 5, false, 0, false},
    WindowRule{"gemma-embedding", 6, false, 0, false},
    WindowRule{"cohere2", 4, false, 0, false},
    WindowRule{"cohere2moe", 4, false, 0, false},
    WindowRule{"olmo2", 4, false, 0, false},
    WindowRule{"exaone4", 4, false, 0, false},
    WindowRule{"exaone-moe", 4, false, 128, false},
    WindowRule{"gpt-oss", 2, false, 0, false},
    WindowRule{"llama4", 4, false, 8192, true},
    WindowRule{"smallthinker", 4, true, 0, false},
    WindowRule{"modern-bert", 3, true, 0, false},
    WindowRule{"afmoe", 4, false, 0, false},
    WindowRule{"laguna", 4, true, 0, false},
};

const WindowRule* rule_of(std::string_view architecture) {
  const auto rule = std::ranges::find(rules, architecture, &WindowRule::architecture);
  return rule == rules.end() ? nullptr : &*rule;
}

std::vector<bool> windowed(GgufKeys& keys, const WindowRule* rule, std::size_t count) {
  constexpr std::string_view pattern = "attention.sliding_window_pattern";
  std::vector<bool> mask(count, false);
  const GgufValue* value = keys.find(pattern);
  if (value != nullptr && value->kind == GgufValue::Kind::list) {
    const std::vector<std::int64_t> list =
        keys.per_layer(pattern, static_cast<std::int64_t>(count), {});
    for (std::size_t i = 0; i < count; ++i) mask[i] = list[i] != 0;
    return mask;
  }
  const std::int64_t period = keys.number(pattern, rule == nullptr ? 1 : rule->period);
  const bool full_first = rule != nullptr && rule->full_first;
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::int64_t>(i);
    // As there, a period of 0 gives every layer a window.
    mask[i] = period == 0 || at % period != (full_first ? 0 : period - 1);
  }
  return mask;
}

}  // namespace

void mark_windows(GgufKeys& keys, std::vector<Layer>& layers, std::vector<Message>& doubts) {
  constexpr std::string_view key = "attention.sliding_window";
  const WindowRule* rule = rule_of(keys.architecture());
  constexpr std::int64_t longest = std::int64_t{1} << 24U;  // 2^32 - 1 means none, too
  std::int64_t window = keys.number(key, rule == nullptr ? 0 : rule->window, UINT32_MAX);
  // llama.cpp gives Llama 4 chunks of 8192 whatever the file says, unless it says 0.
  if (rule != nullptr && rule->chunked && window > 0) window = rule->window;
  if (window <= 0 || window > longest) return;
  // llama.cpp leaves it off for Phi-3 (pull request 13676), and does not know it elsewhere.
  if (keys.architecture() == "phi3" ||
      (rule == nullptr && !keys.has("attention.sliding_window_pattern"))) {
    doubts.push_back({"fit.doubt-window-unused", {keys.architecture(), std::to_string(window)}});
    return;
  }
  const std::vector<bool> mask = windowed(keys, rule, layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].mixer != Mixer::attention || !mask[i]) continue;
    layers[i].mixer = rule != nullptr && rule->chunked ? Mixer::chunked : Mixer::sliding;
    layers[i].window = window;
    // Gemma 4 has heads of another size there.
    layers[i].head_dim_k = keys.number("attention.key_length_swa", layers[i].head_dim_k);
    layers[i].head_dim_v = keys.number("attention.value_length_swa", layers[i].head_dim_v);
  }
}

}  // namespace gpuready::fit
