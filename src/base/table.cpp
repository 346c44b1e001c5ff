#include "base/table.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace gpuready::base {

namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t narrowest_last_column = 20;

std::vector<std::size_t> column_widths(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], display_width(row[c]));
  }
  return widths;
}

void append_line(std::string& out, std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  out += line + '\n';
}

}  // namespace

std::string pad(std::string_view text, std::size_t width, Align align) {
  const std::size_t used = display_width(text);
  const std::string blank(used < width ? width - used : 0, ' ');
  return align == Align::left ? std::string(text) + blank : blank + std::string(text);
}

std::string layout_table(const std::vector<std::vector<std::string>>& rows,
                         const std::vector<Align>& align, std::size_t width, std::size_t indent) {
  const std::vector<std::size_t> widths = column_widths(rows);
  if (widths.empty()) return {};
  std::size_t before_last = indent;
  for (std::size_t c = 0; c + 1 < widths.size(); ++c) before_last += widths[c] + gap;
  const std::size_t room = std::max(
      narrowest_last_column, width > before_last ? width - before_last : narrowest_last_column);
  std::string out;
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t c = 0; c + 1 < widths.size(); ++c) {
      const Align how = c < align.size() ? align[c] : Align::left;
      line += pad(c < row.size() ? row[c] : "", widths[c], how) + std::string(gap, ' ');
    }
    const bool right = align.size() >= widths.size() && align[widths.size() - 1] == Align::right;
    const std::string last = row.size() == widths.size() ? row.back() : "";
    std::vector<std::string> parts = wrap(last, room);
    if (parts.empty()) parts.emplace_back();
    if (right && parts.size() == 1)
      parts[0] = pad(parts[0], std::min(widths.back(), room), Align::right);
    append_line(out, line + parts[0]);
    for (std::size_t i = 1; i < parts.size(); ++i)
      append_line(out, std::string(before_last, ' ') + parts[i]);
  }
  return out;
}

std::string layout_paragraph(std::string_view text, std::size_t width, std::size_t indent,
                             std::size_t hanging) {
  const std::size_t room = width > indent + hanging ? width - indent - hanging : 2;
  std::string out;
  bool first = true;
  for (const std::string& line : wrap(text, room)) {
    append_line(out, std::string(indent + (first ? 0 : hanging), ' ') + line);
    first = false;
  }
  return out;
}

}  // namespace gpuready::base
