#pragma once
/// The types of GGUF's tensors: how many bytes a row takes.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpuready/result.hpp"

namespace gpuready::fit {

/// A type of ggml. Rows are stored in blocks of `block` elements, each `bytes` long.
struct GgmlType {
  std::uint32_t id = 0;
  std::string_view name;  ///< in small letters, as the project writes it: q4_k
  std::int64_t block = 1, bytes = 1;
  bool removed = false;  ///< no current program reads it
};

/// All that are known, in the order of their ids.
const std::vector<GgmlType>& ggml_types();
/// The error says that the id is unknown, or which removed type it was.
Result<GgmlType> ggml_type(std::uint32_t id);
/// nullptr where no type has this name; removed ones are not found.
const GgmlType* ggml_type_named(std::string_view name);
/// Bytes of `elements` elements in rows of `row`; `row` must be a multiple of the block. Errors are
/// without the tensor's name.
Result<std::int64_t> ggml_bytes(const GgmlType& type, std::int64_t row, std::int64_t elements);
/// The mix of types that general.file_type names: 15 is "Q4_K_M"; empty for an unknown one.
std::string_view ggml_file_type(std::int64_t id);

}  // namespace gpuready::fit
