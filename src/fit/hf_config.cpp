#include "fit/hf_config.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "catalog/config_defaults.hpp"
#include "fit/config_keys.hpp"
#include "fit/hf_config_blocks.hpp"
#include "fit/hf_config_defaults.hpp"
#include "fit/hf_config_families.hpp"
#include "fit/hf_config_towers.hpp"
#include "fit/parameters.hpp"

namespace gpuready::fit {

namespace {

/// Python's json writes these three words, which JSON has not.
std::string without_nan(std::string_view text) {
  constexpr std::array<std::string_view, 3> words{"-Infinity", "Infinity", "NaN"};
  std::string out;
  out.reserve(text.size());
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\' && i + 1 < text.size()) {
      out += c, out += text[++i];
      continue;
    }
    bool replaced = false;
    for (const std::string_view word : words) {
      if (quoted || replaced || text.substr(i, word.size()) != word) continue;
      out += "null", i += word.size() - 1, replaced = true;
    }
    if (!replaced) out += c;
  }
  return out;
}

/// Names of text parts whose reader has another name.
std::string_view text_type(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 22> others{{
      {"qwen2_vl", "qwen2"},
      {"qwen2_vl_text", "qwen2"},
      {"qwen2_5_vl", "qwen2"},
      {"qwen2_5_vl_text", "qwen2"},
      {"qwen3_vl", "qwen3"},
      {"qwen3_vl_text", "qwen3"},
      {"qwen3_vl_moe", "qwen3_moe"},
      {"qwen3_vl_moe_text", "qwen3_moe"},
      {"qwen3_5", "qwen3_5_text"},
      {"qwen3_5_moe", "qwen3_5_moe_text"},
      {"gemma3", "gemma3_text"},
      {"llama4", "llama4_text"},
      {"mllama", "mllama_text_model"},
      {"llava", "llama"},
      {"llava_next", "llama"},
      {"mistral3", "mistral"},
      {"paligemma", "gemma"},
      {"idefics3", "llama"},
      {"smolvlm", "llama"},
      {"glm4v_text", "glm4"},
      {"glm4v_moe_text", "glm4_moe"},
      {"internvl", "qwen2"},
  }};
  for (const auto& [name, reader] : others)
    if (name == type) return reader;
  return type;
}

std::string dtype_of(ConfigKeys& keys) {
  const base::Json* value = keys.find({"torch_dtype", "dtype"});
  if (value == nullptr || !value->is_string()) return {};
  std::string name = value->get<std::string>();
  if (const std::size_t dot = name.rfind('.'); dot != std::string::npos) name.erase(0, dot + 1);
  if (name == "bfloat16" || name == "bf16") return "bf16";
  if (name == "float16" || name == "half" || name == "fp16") return "fp16";
  if (name == "float32" || name == "float" || name == "fp32") return "fp32";
  if (name.starts_with("float8")) return "fp8";
  return {};
}

/// The keys of the decoder: those of `text_config` where the file has one.
base::Json text_part(const base::Json& config, const ConfigKeys& keys) {
  const base::Json* inner = keys.object("text_config");
  if (inner == nullptr) inner = keys.object("llm_config");
  if (inner == nullptr) inner = keys.object("language_config");
  if (inner == nullptr) return config;
  base::Json text = *inner;
  // The flag of the whole file is the one that the class obeys.
  if (const base::Json* tied = keys.find({"tie_word_embeddings"}))
    text["tie_word_embeddings"] = *tied;
  return text;
}

/// Two towers side by side are a family, not a decoder with something before it.
bool has_two_towers(std::string_view type) { return type == "clip" || type == "siglip"; }

bool is_decoder_with_tower(std::string_view type, const ConfigKeys& keys) {
  return !has_two_towers(type) && keys.object("vision_config") != nullptr;
}

std::string word(const base::Json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

/// Types of the parts of a file that do not name theirs.
std::string_view vision_type(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> types{{
      {"clip", "clip_vision_model"},
      {"llava", "clip_vision_model"},
      {"llava_next", "clip_vision_model"},
      {"siglip", "siglip_vision_model"},
      {"gemma3", "siglip_vision_model"},
      {"paligemma", "siglip_vision_model"},
      {"mistral3", "pixtral"},
      {"idefics3", "idefics3_vision"},
      {"smolvlm", "idefics3_vision"},
  }};
  for (const auto& [name, part] : types)
    if (name == type) return part;
  return {};
}

std::string_view type_with_defaults(std::string_view type) {
  return catalog::config_defaults(type).empty() ? text_type(type) : type;
}

/// A configuration with the defaults of its classes: in its parts, else in the whole.
base::Json filled(const base::Json& config, std::string& taken) {
  if (!config.is_object()) return config;
  const std::string type = word(config, "model_type");
  base::Json out = config;
  const auto fill = [&](const char* key, std::string_view otherwise) {
    const auto it = out.find(key);
    if (it == out.end() || !it->is_object()) return false;
    const std::string said = word(*it, "model_type");
    *it = with_defaults(*it, said.empty() ? otherwise : std::string_view(said), Part::inner, taken);
    return true;
  };
  const bool text = fill("text_config", type == "clip"     ? "clip_text_model"
                                        : type == "siglip" ? "siglip_text_model"
                                                           : type_with_defaults(type));
  fill("vision_config", vision_type(type));
  return text ? out : with_defaults(out, type_with_defaults(type), Part::whole, taken);
}

ReadFamily reader_or_generic(const std::string& type, ConfigKeys& keys) {
  if (const ReadFamily reader = family_reader(text_type(type))) return reader;
  keys.doubt({"fit.doubt.family", {type.empty() ? "?" : type}});
  return read_generic;
}

bool within_reason(const Layer& layer) {
  constexpr std::int64_t most = 1'000'000'000'000;
  for (const std::int64_t size :
       {layer.heads, layer.kv_heads, layer.head_dim_k, layer.head_dim_v, layer.ffn, layer.experts,
        layer.expert_ffn, layer.shared_ffn, layer.conv_state, layer.recurrent_state})
    if (size < 0 || size > most) return false;
  return true;
}

bool attends(Mixer mixer) {
  return mixer == Mixer::attention || mixer == Mixer::sliding || mixer == Mixer::chunked;
}

void check_sizes(ConfigKeys& keys, const Blueprint& plan) {
  if (plan.shape.hidden < 1) keys.wrong("hidden_size is 0, expected 1 or more");
  for (const Block& block : plan.blocks) {
    if (!within_reason(block.layer)) return keys.wrong("a size is beyond what can be");
    // Without heads nothing would be kept of a context.
    if (attends(block.layer.mixer) && block.layer.heads < 1)
      return keys.wrong("num_attention_heads is 0, expected 1 or more");
    if (attends(block.layer.mixer) && block.layer.kv_heads < 1)
      return keys.wrong("num_key_value_heads is 0, expected 1 or more");
  }
}

/// A method whose way of storing is not known is counted by its bits alone.
void note_method(ConfigKeys& keys, const Quantisation& q) {
  // Of transformers, src/transformers/utils/quantization_config.py (QuantizationMethod), those that
  // read_quantisation() tells apart or that say their bits.
  constexpr std::array<std::string_view, 16> known{
      "gptq",    "awq",    "auto-round", "aqlm",
      "hqq",     "quanto", "nf4-dq",     "fp8",
      "torchao", "mxfp4",  "nvfp4",      "bitsandbytes",
      "eetq",    "spqr",   "vptq",       "compressed-tensors"};
  const bool has_one = keys.object("quantization_config") != nullptr;
  if (!has_one || std::ranges::find(known, q.method) != known.end()) return;
  keys.doubt({"fit.doubt.quantisation",
              {q.method.empty() ? "?" : base::printable(q.method), std::to_string(q.bits)}});
}

}  // namespace

ReadFamily family_reader(std::string_view model_type) {
  for (const auto& list : {dense_families(), classic_families(), expert_families(),
                           hybrid_families(), encoder_families(), uneven_families()})
    for (const Family& family : list)
      if (family.model_type == model_type) return family.read;
  return nullptr;
}

/// Attention's and the residuals', as BERT's and GPT-2's configurations name them; the greater.
double dropout_of(ConfigKeys& keys) {
  const double attention =
      keys.number({"attention_probs_dropout_prob", "attention_dropout", "attn_pdrop"}, 0);
  const double residual =
      keys.number({"hidden_dropout_prob", "hidden_dropout", "resid_pdrop", "resid_dropout"}, 0);
  return std::clamp(std::max(attention, residual), 0.0, 1.0);
}

Result<Model> read_complete_config(const base::Json& config) {
  ConfigKeys keys(config);
  if (!keys.fault().empty()) return failure(keys.fault());
  const std::string type = keys.text({"model_type"});
  Blueprint plan;
  plan.shape.family = base::printable(type);
  const bool sees = is_decoder_with_tower(type, keys);
  const base::Json text = has_two_towers(type) ? config : text_part(config, keys);
  ConfigKeys text_keys(text);
  const std::string inner = text_keys.text({"model_type"});
  if (sees) plan.shape.kind = ModelKind::vlm;
  if (text_keys.fault().empty())
    reader_or_generic(inner.empty() ? type : inner, text_keys)(text_keys, plan);
  plan.shape.dropout = dropout_of(text_keys);
  if (text_keys.fault().empty() && sees) add_vision_tower(keys, type, plan);
  if (keys.object("audio_config") != nullptr) keys.doubt({"fit.doubt.sound", {}});
  keys.absorb(text_keys);
  if (keys.fault().empty()) check_sizes(keys, plan);
  if (!keys.fault().empty()) return failure(keys.fault());

  std::string dtype = dtype_of(keys);
  if (dtype.empty()) dtype = dtype_of(text_keys);
  if (dtype.empty()) keys.doubt({"fit.doubt.dtype", {}});
  const Quantisation quantisation = read_quantisation(config);
  note_method(keys, quantisation);
  auto model = model_of(std::move(plan), std::move(dtype), quantisation);
  if (!model) return model;
  model->source = Source::configuration;
  model->doubts = keys.doubts();
  return model;
}

Result<Model> read_hf_config_json(const base::Json& config) {
  std::string taken;
  auto model = read_complete_config(filled(config, taken));
  if (model && !taken.empty()) model->doubts.push_back({"fit.doubt.defaults", {taken}});
  return model;
}

Result<Model> read_hf_config(std::string_view text) {
  auto config = base::parse_json(text);
  if (!config) config = base::parse_json(without_nan(text));
  if (!config) return failure(base::printable(config.error().text));
  return read_hf_config_json(*config);
}

}  // namespace gpuready::fit
