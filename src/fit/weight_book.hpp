#pragma once
/// Sums up tensors by role and layer.

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "fit/model.hpp"

namespace gpuready::fit {

/// Arithmetic is checked: after an overflow the book is not `sound` and its sums mean nothing.
class WeightBook {
 public:
  /// `count` tensors of rows x columns each.
  void matrix(Role role, std::int64_t layer, std::int64_t rows, std::int64_t columns,
              std::int64_t count = 1);
  /// A table of embeddings that is only looked up, and so may stay in main memory.
  void host_table(std::int64_t rows, std::int64_t columns);
  /// `count` vectors of a layer; vectors have the role `norm`.
  void vector(std::int64_t layer, std::int64_t width, std::int64_t count = 1);
  void add(const WeightGroup& group);

  [[nodiscard]] bool sound() const { return sound_; }
  [[nodiscard]] std::int64_t parameters() const { return parameters_; }
  /// Parameters and tensors; the type and its bytes are for the caller to set.
  [[nodiscard]] std::vector<WeightGroup> groups() const;

 private:
  /// Adds tensors and parameters to the group of the same role, layer and place.
  void put(const WeightGroup& more);

  std::map<std::tuple<std::int64_t, Role, bool>, WeightGroup> groups_;
  std::int64_t parameters_ = 0;
  bool sound_ = true;
};

}  // namespace gpuready::fit
