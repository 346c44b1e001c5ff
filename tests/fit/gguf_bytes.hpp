#pragma once
/// Writes GGUF files for tests, right ones and wrong ones.

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "fit/ggml_types.hpp"

namespace gpuready::fit {

template <class T>
std::string raw(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

inline std::string raw_text(const std::string& text) {
  return raw<std::uint64_t>(text.size()) + text;
}

/// Types of values in the metadata.
enum class ValueType : std::uint32_t {
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  f32,
  boolean,
  text,
  list,
  u64,
  i64,
  f64
};

class GgufBytes {
 public:
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;
  std::string magic = "GGUF";

  /// A key with a value of any type, its bytes as they are.
  GgufBytes& key(const std::string& name, ValueType type, const std::string& bytes) {
    keys_ += raw_text(name) + raw(static_cast<std::uint32_t>(type)) + bytes;
    ++key_count_;
    return *this;
  }
  GgufBytes& number(const std::string& name, std::uint32_t value) {
    return key(name, ValueType::u32, raw(value));
  }
  GgufBytes& text(const std::string& name, const std::string& value) {
    return key(name, ValueType::text, raw_text(value));
  }
  template <class T>
  GgufBytes& list(const std::string& name, ValueType type, const std::vector<T>& values) {
    std::string bytes = raw(static_cast<std::uint32_t>(type)) + raw<std::uint64_t>(values.size());
    for (const T& value : values) bytes += raw(value);
    return key(name, ValueType::list, bytes);
  }
  GgufBytes& texts(const std::string& name, std::size_t count) {
    std::string bytes =
        raw(static_cast<std::uint32_t>(ValueType::text)) + raw<std::uint64_t>(count);
    for (std::size_t i = 0; i < count; ++i) bytes += raw_text("token" + std::to_string(i));
    return key(name, ValueType::list, bytes);
  }

  /// A tensor after those before it.
  GgufBytes& tensor(const std::string& name, const std::string& type,
                    const std::vector<std::int64_t>& shape) {
    const GgmlType* found = ggml_type_named(type);
    std::int64_t elements = 1;
    for (const std::int64_t side : shape) elements *= side;
    tensor_at(name, found->id, shape, data_bytes_);
    const auto bytes = static_cast<std::uint64_t>(elements / found->block * found->bytes);
    data_bytes_ += (bytes + alignment - 1) / alignment * alignment;
    return *this;
  }
  GgufBytes& tensor_at(const std::string& name, std::uint32_t type,
                       const std::vector<std::int64_t>& shape, std::uint64_t offset) {
    tensors_ += raw_text(name) + raw(static_cast<std::uint32_t>(shape.size()));
    for (const std::int64_t side : shape) tensors_ += raw(side);
    tensors_ += raw(type) + raw(offset);
    ++tensor_count_;
    return *this;
  }

  [[nodiscard]] std::string header() const {
    return magic + raw(version) + raw(tensor_count_) + raw(key_count_) + keys_ + tensors_;
  }
  /// The file, its data zeros.
  [[nodiscard]] std::string file() const {
    std::string bytes = header();
    bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
    bytes.resize(bytes.size() + data_bytes_);
    return bytes;
  }

 private:
  std::string keys_, tensors_;
  std::uint64_t key_count_ = 0, tensor_count_ = 0, data_bytes_ = 0;
};

}  // namespace gpuready::fit
