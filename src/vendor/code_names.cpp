#include "vendor/code_names.hpp"

#include <algorithm>
#include <cstring>

#include "base/text.hpp"

namespace gpuready::vendor {

std::string_view name_in(std::span<const CodeName> names, int code) {
  const auto found = std::ranges::find(names, code, &CodeName::code);
  return found == names.end() ? std::string_view() : found->name;
}

std::string library_text(const char* text) {
  constexpr std::size_t longest = 256;
  if (text == nullptr) return {};
  const void* end = std::memchr(text, '\0', longest);
  const std::size_t size =
      end != nullptr ? static_cast<std::size_t>(static_cast<const char*>(end) - text) : longest;
  return base::printable(std::string_view(text, size));
}

std::string name_and_code(std::string_view name, int code) {
  if (name.empty()) return "error " + std::to_string(code);
  return std::string(name) + " (" + std::to_string(code) + ")";
}

}  // namespace gpuready::vendor
