#pragma once
/// The header of a GGUF file, version 2 or 3, little endian: metadata and the table of tensors. The
/// format: ggml-org/ggml docs/gguf.md.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fit/byte_source.hpp"
#include "fit/ggml_types.hpp"
#include "gpuready/result.hpp"

namespace gpuready::fit {

/// A value of the metadata. Of long texts and of lists of texts or many numbers only the length is
/// kept.
struct GgufValue {
  enum class Kind { integer, real, boolean, text, list };
  Kind kind = Kind::integer;
  std::int64_t integer = 0;           ///< of integers and booleans
  double real = 0;                    ///< of floats, and integers that 63 bits do not hold
  std::string text;                   ///< empty where it was too long to be kept
  std::int64_t count = 0;             ///< of a list
  std::vector<std::int64_t> numbers;  ///< of a list of integers or booleans, if it is short
};

struct GgufTensor {
  std::string name;
  GgmlType type;
  std::vector<std::int64_t> shape;  ///< the row first, as ggml counts
  std::int64_t elements = 0, bytes = 0;
  std::int64_t offset = 0;  ///< from the start of the data
};

struct GgufHeader {
  std::string file;  ///< for messages
  std::uint32_t version = 0;
  std::int64_t alignment = 32;
  std::map<std::string, GgufValue, std::less<>> metadata;
  std::vector<GgufTensor> tensors;
  std::int64_t data_start = 0;
  std::int64_t file_bytes = 0;

  [[nodiscard]] const GgufValue* find(std::string_view key) const;
  /// The integer or boolean of a key; nothing where there is none.
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key) const;
  /// The text of a key, or nothing.
  [[nodiscard]] std::string text(std::string_view key) const;
};

/// Reads and checks a header: every tensor has a known type and lies inside the file, and none lies
/// on another. The error is one line.
Result<GgufHeader> read_gguf_header(ByteSource& source);

}  // namespace gpuready::fit
