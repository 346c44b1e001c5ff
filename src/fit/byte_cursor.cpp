#include "fit/byte_cursor.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace gpuready::fit {

namespace {

/// A header without a vocabulary fits in the first piece; each further one is twice as long, so
/// that a remote file takes few requests.
constexpr std::int64_t first_piece = std::int64_t{64} << 10U;
constexpr std::int64_t largest_piece = std::int64_t{1} << 20U;

}  // namespace

ByteCursor::ByteCursor(ByteSource& source, std::int64_t size, std::int64_t most)
    : source_(source), size_(size), most_(most), piece_(first_piece) {}

void ByteCursor::fail(const std::string& what, std::int64_t position) {
  if (!fault_.empty()) return;
  fault_ = base::printable(source_.name()) + ": " + what + ", at byte " + std::to_string(position);
}

bool ByteCursor::has(std::int64_t count, std::string_view what) {
  if (!ok()) return false;
  if (count < 0 || count > size_ - position()) {
    fail("ends in " + std::string(what) + ": the file has " + std::to_string(size_) + " bytes");
    return false;
  }
  if (count > most_ - position()) {
    fail("a header of more than " + std::to_string(most_ >> 20U) + " MiB, in " + std::string(what));
    return false;
  }
  return true;
}

bool ByteCursor::fill(std::int64_t count) {
  const std::int64_t held = static_cast<std::int64_t>(buffer_.size()) - used_;
  if (held >= count) return true;
  buffer_.erase(0, static_cast<std::size_t>(used_));
  start_ += used_;
  used_ = 0;
  const std::int64_t from = start_ + held;
  const std::int64_t wanted = std::min(std::max(count - held, piece_), size_ - from);
  piece_ = std::min(2 * piece_, largest_piece);
  auto more = source_.read(from, wanted);
  if (!more) {
    fault_ = more.error().text;
    return false;
  }
  buffer_ += *more;
  if (static_cast<std::int64_t>(buffer_.size()) >= count) return true;
  fail("became shorter while it was read");
  return false;
}

std::string_view ByteCursor::take(std::int64_t count, std::string_view what) {
  if (!has(count, what) || !fill(count)) return {};
  const std::string_view taken = std::string_view(buffer_).substr(static_cast<std::size_t>(used_),
                                                                  static_cast<std::size_t>(count));
  used_ += count;
  return taken;
}

void ByteCursor::skip(std::int64_t count, std::string_view what) {
  if (!has(count, what)) return;
  const std::int64_t held = static_cast<std::int64_t>(buffer_.size()) - used_;
  if (count <= held) {
    used_ += count;
    return;
  }
  start_ += used_ + count;
  buffer_.clear();
  used_ = 0;
}

std::uint64_t ByteCursor::number(int bytes, std::string_view what) {
  std::uint64_t value = 0;
  const std::string_view taken = take(bytes, what);
  for (std::size_t i = 0; i < taken.size(); ++i)
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(taken[i])) << (8U * i);
  return value;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned lead = byte(i);
    const std::size_t length = lead < 0x80                    ? 1
                               : lead >= 0xC2 && lead <= 0xDF ? 2
                               : lead >= 0xE0 && lead <= 0xEF ? 3
                               : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                              : 0;
    if (length == 0 || i + length > text.size()) return false;
    for (std::size_t k = 1; k < length; ++k)
      if ((byte(i + k) & 0xC0U) != 0x80U) return false;
    if (lead == 0xE0 && byte(i + 1) < 0xA0) return false;
    if (lead == 0xED && byte(i + 1) > 0x9F) return false;
    if (lead == 0xF0 && byte(i + 1) < 0x90) return false;
    if (lead == 0xF4 && byte(i + 1) > 0x8F) return false;
    i += length;
  }
  return true;
}

std::string in_quotes(std::string_view name) {
  constexpr std::size_t longest = 80;
  std::string text = base::printable(name.substr(0, longest));
  return "'" + text + (name.size() > longest ? "..." : "") + "'";
}

}  // namespace gpuready::fit
