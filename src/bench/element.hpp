#pragma once
/// How one number of a matrix is stored, and its way to fp64 and back.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gpuready::bench {

/// fp8 is E4M3 as in "FP8 Formats for Deep Learning" (Micikevicius et al., 2022): no infinity, the
/// largest number is 448.
enum class Element : std::uint8_t { fp64, fp32, fp16, bf16, fp8_e4m3, int8, int32 };

std::size_t size_of(Element element);  ///< bytes
/// "fp8-e4m3" and the like; the names that a Dtype carries.
std::optional<Element> element_named(std::string_view name);

void decode(Element element, const std::byte* from, std::size_t count, double* to);
/// Rounds to nearest, ties to even; what is too large becomes the largest number of fp8, int8 and
/// int32, and infinity elsewhere.
void encode(Element element, const double* from, std::size_t count, std::byte* to);

/// NaN and infinite elements, by their bits: no compiler flag about NaN can take the test away.
std::int64_t count_non_finite(Element element, const std::byte* from, std::size_t count);

}  // namespace gpuready::bench
