#include "catalog/rows.hpp"

#include "base/embedded.hpp"
#include "base/text.hpp"

namespace gpuready::catalog {

Result<std::vector<base::CsvRow>> rows_of(const std::string& name, const Override& replaced) {
  const std::optional<std::string> own = replaced ? replaced(name) : std::nullopt;
  auto rows = base::parse_csv(own ? std::string_view(*own) : base::embedded_file("data/" + name));
  if (!rows) return failure(name + ": " + rows.error().text);
  if (rows->empty()) return failure(name + ": expected a row of names and at least one record");
  return rows;
}

Cells::Cells(const std::string& file, std::size_t record, const base::CsvRow& row)
    : where_(file + ", record " + std::to_string(record)), row_(row) {}

std::string Cells::text(const std::string& column) {
  const auto it = row_.find(column);
  if (it != row_.end() && !it->second.empty()) return it->second;
  wrong(column, "a value");
  return {};
}

std::string Cells::maybe(const std::string& column) {
  const auto it = row_.find(column);
  if (it != row_.end()) return it->second;
  wrong(column, "a column of this name");
  return {};
}

double Cells::number(const std::string& column) {
  const auto value = base::to_number(text(column));
  if (!value || *value < 0) wrong(column, "a number, 0 or more");
  return value.value_or(0);
}

std::int64_t Cells::integer(const std::string& column) {
  const auto value = base::to_integer(text(column));
  if (!value || *value < 0) wrong(column, "an integer, 0 or more");
  return value.value_or(0);
}

std::optional<double> Cells::maybe_number(const std::string& column) {
  if (maybe(column).empty()) return {};
  return number(column);
}

std::optional<std::int64_t> Cells::maybe_integer(const std::string& column) {
  if (maybe(column).empty()) return {};
  return integer(column);
}

std::optional<bool> Cells::maybe_boolean(const std::string& column) {
  const std::string value = maybe(column);
  if (value == "true") return true;
  if (value == "false") return false;
  if (!value.empty()) wrong(column, "true, false or nothing");
  return {};
}

void Cells::wrong(const std::string& column, const std::string& expected) {
  if (fault_.empty()) fault_ = where_ + ": " + column + ": expected " + expected;
}

}  // namespace gpuready::catalog
