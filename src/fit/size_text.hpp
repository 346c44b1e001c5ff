#pragma once
/// Finds sizes in other programs' sentences.

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpuready::fit {

/// The size that the text begins with ("2.26 GiB", "0 bytes", "1900,00 MiB", "8,589,934,592
/// bytes"), in bytes. "MB" and "GB" are powers of two where `binary_mb` (as PyTorch's MPS backend
/// writes them), of ten otherwise. A number without a unit is nothing.
std::optional<std::int64_t> size_at_start(std::string_view text, bool binary_mb = false);

/// The size right after the last place of `phrase`.
std::optional<std::int64_t> size_after(std::string_view text, std::string_view phrase,
                                       bool binary_mb = false);

/// The size right before the first place of `phrase`, after the nearest of " ;,(" that begins it.
std::optional<std::int64_t> size_before(std::string_view text, std::string_view phrase);

/// The whole number right after the last place of `phrase`.
std::optional<std::int64_t> integer_after(std::string_view text, std::string_view phrase);

}  // namespace gpuready::fit
