#pragma once
/// Memory of the weights: as a file stores them, or as a type of weights would.

#include <string>
#include <vector>

#include "catalog/quants.hpp"
#include "fit/model.hpp"

namespace gpuready::fit {

struct LayerBytes {
  double dense = 0;    ///< all but the routed experts
  double experts = 0;  ///< routed experts, all of them
};

/// Bytes of the weights, by where they can be placed.
struct Weights {
  std::string dtype;  ///< the type's name, or the file's
  std::vector<LayerBytes> layers;
  double embedding = 0;       ///< token embeddings
  double host_embedding = 0;  ///< looked up in main memory by llama.cpp, whatever is offloaded
  double output = 0;          ///< the head; of tied models nothing
  double tower = 0;           ///< of images or sound
  double mtp = 0;             ///< multi-token prediction: most runtimes leave it out
  double other = 0;           ///< in no layer
  double largest_linear_elements = 0;  ///< of a quantised matrix
  double largest_kept_bytes = 0;       ///< of a matrix that the quantisation leaves alone
  double kept_bytes = 0;               ///< of all that the quantisation leaves alone
  double low = 1, high = 1;            ///< how far off it may be, as factors

  /// All but `mtp`.
  [[nodiscard]] double total_bytes() const;
};

/// As stored: exact from a header; from a configuration or the catalogue in the native type.
Weights weights_as_stored(const Model& model);
/// As they would be in this type.
Weights weights_as(const Model& model, const catalog::Quant& quant);

/// Bytes of an element in a type of ggml, with the type that llama.cpp takes instead where rows of
/// `row` elements do not fill its blocks (ggml-org/llama.cpp src/llama-quant.cpp).
double ggml_element_bytes(std::string_view type, std::int64_t row);

}  // namespace gpuready::fit
