#include "fit/model_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.hpp"

namespace gpuready::fit {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& list) {
  return std::ranges::find(list, word) != list.end();
}

/// "llama3.1" is "llama" and "3.1"; "8b", "a3b" and "v0.3" stay whole.
void add_word(const std::string& word, std::vector<std::string>& words) {
  if (word.empty()) return;
  std::size_t letters = 0;
  while (letters < word.size() && is_letter(word[letters])) ++letters;
  const bool version =
      letters >= 2 && letters < word.size() && is_digit(word[letters]) &&
      std::ranges::all_of(word.substr(letters), [](char c) { return is_digit(c) || c == '.'; });
  // Of these the number is no version but a width.
  constexpr std::array<std::string_view, 7> widths{"int", "fp", "bf", "nf", "nvfp", "mxfp", "exl"};
  if (!version || is_one_of(std::string_view(word).substr(0, letters), widths)) {
    words.push_back(word);
    return;
  }
  words.push_back(word.substr(0, letters));
  words.push_back(word.substr(letters));
}

std::vector<std::string> split_words(std::string_view name) {
  std::vector<std::string> words;
  std::string word;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool between_digits =
        i > 0 && i + 1 < name.size() && is_digit(name[i - 1]) && is_digit(name[i + 1]);
    if (c == '_' && between_digits) {
      word += '.';  // "Llama-3_3", "phi-1_5"
    } else if (c == '-' || c == '_' || (c == '.' && !between_digits) || c == ' ' || c == ':' ||
               c == '(' || c == ')' || c == ',') {
      add_word(word, words), word.clear();
    } else {
      word += c;
    }
  }
  add_word(word, words);
  return words;
}

/// "q4_k_m", "iq4_xs", "q8_0": a GGUF type somewhere in the name, which is cut out of it.
std::string cut_gguf_type(std::string& name) {
  for (std::size_t at = 0; at + 3 < name.size(); ++at) {
    const bool starts = at == 0 || !(is_letter(name[at - 1]) || is_digit(name[at - 1]));
    const std::size_t q = name[at] == 'i' || name[at] == 't' ? at + 1 : at;
    if (!starts || name[q] != 'q' || q + 2 >= name.size() || !is_digit(name[q + 1]) ||
        name[q + 2] != '_')
      continue;
    std::size_t end = q + 3;
    while (end < name.size() && (is_letter(name[end]) || is_digit(name[end]) || name[end] == '_'))
      ++end;
    const std::string type = name.substr(at, end - at);
    name.erase(at, end - at);
    return type;
  }
  return {};
}

/// What the words say of the stored weights together.
struct Marks {
  bool gguf = false, awq = false, gptq = false, bnb = false, four = false, eight = false;
  bool fp8 = false, nvfp4 = false, mxfp4 = false, bf16 = false, fp16 = false, nf4 = false;
  bool dynamic = false;
  std::string width;  ///< "6bit": one that MLX alone has
};

/// Whether the word is a mark, and which.
bool mark(std::string_view word, Marks& marks, std::string& format) {
  constexpr std::array<std::string_view, 4> foreign{"mlx", "exl2", "exl3", "onnx"};
  constexpr std::array<std::string_view, 5> four{"int4", "4bit", "w4a16", "4bits", "g4"};
  constexpr std::array<std::string_view, 4> eight{"int8", "8bit", "w8a8", "w8a16"};
  constexpr std::array<std::string_view, 4> widths{"2bit", "3bit", "5bit", "6bit"};
  constexpr std::array<std::string_view, 12> silent{"quantized", "128g",    "imatrix",   "i1",
                                                    "dynamic",   "unsloth", "dwq",       "marlin",
                                                    "g128",      "sym",     "autoround", "quant"};
  if (is_one_of(word, widths)) return marks.width = word, true;
  if (word == "ud") return marks.dynamic = true;
  if (is_one_of(word, foreign)) return format = word, true;
  if (is_one_of(word, four)) return marks.four = true;
  if (is_one_of(word, eight)) return marks.eight = true;
  if (word == "gguf") return marks.gguf = true;
  if (word == "awq") return marks.awq = true;
  if (word == "gptq") return marks.gptq = true;
  if (word == "bnb" || word == "bitsandbytes") return marks.bnb = true;
  if (word == "nf4") return marks.nf4 = true;
  if (word == "fp8") return marks.fp8 = true;
  if (word == "nvfp4" || word == "fp4") return marks.nvfp4 = true;
  if (word == "mxfp4") return marks.mxfp4 = true;
  if (word == "bf16") return marks.bf16 = true;
  if (word == "fp16" || word == "f16") return marks.fp16 = true;
  return is_one_of(word, silent);
}

/// The type that takes as many bits: MLX keeps a scale and a bias of 16 bits for each 64 weights
/// (mlx.core.quantize), so 8.5 for its 8. Four bits have no entry: they are what is taken unasked.
std::string dtype_of_foreign(const Marks& m) {
  if (m.bf16) return "bf16";
  if (m.fp16) return "fp16";
  if (m.eight) return "q8_0";
  if (m.width == "6bit") return "q6_k";
  if (m.width == "5bit") return "q5_k_m";
  if (m.width == "3bit") return "q3_k_m";
  return m.width == "2bit" ? "q2_k" : "";
}

std::string dtype_of(const Marks& m, const std::string& format) {
  if (!format.empty()) return dtype_of_foreign(m);
  if (m.gguf) return "gguf";
  if (m.awq) return "awq";
  if (m.gptq) return m.eight ? "gptq-int8" : "gptq-int4";
  if (m.nf4 || (m.bnb && !m.eight)) return "nf4";
  if (m.fp8) return "fp8";
  if (m.nvfp4) return "nvfp4";
  if (m.mxfp4) return "mxfp4";
  if (m.eight) return "int8";
  // Four bits by an unnamed tool: linear layers in groups, as GPTQ stores them.
  if (m.four) return "gptq-int4";
  if (m.bf16) return "bf16";
  return m.fp16 ? "fp16" : "";
}

}  // namespace

ModelName take_apart(std::string_view name) {
  constexpr std::array<std::string_view, 3> makers{"meta", "nvidia", "hf"};
  std::string text = base::lower(name.substr(name.rfind('/') + 1));
  ModelName out;
  const std::string gguf = cut_gguf_type(text);
  Marks marks;
  for (const std::string& word : split_words(text)) {
    if (mark(word, marks, out.format) || is_one_of(word, makers)) continue;
    out.words.push_back(word);
  }
  // "MLX", "EXL2": the tool's own format; it may stand in the name of who uploads.
  if (base::lower(name).starts_with("mlx-community/")) out.format = "mlx";
  // Elsewhere a word of the name.
  if (out.format.empty() && !marks.width.empty()) out.words.push_back(marks.width);
  out.dtype = gguf.empty() ? dtype_of(marks, out.format) : gguf;
  out.four_bits = marks.four || marks.mxfp4 || marks.nvfp4;
  out.dynamic = marks.dynamic && !gguf.empty();
  return out;
}

std::vector<std::string> without_sibling_words(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 5> siblings{"base", "chat", "instruct", "it", "pt"};
  std::vector<std::string> out;
  for (const std::string& word : words)
    if (!is_one_of(word, siblings)) out.push_back(word);
  return out;
}

}  // namespace gpuready::fit
