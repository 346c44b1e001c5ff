#pragma once
/// Writes safetensors files for tests, their data zeros.

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "fit/safetensors_header.hpp"

namespace gpuready::fit {

/// A file with this text as its header.
inline std::string safetensors_file(const std::string& header, std::size_t data_bytes) {
  std::string bytes(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + header + std::string(data_bytes, '\0');
}

class SafetensorsBytes {
 public:
  SafetensorsBytes& tensor(const std::string& name, const std::string& dtype,
                           const std::vector<std::int64_t>& shape) {
    std::int64_t elements = 1;
    std::string sides;
    for (const std::int64_t side : shape) {
      elements *= side;
      sides += (sides.empty() ? "" : ",") + std::to_string(side);
    }
    const std::int64_t end = end_ + elements * safetensors_bits(dtype) / 8;
    text_ += std::string(text_.empty() ? "" : ",") + "\"" + name + "\":{\"dtype\":\"" + dtype +
             "\",\"shape\":[" + sides + "],\"data_offsets\":[" + std::to_string(end_) + "," +
             std::to_string(end) + "]}";
    end_ = end;
    return *this;
  }
  [[nodiscard]] std::string file() const {
    return safetensors_file("{" + text_ + "}", static_cast<std::size_t>(end_));
  }

 private:
  std::string text_;
  std::int64_t end_ = 0;
};

}  // namespace gpuready::fit
