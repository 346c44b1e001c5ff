#pragma once
/// Tensors become groups: one for each role, layer and type.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "fit/model.hpp"
#include "gpuready/result.hpp"

namespace gpuready::fit {

/// What a tensor's name says of it.
struct Place {
  Role role = Role::other;
  std::int64_t layer = -1;
  bool stays_on_host = false;
};

class WeightGroups {
 public:
  /// Adds a tensor; the error says that a sum exceeds 64 bits.
  Result<void> add(const Place& place, std::string_view dtype, const WeightGroup& tensor);
  /// In the order of roles, layers and types.
  [[nodiscard]] std::vector<WeightGroup> groups() const;
  /// The type that takes most bytes; empty where there is none.
  [[nodiscard]] std::string main_dtype() const;

 private:
  std::map<std::tuple<Role, std::int64_t, bool, std::string>, WeightGroup> groups_;
  WeightGroup total_;
};

/// What the groups sum up to in the model: parameters, those of MTP, and those used for one token
/// (all but towers, MTP and the experts that are not chosen; 0 where every expert is used).
void count_parameters(Model& model);

}  // namespace gpuready::fit
