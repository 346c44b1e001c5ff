#pragma once
/// The keys of an architecture in a GGUF's metadata, with bounds, so that products of what they
/// give do not overflow.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fit/gguf_header.hpp"

namespace gpuready::fit {

/// The first value out of bounds sticks as the fault.
class GgufKeys {
 public:
  explicit GgufKeys(const GgufHeader& header)
      : header_(header), architecture_(header.text("general.architecture")) {}

  [[nodiscard]] const std::string& architecture() const { return architecture_; }
  [[nodiscard]] const std::string& fault() const { return fault_; }
  void fail(const std::string& what);

  /// The name of a key of this architecture: "llama.block_count".
  [[nodiscard]] std::string name(std::string_view key) const;
  [[nodiscard]] const GgufValue* find(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  /// A whole number from 0 to 2^24 (`most`), `fallback` where there is none.
  std::int64_t number(std::string_view key, std::int64_t fallback = 0,
                      std::int64_t most = std::int64_t{1} << 24U);
  /// One number for each layer, from a list or from one for all; `fallback` where there is none.
  std::vector<std::int64_t> per_layer(std::string_view key, std::int64_t layers,
                                      const std::vector<std::int64_t>& fallback);

 private:
  std::int64_t checked(std::string_view key, std::int64_t value, std::int64_t most);

  const GgufHeader& header_;
  std::string architecture_, fault_;
};

}  // namespace gpuready::fit
