#include "fit/quant_mix.hpp"

#include <algorithm>
#include <string>

#include "fit/range.hpp"
#include "fit/weights.hpp"

namespace gpuready::fit {

namespace {

using catalog::QuantChoices;
using catalog::QuantCondition;

double count(std::int64_t n) { return static_cast<double>(n); }

/// A group with the layer that it is in.
struct Place {
  std::int64_t index = 0, layers = 1;
  double queries_per_key = 1;
  std::int64_t experts = 0;
};

bool applies(QuantCondition when, const Place& place) {
  const std::int64_t i = place.index, n = place.layers;
  switch (when) {
    case QuantCondition::always:
      return true;
    case QuantCondition::more:
      return i < n / 8 || i >= 7 * n / 8 || (i - n / 8) % 3 == 2;
    case QuantCondition::first2:
      return i < 2;
    case QuantCondition::first4:
      return i < 4;
    case QuantCondition::sixteenth:
      return i < n / 16;
    case QuantCondition::eighth:
      return i < n / 8;
    case QuantCondition::last_eighth:
      return i >= 7 * n / 8;
    case QuantCondition::gqa4:
      return place.queries_per_key >= 4;
    case QuantCondition::experts4:
      return place.experts >= 4;
    case QuantCondition::experts8:
      return place.experts == 8;
  }
  return false;
}

const std::string& chosen(const QuantChoices& choices, const Place& place,
                          const std::string& base) {
  for (const catalog::QuantChoice& choice : choices)
    if (applies(choice.when, place)) return choice.type;
  return base;
}

std::int64_t most_experts(const Architecture& shape) {
  std::int64_t most = 0;
  for (const Layer& layer : shape.layers) most = std::max(most, layer.experts);
  return most;
}

/// Attention in its four matrices; what other mixers have stands in the base type.
double attention_bytes(double parameters, const Layer& layer, const Architecture& shape,
                       const catalog::Quant& quant, const Place& place) {
  const double hidden = count(shape.hidden);
  const double base = ggml_element_bytes(quant.base, shape.hidden);
  if (layer.mixer == Mixer::recurrent || layer.mixer == Mixer::none ||
      shape.latent.kv_lora_rank > 0)
    return parameters * base;
  const double key = std::min(parameters, hidden * count(layer.kv_heads) * count(layer.head_dim_k));
  const double value =
      std::min(parameters - key, hidden * count(layer.kv_heads) * count(layer.head_dim_v));
  const double output =
      std::min(parameters - key - value, hidden * count(layer.heads) * count(layer.head_dim_v));
  const double query = parameters - key - value - output;
  const auto bytes = [&](double n, const QuantChoices& choices, std::int64_t row) {
    return n * ggml_element_bytes(chosen(choices, place, quant.base), row);
  };
  return bytes(key, quant.attn_k, shape.hidden) + bytes(value, quant.attn_v, shape.hidden) +
         bytes(query, quant.attn_q, shape.hidden) +
         bytes(output, quant.attn_output,
               whole_bytes(count(layer.heads) * count(layer.head_dim_v)));
}

/// A feed-forward part: what goes up from the hidden width, and what comes down to it.
double feed_forward_bytes(const WeightGroup& group, const Layer& layer, const Architecture& shape,
                          const catalog::Quant& quant, const Place& place) {
  const double parameters = count(group.parameters);
  const double down = parameters / (shape.feed_forward == FeedForward::gated ? 3.0 : 2.0);
  const bool routed = group.role == Role::experts;
  const std::int64_t inner = routed                 ? layer.expert_ffn
                             : layer.shared_ffn > 0 ? layer.shared_ffn
                                                    : layer.ffn;
  if (quant.parts == "experts")  // MXFP4 of the experts alone; the rest 8 bits
    return parameters * ggml_element_bytes(routed ? quant.base : "q8_0", shape.hidden);
  return (parameters - down) *
             ggml_element_bytes(chosen(quant.ffn_gate_up, place, quant.base), shape.hidden) +
         down * ggml_element_bytes(chosen(quant.ffn_down, place, quant.base), inner);
}

double gguf_bytes(const WeightGroup& group, const Architecture& shape,
                  const catalog::Quant& quant) {
  const double parameters = count(group.parameters);
  Place place;
  place.layers = static_cast<std::int64_t>(std::max<std::size_t>(shape.layers.size(), 1));
  place.index = group.layer, place.experts = most_experts(shape);
  static const Layer none;
  const bool in_layer =
      group.layer >= 0 && group.layer < static_cast<std::int64_t>(shape.layers.size());
  const Layer& layer = in_layer ? shape.layers[static_cast<std::size_t>(group.layer)] : none;
  if (layer.kv_heads > 0) place.queries_per_key = count(layer.heads) / count(layer.kv_heads);
  switch (group.role) {
    case Role::norm:
    case Role::router:
      return parameters * 4;
    case Role::tower:
      return parameters * 2;  // a projector file (mmproj) is f16
    case Role::embedding: {
      if (group.stays_on_host && parameters < count(shape.vocab) * count(shape.hidden))
        return parameters * 4;  // position and type embeddings are never quantised
      const QuantChoices& choices = shape.tied_embeddings ? quant.output : quant.embedding;
      return parameters * ggml_element_bytes(chosen(choices, place, quant.base), shape.hidden);
    }
    case Role::output:
      return parameters * ggml_element_bytes(chosen(quant.output, place, quant.base), shape.hidden);
    case Role::attention:
      if (quant.parts == "experts") return parameters * ggml_element_bytes("q8_0", shape.hidden);
      return attention_bytes(parameters, layer, shape, quant, place);
    case Role::feed_forward:
    case Role::experts:
      return feed_forward_bytes(group, layer, shape, quant, place);
    default:
      return parameters * ggml_element_bytes(quant.base, shape.hidden);
  }
}

}  // namespace

double group_bytes(const WeightGroup& group, const Architecture& shape,
                   const catalog::Quant& quant) {
  if (quant.gguf) return gguf_bytes(group, shape, quant);
  const double parameters = count(group.parameters);
  const bool linear = group.role == Role::attention || group.role == Role::feed_forward ||
                      group.role == Role::experts;
  const bool quantised = quant.parts == "all" || (quant.parts == "linears" && linear) ||
                         (quant.parts == "experts" && group.role == Role::experts);
  if (!quantised) return parameters * 2;
  const double rows = shape.hidden > 0 ? parameters / count(shape.hidden) : 0;
  return parameters * quant.linear_bytes + rows * quant.row_bytes;
}

}  // namespace gpuready::fit
