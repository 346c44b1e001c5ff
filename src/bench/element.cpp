#include "bench/element.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace gpuready::bench {

namespace {

template <class T>
T load(const std::byte* from, std::size_t i) {
  T value;
  std::memcpy(&value, from + i * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void store(std::byte* to, std::size_t i, T value) {
  std::memcpy(to + i * sizeof(T), &value, sizeof(T));
}

float from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
  const std::uint32_t half = 0x7FFFU + ((bits >> 16U) & 1U);
  return static_cast<std::uint16_t>((bits + half) >> 16U);
}

/// The exponent is moved by a multiplication, which also makes subnormal numbers right.
float from_fp16(std::uint16_t bits) {
  const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7FFFU) << 13U;
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112F;
  const std::uint32_t special = (bits & 0x7C00U) == 0x7C00U ? 0x7F800000U : 0U;
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16U;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign);
}

std::uint16_t to_fp16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16U) & 0x8000U);
  const float magnitude = std::abs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7E00U);
  if (magnitude >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7C00U);
  if (magnitude < 0x1p-14F)  // subnormal: units of 2^-24, rounded by the default rounding mode
    return static_cast<std::uint16_t>(
        sign | static_cast<std::uint16_t>(std::nearbyint(magnitude * 0x1p24F)));
  const auto m = std::bit_cast<std::uint32_t>(magnitude);
  const std::uint32_t rounded = m + 0xFFFU + ((m >> 13U) & 1U);
  return static_cast<std::uint16_t>(sign | ((rounded - (112U << 23U)) >> 13U));
}

constexpr double largest_fp8 = 448;
constexpr std::uint8_t fp8_nan = 0x7F;

double fp8_value(std::uint8_t bits) {
  if ((bits & 0x7FU) == fp8_nan) return std::numeric_limits<double>::quiet_NaN();
  const int exponent = (bits >> 3U) & 0xF;
  const int mantissa = bits & 7;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
  return (bits & 0x80U) != 0 ? -magnitude : magnitude;
}

const std::array<double, 256>& fp8_table() {
  static const std::array<double, 256> table = [] {
    std::array<double, 256> values{};
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = fp8_value(static_cast<std::uint8_t>(i));
    return values;
  }();
  return table;
}

std::uint8_t to_fp8(double value) {
  if (std::isnan(value)) return fp8_nan;
  const auto sign = static_cast<std::uint8_t>(std::signbit(value) ? 0x80 : 0);
  const double magnitude = std::min(std::abs(value), largest_fp8);
  if (magnitude < 0x1p-6)
    return static_cast<std::uint8_t>(sign | static_cast<int>(std::nearbyint(magnitude * 512)));
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const double steps = std::nearbyint(std::ldexp(magnitude, 4 - exponent));  // 8 to 16
  const int code = ((exponent + 6) << 3) + static_cast<int>(steps) - 8;
  return static_cast<std::uint8_t>(sign | code);
}

template <class Integer>
Integer to_integer(double value) {
  if (std::isnan(value)) return 0;
  return static_cast<Integer>(std::clamp<double>(std::nearbyint(value),
                                                 std::numeric_limits<Integer>::min(),
                                                 std::numeric_limits<Integer>::max()));
}

/// Calls `f` with a value of the stored type and its conversions to and from double.
template <class F>
auto with_codec(Element element, F&& f) {
  switch (element) {
    case Element::fp64:
      return f(
          double{}, [](double v) { return v; }, [](double v) { return v; });
    case Element::fp16:
      return f(
          std::uint16_t{}, [](std::uint16_t v) { return double{from_fp16(v)}; },
          [](double v) { return to_fp16(static_cast<float>(v)); });
    case Element::bf16:
      return f(
          std::uint16_t{}, [](std::uint16_t v) { return double{from_bf16(v)}; },
          [](double v) { return to_bf16(static_cast<float>(v)); });
    case Element::fp8_e4m3:
      return f(
          std::uint8_t{}, [&table = fp8_table()](std::uint8_t v) { return table[v]; },
          [](double v) { return to_fp8(v); });
    case Element::int8:
      return f(
          std::int8_t{}, [](std::int8_t v) { return static_cast<double>(v); },
          to_integer<std::int8_t>);
    case Element::int32:
      return f(
          std::int32_t{}, [](std::int32_t v) { return static_cast<double>(v); },
          to_integer<std::int32_t>);
    case Element::fp32:
      break;
  }
  return f(
      float{}, [](float v) { return double{v}; }, [](double v) { return static_cast<float>(v); });
}

template <class Bits>
std::int64_t count_bits(const std::byte* from, std::size_t count, Bits exponent) {
  std::int64_t found = 0;
  for (std::size_t i = 0; i < count; ++i)
    found += (load<Bits>(from, i) & exponent) == exponent ? 1 : 0;
  return found;
}

struct Name {
  std::string_view name;
  Element element;
};
constexpr std::array names{Name{"fp64", Element::fp64},         Name{"fp32", Element::fp32},
                           Name{"fp16", Element::fp16},         Name{"bf16", Element::bf16},
                           Name{"fp8-e4m3", Element::fp8_e4m3}, Name{"int8", Element::int8},
                           Name{"int32", Element::int32}};

}  // namespace

std::size_t size_of(Element element) {
  return with_codec(element, [](auto stored, auto, auto) -> std::size_t { return sizeof(stored); });
}

std::optional<Element> element_named(std::string_view name) {
  for (const Name& row : names)
    if (row.name == name) return row.element;
  return {};
}

void decode(Element element, const std::byte* from, std::size_t count, double* to) {
  with_codec(element, [&](auto stored, auto up, auto) {
    for (std::size_t i = 0; i < count; ++i) to[i] = up(load<decltype(stored)>(from, i));
  });
}

void encode(Element element, const double* from, std::size_t count, std::byte* to) {
  with_codec(element, [&](auto, auto, auto down) {
    for (std::size_t i = 0; i < count; ++i) store(to, i, down(from[i]));
  });
}

std::int64_t count_non_finite(Element element, const std::byte* from, std::size_t count) {
  switch (element) {
    case Element::fp64:
      return count_bits<std::uint64_t>(from, count, 0x7FF0000000000000U);
    case Element::fp32:
      return count_bits<std::uint32_t>(from, count, 0x7F800000U);
    case Element::bf16:
      return count_bits<std::uint16_t>(from, count, 0x7F80U);
    case Element::fp16:
      return count_bits<std::uint16_t>(from, count, 0x7C00U);
    case Element::fp8_e4m3:
      return count_bits<std::uint8_t>(from, count, fp8_nan);
    case Element::int8:
    case Element::int32:
      break;
  }
  return 0;
}

}  // namespace gpuready::bench
