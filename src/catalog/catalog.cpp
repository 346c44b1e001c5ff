#include "catalog/catalog.hpp"

#include "base/csv.hpp"
#include "base/embedded.hpp"
#include "base/text.hpp"

namespace gpuready::catalog {

namespace {

Result<std::vector<base::CsvRow>> rows_of(const std::string& name, const Override& replaced) {
  const std::optional<std::string> own = replaced ? replaced(name) : std::nullopt;
  auto rows = base::parse_csv(own ? std::string_view(*own) : base::embedded_file("data/" + name));
  if (!rows) return failure(name + ": " + rows.error().text);
  return rows;
}

/// Reads cells of one row and remembers the first that is wrong.
class Cells {
 public:
  Cells(const std::string& file, std::size_t record, const base::CsvRow& row)
      : where_(file + ", record " + std::to_string(record)), row_(row) {}

  std::string text(const std::string& column) {
    const auto it = row_.find(column);
    if (it != row_.end() && !it->second.empty()) return it->second;
    wrong(column, "a value");
    return {};
  }
  double number(const std::string& column) {
    const auto value = base::to_number(text(column));
    if (!value || *value < 0) wrong(column, "a number, 0 or more");
    return value.value_or(0);
  }
  std::int64_t integer(const std::string& column) {
    const auto value = base::to_integer(text(column));
    if (!value || *value < 0) wrong(column, "an integer, 0 or more");
    return value.value_or(0);
  }
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  void wrong(const std::string& column, const std::string& expected) {
    if (fault_.empty()) fault_ = where_ + ": " + column + ": expected " + expected;
  }

  std::string where_, fault_;
  const base::CsvRow& row_;
};

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

Price read_price(Cells& cells) {
  Price price;
  price.provider = cells.text("provider"), price.gpu = cells.text("gpu");
  price.kind = cells.text("kind"), price.as_of = cells.text("as_of");
  price.gpu_count = cells.integer("gpu_count");
  price.vram_gib = cells.number("vram_gib"), price.usd_per_hour = cells.number("usd_per_hour");
  return price;
}

Model read_model(Cells& cells) {
  return Model{cells.text("name"), cells.text("kind"), cells.integer("params_total")};
}

}  // namespace

Result<Catalog> load_catalog(const Override& replaced) {
  auto prices = read_table<Price>("prices.csv", replaced, read_price);
  if (!prices) return tl::unexpected(prices.error());
  auto models = read_table<Model>("models.csv", replaced, read_model);
  if (!models) return tl::unexpected(models.error());
  return Catalog{std::move(*prices), std::move(*models)};
}

Result<Catalog> load_catalog() { return load_catalog(Override{}); }

}  // namespace gpuready::catalog
