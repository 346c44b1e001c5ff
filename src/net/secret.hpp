#pragma once
/// A token or a password: shown as *** wherever it is not asked for by name.

#include <string>
#include <utility>

namespace gpuready::net {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}

  [[nodiscard]] bool empty() const { return value_.empty(); }
  /// The value itself, for the request alone.
  [[nodiscard]] const std::string& reveal() const { return value_; }
  [[nodiscard]] static std::string shown() { return "***"; }

 private:
  std::string value_;
};

}  // namespace gpuready::net
