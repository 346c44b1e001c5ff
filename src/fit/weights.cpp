#include "fit/weights.hpp"

#include <algorithm>

#include "fit/ggml_types.hpp"
#include "fit/quant_mix.hpp"

namespace gpuready::fit {

namespace {

double count(std::int64_t n) { return static_cast<double>(n); }

/// Adds the bytes of one group where they belong.
void add(const WeightGroup& group, double bytes, Weights& out) {
  const bool in_layer =
      group.layer >= 0 && group.layer < static_cast<std::int64_t>(out.layers.size());
  switch (group.role) {
    case Role::embedding:
      (group.stays_on_host ? out.host_embedding : out.embedding) += bytes;
      return;
    case Role::output:
      out.output += bytes;
      return;
    case Role::tower:
      out.tower += bytes;
      return;
    case Role::mtp:
      out.mtp += bytes;
      return;
    default:
      break;
  }
  if (in_layer) {
    LayerBytes& layer = out.layers[static_cast<std::size_t>(group.layer)];
    (group.role == Role::experts ? layer.experts : layer.dense) += bytes;
  } else if (!out.layers.empty() && group.role != Role::norm && group.role != Role::other) {
    for (LayerBytes& layer : out.layers)
      (group.role == Role::experts ? layer.experts : layer.dense) +=
          bytes / count(static_cast<std::int64_t>(out.layers.size()));
  } else {
    out.other += bytes;
  }
}

bool is_matrix(Role role) {
  return role == Role::attention || role == Role::feed_forward || role == Role::experts;
}

/// Elements of the largest matrix of a layer: the feed-forward's, or the attention's.
double largest_linear(const Architecture& shape) {
  double most = 0;
  for (const Layer& layer : shape.layers) {
    const double inner =
        std::max({count(layer.ffn), count(layer.expert_ffn), count(layer.shared_ffn),
                  count(layer.heads) * count(layer.head_dim_k)});
    most = std::max(most, inner * count(shape.hidden));
  }
  return most;
}

/// What a doubtful source adds to the upper end.
double doubt(const Model& model) { return model.doubts.empty() ? 1.0 : 1.03; }

}  // namespace

double Weights::total_bytes() const {
  double sum = embedding + host_embedding + output + tower + other;
  for (const LayerBytes& layer : layers) sum += layer.dense + layer.experts;
  return sum;
}

double ggml_element_bytes(std::string_view type, std::int64_t row) {
  const auto bytes_of = [](const GgmlType& found) {
    return count(found.bytes) / count(found.block);
  };
  const GgmlType* found = ggml_type_named(type);
  if (found == nullptr) return 2;
  if (row <= 0 || row % found->block == 0) return bytes_of(*found);
  constexpr std::int64_t small_block = 32;
  if (row % small_block != 0) return 2;
  if (type == "q4_k") return bytes_of(*ggml_type_named("q5_0"));
  if (type == "q5_k") return bytes_of(*ggml_type_named("q5_1"));
  if (type == "q6_k") return bytes_of(*ggml_type_named("q8_0"));
  return bytes_of(*ggml_type_named("iq4_nl"));  // q4_0 is as long
}

Weights weights_as_stored(const Model& model) {
  Weights out;
  out.dtype = model.native_dtype;
  out.layers.resize(model.shape.layers.size());
  for (const WeightGroup& group : model.weights) {
    add(group, count(group.bytes), out);
    if (group.role == Role::embedding || group.role == Role::output)
      out.largest_kept_bytes = std::max(out.largest_kept_bytes, count(group.bytes));
    if (!is_matrix(group.role)) out.kept_bytes += count(group.bytes);
  }
  out.largest_linear_elements = largest_linear(model.shape);
  out.high = model.source == Source::file_header ? 1.0 : doubt(model);
  return out;
}

Weights weights_as(const Model& model, const catalog::Quant& quant) {
  Weights out;
  out.dtype = quant.name;
  out.layers.resize(model.shape.layers.size());
  for (const WeightGroup& group : model.weights) {
    const double bytes = group_bytes(group, model.shape, quant);
    add(group, bytes, out);
    if (group.role == Role::embedding || group.role == Role::output)
      out.largest_kept_bytes = std::max(out.largest_kept_bytes, bytes);
    if (!is_matrix(group.role)) out.kept_bytes += bytes;
  }
  out.largest_linear_elements = largest_linear(model.shape);
  // Makers of files choose types of single tensors otherwise: +-6 %.
  const bool mixed = quant.gguf && ggml_element_bytes(quant.base, 0) < 1;
  const bool packed = !quant.gguf && quant.linear_bytes < 2;
  out.low = mixed ? 0.94 : packed ? 0.98 : 1.0;
  out.high = (mixed ? 1.06 : packed ? 1.04 : 1.0) * doubt(model);
  return out;
}

}  // namespace gpuready::fit
