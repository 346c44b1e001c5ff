#include "base/table.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace gpuready::base {

namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t narrowest_column = 8;

std::vector<std::size_t> natural_widths(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], display_width(row[c]));
  }
  return widths;
}

/// Takes cells from the widest column, one by one, until the columns fit.
void fit_widths(std::vector<std::size_t>& widths, std::size_t room) {
  const auto total = [&] {
    std::size_t sum = gap * (widths.size() - 1);
    for (const std::size_t width : widths) sum += width;
    return sum;
  };
  while (total() > room) {
    const auto widest = std::ranges::max_element(widths);
    if (*widest <= narrowest_column) return;
    --*widest;
  }
}

void append_line(std::string& out, std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  out += line + '\n';
}

/// One row, each cell wrapped to its column.
void append_row(std::string& out, const std::vector<std::string>& row,
                const std::vector<std::size_t>& widths, const std::vector<Align>& align,
                std::size_t indent) {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (std::size_t c = 0; c < row.size(); ++c) {
    cells.push_back(wrap(row[c], widths[c]));
    height = std::max(height, cells.back().size());
  }
  for (std::size_t i = 0; i < height; ++i) {
    std::string line(indent, ' ');
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const Align how = c < align.size() ? align[c] : Align::left;
      line += pad(i < cells[c].size() ? cells[c][i] : "", widths[c], how) + std::string(gap, ' ');
    }
    append_line(out, std::move(line));
  }
}

}  // namespace

std::string pad(std::string_view text, std::size_t width, Align align) {
  const std::size_t used = display_width(text);
  const std::string blank(used < width ? width - used : 0, ' ');
  return align == Align::left ? std::string(text) + blank : blank + std::string(text);
}

std::string layout_table(const std::vector<std::vector<std::string>>& rows,
                         const std::vector<Align>& align, std::size_t width, std::size_t indent) {
  std::vector<std::size_t> widths = natural_widths(rows);
  if (widths.empty()) return {};
  fit_widths(widths, width > indent ? width - indent : 0);
  std::string out;
  for (const auto& row : rows) append_row(out, row, widths, align, indent);
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
