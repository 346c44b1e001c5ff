#pragma once
/// A file that is read in pieces: a local one, or one behind HTTP range requests. Headers of weight
/// files are read without their data.

#include <cstdint>
#include <string>

#include "gpuready/result.hpp"

namespace gpuready::fit {

class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Path or address, for messages.
  [[nodiscard]] virtual std::string name() const = 0;
  /// Whole size in bytes.
  virtual Result<std::int64_t> size() = 0;
  /// `count` bytes from `offset`; fewer only at the end of the file.
  virtual Result<std::string> read(std::int64_t offset, std::int64_t count) = 0;
};

}  // namespace gpuready::fit
