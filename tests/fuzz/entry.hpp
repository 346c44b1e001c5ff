#pragma once
/// What a fuzzer's file defines. libFuzzer calls it, and so does replay.cpp in the default suite.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace gpuready::fuzz {

/// Ends the process where a property doesn't hold; the fuzzer keeps the input.
inline void require(bool holds, const char* property, std::string_view value) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n%.*s\n", property, static_cast<int>(value.size()),
               value.data());
  std::abort();
}

/// Whether a terminal would obey some byte of this UTF-8: controls other than a new line, DEL, and
/// U+0080 to U+009F.
inline bool steers_a_terminal(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n') || byte == 0x7F) return true;
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (byte == 0xC2 && next >= 0x80 && next < 0xA0) return true;
  }
  return false;
}

}  // namespace gpuready::fuzz
