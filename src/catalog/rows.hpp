#pragma once
/// Reads data files row by row, cell by cell, with errors that name file, record and column.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.hpp"
#include "gpuready/result.hpp"

namespace gpuready::catalog {

/// Content of a data file by its name ("prices.csv") where a user replaces the compiled-in one.
using Override = std::function<std::optional<std::string>(const std::string& name)>;

/// Rows of a data file; the user's where there is one.
Result<std::vector<base::CsvRow>> rows_of(const std::string& name, const Override& replaced);

/// Reads cells of one row and remembers the first that is wrong.
class Cells {
 public:
  Cells(const std::string& file, std::size_t record, const base::CsvRow& row);

  /// A value that must be there.
  std::string text(const std::string& column);
  /// A value that may be empty (not known) in a column that must be there.
  std::string maybe(const std::string& column);
  double number(const std::string& column);
  std::int64_t integer(const std::string& column);
  /// Nothing where the cell is empty: not known, or not so.
  std::optional<double> maybe_number(const std::string& column);
  std::optional<std::int64_t> maybe_integer(const std::string& column);
  std::optional<bool> maybe_boolean(const std::string& column);
  void wrong(const std::string& column, const std::string& expected);
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  std::string where_, fault_;
  const base::CsvRow& row_;
};

/// One Row per record, as `read` makes it of its Cells.
template <class Row, class Read>
Result<std::vector<Row>> read_table(const std::string& name, const Override& replaced,
                                    const Read& read) {
  const auto rows = rows_of(name, replaced);
  if (!rows) return tl::unexpected(rows.error());
  std::vector<Row> out;
  for (const base::CsvRow& row : *rows) {
    Cells cells(name, out.size() + 2, row);
    out.push_back(read(cells));
    if (!cells.fault().empty()) return failure(cells.fault());
  }
  return out;
}

}  // namespace gpuready::catalog
