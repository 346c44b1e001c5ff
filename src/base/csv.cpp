#include "base/csv.hpp"

#include "base/text.hpp"

namespace gpuready::base {

namespace {

/// One record, which may span lines inside quotes; `text` moves past it.
Result<std::vector<std::string>> take_record(std::string_view& text) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') {
        cells.back() += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        cells.back() += '"', ++i;
      } else {
        quoted = false;
      }
    } else if (c == '"' && cells.back().empty()) {
      quoted = true;
    } else if (c == ',') {
      cells.emplace_back();
    } else if (c == '\n') {
      break;
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  if (quoted) return failure("a quote is not closed");
  text.remove_prefix(i < text.size() ? i + 1 : i);
  return cells;
}

}  // namespace

Result<std::vector<CsvRow>> parse_csv(std::string_view text) {
  auto header = take_record(text);
  if (!header) return tl::unexpected(header.error());
  std::vector<CsvRow> rows;
  std::size_t line = 1;
  while (!text.empty()) {
    ++line;
    auto cells = take_record(text);
    const std::string where = "record " + std::to_string(line) + ": ";
    if (!cells) return failure(where + cells.error().text);
    if (cells->size() == 1 && trim(cells->front()).empty()) continue;
    if (cells->size() != header->size())
      return failure(where + std::to_string(cells->size()) + " cells, expected " +
                     std::to_string(header->size()));
    CsvRow row;
    for (std::size_t c = 0; c < cells->size(); ++c) row[(*header)[c]] = (*cells)[c];
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace gpuready::base
