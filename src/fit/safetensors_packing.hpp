#pragma once
/// How many parameters a stored tensor holds: quantised formats pack several into one element, and
/// put scales and tables beside them that are none.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "fit/model.hpp"
#include "fit/safetensors_header.hpp"

namespace gpuready::fit {

class Packing {
 public:
  /// Of the tensors of all shards; they must outlive this.
  Packing(const std::vector<SafetensorsHeader>& shards, Quantisation quantisation);

  /// Parameters in this tensor; 0: it holds none (scales, tables, buffers).
  [[nodiscard]] std::int64_t parameters(const SafetensorsTensor& tensor) const;
  /// False where the method packs in a way that is not known here.
  [[nodiscard]] bool known() const;

 private:
  [[nodiscard]] bool has(const std::string& name) const { return names_.contains(name); }
  [[nodiscard]] bool is_beside(std::string_view stem, std::string_view leaf) const;
  [[nodiscard]] std::int64_t per_element(const SafetensorsTensor& tensor, std::string_view stem,
                                         std::string_view leaf) const;

  std::unordered_set<std::string_view> names_;
  Quantisation quantisation_;
};

}  // namespace gpuready::fit
