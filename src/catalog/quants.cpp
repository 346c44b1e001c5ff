#include "catalog/quants.hpp"

#include <array>
#include <utility>

namespace gpuready::catalog {

namespace {

constexpr std::array conditions{std::pair{"more", QuantCondition::more},
                                std::pair{"first2", QuantCondition::first2},
                                std::pair{"first4", QuantCondition::first4},
                                std::pair{"sixteenth", QuantCondition::sixteenth},
                                std::pair{"eighth", QuantCondition::eighth},
                                std::pair{"last-eighth", QuantCondition::last_eighth},
                                std::pair{"gqa4", QuantCondition::gqa4},
                                std::pair{"experts4", QuantCondition::experts4},
                                std::pair{"experts8", QuantCondition::experts8}};

/// "q5_k@first2 q4_k": a list of types, each with where it is taken.
QuantChoices read_choices(Cells& cells, const std::string& column) {
  QuantChoices out;
  std::string text = cells.maybe(column) + ' ';
  for (std::size_t end = text.find(' '); end != std::string::npos; end = text.find(' ')) {
    const std::string word = text.substr(0, end);
    text.erase(0, end + 1);
    if (word.empty()) continue;
    QuantChoice choice{word.substr(0, word.find('@')), QuantCondition::always};
    const std::string when =
        word.size() > choice.type.size() ? word.substr(choice.type.size() + 1) : std::string();
    bool known = when.empty();
    for (const auto& [name, condition] : conditions)
      if (when == name) choice.when = condition, known = true;
    if (!known) cells.wrong(column, "type@condition with a condition of catalog/quants.hpp");
    out.push_back(std::move(choice));
  }
  return out;
}

double maybe_number(Cells& cells, const std::string& column) {
  return cells.maybe(column).empty() ? 0 : cells.number(column);
}

Quant read_quant(Cells& cells) {
  Quant quant;
  quant.name = cells.text("name");
  const std::string kind = cells.text("kind"), offered = cells.text("offered");
  if (kind != "gguf" && kind != "torch") cells.wrong("kind", "gguf or torch");
  quant.gguf = kind == "gguf", quant.offered = offered == "true";
  quant.base = cells.text("base");
  quant.embedding = read_choices(cells, "embedding");
  quant.output = read_choices(cells, "output");
  quant.attn_v = read_choices(cells, "attn_v"), quant.attn_k = read_choices(cells, "attn_k");
  quant.attn_q = read_choices(cells, "attn_q");
  quant.attn_output = read_choices(cells, "attn_output");
  quant.ffn_gate_up = read_choices(cells, "ffn_gate_up");
  quant.ffn_down = read_choices(cells, "ffn_down");
  quant.linear_bytes = maybe_number(cells, "linear_bytes");
  quant.row_bytes = maybe_number(cells, "row_bytes");
  quant.parts = cells.maybe("parts");
  quant.source = cells.text("source"), quant.as_of = cells.text("as_of");
  return quant;
}

}  // namespace

Result<std::vector<Quant>> load_quants(const Override& replaced) {
  return read_table<Quant>("quants.csv", replaced, read_quant);
}

const std::vector<Quant>& quants() {
  static const auto table = load_quants(Override{}).value_or(std::vector<Quant>());
  return table;
}

const Quant* quant_named(std::string_view name, bool gguf) {
  // As PyTorch and vLLM name them.
  if (name == "bfloat16") name = "bf16";
  if (name == "f16" || name == "fp16" || name == "float16" || name == "half")
    name = gguf ? "f16" : "fp16";
  if (name == "f32" || name == "fp32" || name == "float32") name = gguf ? "f32" : "fp32";
  for (const Quant& quant : quants())
    if (quant.gguf == gguf && quant.name == name) return &quant;
  return nullptr;
}

}  // namespace gpuready::catalog
