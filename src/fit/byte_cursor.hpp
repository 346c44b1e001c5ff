#pragma once
/// Reads a header from front to back in growing pieces, so that memory does not follow what a file
/// claims of itself.

#include <cstdint>
#include <string>
#include <string_view>

#include "fit/byte_source.hpp"

namespace gpuready::fit {

/// The first fault sticks: from then on every read gives zero or nothing, and `ok()` is false.
class ByteCursor {
 public:
  /// Reads `source` of `size` bytes up to `most` bytes: a longer header is a fault.
  ByteCursor(ByteSource& source, std::int64_t size, std::int64_t most);

  [[nodiscard]] bool ok() const { return fault_.empty(); }
  /// One line: file, what was found, at which byte.
  [[nodiscard]] const std::string& fault() const { return fault_; }
  [[nodiscard]] std::int64_t position() const { return start_ + used_; }
  [[nodiscard]] std::int64_t file_size() const { return size_; }

  /// Notes a fault at `position`, unless there is one already.
  void fail(const std::string& what, std::int64_t position);
  void fail(const std::string& what) { fail(what, position()); }

  /// `count` bytes, valid until the next call; `what` names them in the fault.
  std::string_view take(std::int64_t count, std::string_view what);
  void skip(std::int64_t count, std::string_view what);
  /// Little-endian numbers of 1, 2, 4 or 8 bytes.
  std::uint64_t number(int bytes, std::string_view what);

 private:
  bool has(std::int64_t count, std::string_view what);
  bool fill(std::int64_t count);

  ByteSource& source_;
  std::int64_t size_, most_;
  std::string buffer_;
  std::int64_t start_ = 0, used_ = 0;  ///< place of the buffer in the file; what of it was read
  std::int64_t piece_;
  std::string fault_;
};

/// Whether `text` is UTF-8 (no overlong forms, no surrogates).
bool is_utf8(std::string_view text);
/// A name from a file, short and fit to be printed, in quotes.
std::string in_quotes(std::string_view name);

}  // namespace gpuready::fit
