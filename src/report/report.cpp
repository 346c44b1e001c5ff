#include "report/report.hpp"

#include "base/text.hpp"

namespace gpuready::report {

std::string heading(const Context& context, std::string_view text) {
  if (!context.style.color) return std::string(text);
  return "\x1b[1m" + std::string(text) + "\x1b[0m";
}

std::string show_missing(const Context& context, const Missing& missing) {
  const std::string word(EnumNames<Absence>::list[static_cast<std::size_t>(missing.reason)]);
  const std::string reason = context.text("absence." + word);
  return missing.detail.empty() ? reason : reason + " (" + base::printable(missing.detail) + ")";
}

}  // namespace gpuready::report
