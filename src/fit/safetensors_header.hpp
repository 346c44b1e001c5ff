#pragma once
/// The header of a safetensors file, and the index of a model in several. The format:
/// huggingface/safetensors README.md.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fit/byte_source.hpp"
#include "gpuready/result.hpp"

namespace gpuready::fit {

struct SafetensorsTensor {
  std::string name;
  std::string dtype;  ///< as stored, in small letters: bf16, f8_e4m3, i32
  std::vector<std::int64_t> shape;
  std::int64_t elements = 0, bytes = 0;
  std::int64_t offset = 0;  ///< from the start of the data
};

struct SafetensorsHeader {
  std::string file;  ///< for messages
  std::vector<SafetensorsTensor> tensors;
  std::int64_t data_start = 0, file_bytes = 0;
};

/// Bits of an element of this type, as the file names it ("BF16"); 0: no such type.
std::int64_t safetensors_bits(std::string_view dtype);

/// Reads and checks a header: every tensor has a known type and as many bytes as type and shape
/// say, and they fill the file without holes and without lying on one another. One-line errors.
Result<SafetensorsHeader> read_safetensors_header(ByteSource& source);

/// model.safetensors.index.json.
struct SafetensorsIndex {
  std::vector<std::string> files;                 ///< names without folder, sorted
  std::map<std::string, std::string> weight_map;  ///< tensor -> file
};

/// `file` is its name, for messages. Names of files with a folder in them are refused.
Result<SafetensorsIndex> read_safetensors_index(std::string_view text, const std::string& file);

/// Whether every tensor of the index is in its file; `shards` in the order of `index.files`.
Result<void> check_index(const SafetensorsIndex& index,
                         const std::vector<SafetensorsHeader>& shards);

}  // namespace gpuready::fit
