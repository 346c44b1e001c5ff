#include "fake_cublaslt_product.hpp"

#include <bit>
#include <cstdint>
#include <limits>

#include "script.hpp"

namespace gpuready::fakes {

namespace {

using bench::Element;
using bench::size_of;

double to_tf32(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return static_cast<double>(std::bit_cast<float>((bits + 0x1000U) & 0xFFFFE000U));
}

template <class Number>
std::vector<Number> read(const Stored& x, Element element, const std::byte* data, bool tf32) {
  std::vector<double> numbers(x.span());
  bench::decode(element, data, numbers.size(), numbers.data());
  return pack<Number>(x, [&](std::size_t i) {
    return static_cast<Number>(tf32 ? to_tf32(numbers[i]) : numbers[i]);
  });
}

double spoiled(double value) {
  if (script().nan) return std::numeric_limits<double>::quiet_NaN();
  return script().wrong_element ? value * 1.5 + 1 : value;
}

/// Sums in fp32 for all but fp64 and the integers, whose sums fp64 holds exactly.
template <class Number>
void multiply(const LtProduct& p) {
  const auto left = read<Number>(p.a, p.input, p.a_data, p.tf32);
  const auto right = read<Number>(p.b, p.input, p.b_data, p.tf32);
  const std::size_t m = p.c.rows, n = p.c.columns;
  std::vector<Number> sums(m * n);
  add_product<Number>(left, right, sums.data(), m, n, p.a.columns, m, 1);
  std::vector<double> column(m);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < m; ++i) column[i] = static_cast<double>(sums[i + j * m]);
    if (j == n / 2) column[m / 2] = spoiled(column[m / 2]);
    bench::encode(p.output, column.data(), m, p.c_data + j * p.c.stride * size_of(p.output));
  }
}

}  // namespace

void LtProduct::operator()() const {
  if (input == Element::fp64 || input == Element::int8)
    multiply<double>(*this);
  else
    multiply<float>(*this);
}

}  // namespace gpuready::fakes
