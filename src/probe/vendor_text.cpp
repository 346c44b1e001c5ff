#include "probe/vendor_text.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"

namespace gpuready::probe {

std::string text_in(std::span<const char> buffer) {
  const auto end = std::ranges::find(buffer, '\0');
  return base::printable(std::string(buffer.begin(), end));
}

std::string kernel_pci_address(std::string_view text) {
  std::string address = base::lower(text);
  const std::size_t colon = address.find(':');
  constexpr std::size_t domain_digits = 4;
  if (colon == std::string::npos || colon <= domain_digits) return address;
  const std::size_t zeros = std::min(address.find_first_not_of('0'), colon - domain_digits);
  return address.substr(zeros);
}

Fact<std::string> cuda_version(int number, std::string source) {
  // CUDA_VERSION in cuda.h: 1000 * major + 10 * minor.
  if (number >= 1000 && number < 1000000)
    return {base::format("{}.{}", number / 1000, number % 1000 / 10), std::move(source)};
  return Fact<std::string>::absent(Absence::unreadable,
                                   base::format("{} answered {}", source, number));
}

std::string uuid_text(std::string_view prefix, std::span<const char, 16> bytes) {
  std::string text(prefix);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += base::format("{:02x}", static_cast<unsigned char>(bytes[i]));
  }
  return text;
}

Missing not_tested(std::string_view because) {
  return {Absence::not_tested, std::string(because), {}};
}

Missing unbelievable_count(std::string_view call, std::int64_t count) {
  return {Absence::unreadable,
          base::format("{} answered {} devices, more than {}", call, count, most_devices),
          {}};
}

}  // namespace gpuready::probe
