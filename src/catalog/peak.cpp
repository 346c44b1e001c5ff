#include "catalog/peak.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace gpuready::catalog {

namespace {

/// The columns, and the names that types have on the command line.
struct Column {
  const char* column;
  const char* dtype;
};
constexpr std::array columns{Column{"fp64", "fp64"},
                             Column{"fp32", "fp32"},
                             Column{"tf32", "tf32"},
                             Column{"fp16", "fp16"},
                             Column{"fp16_acc16", "fp16-acc16"},
                             Column{"bf16", "bf16"},
                             Column{"fp8", "fp8"},
                             Column{"int8", "int8"}};

std::vector<std::string> words(const std::string& cell) {
  return cell.empty() ? std::vector<std::string>() : base::split(cell, '|');
}

PeakOps read_row(Cells& cells) {
  PeakOps row;
  row.capability = cells.text("capability");
  row.products = words(cells.maybe("products"));
  row.except = words(cells.maybe("except"));
  row.note = cells.maybe("note"), row.as_of = cells.text("as_of");
  cells.text("source");
  for (const Column& column : columns) {
    const std::string text = cells.maybe(column.column);
    if (text.empty()) continue;
    const auto ops = base::to_number(text);
    if (!ops || *ops <= 0) cells.wrong(column.column, "a number above 0");
    if (ops) row.ops[column.dtype] = *ops;
  }
  return row;
}

bool same_capability(const std::string& row, const std::string& capability) {
  if (row.size() > 2 && row.ends_with(".*"))
    return base::starts_with(capability, row.substr(0, row.size() - 1));
  return row == capability;
}

bool any_in(const std::vector<std::string>& parts, const std::string& product) {
  return std::ranges::any_of(
      parts, [&](const std::string& part) { return base::contains(product, part); });
}

}  // namespace

Result<std::vector<PeakOps>> load_peak_ops(const Override& replaced) {
  return read_table<PeakOps>("peak_ops.csv", replaced, read_row);
}

const PeakOps* find_peak_ops(const std::vector<PeakOps>& table, const std::string& capability,
                             const std::string& product) {
  for (const PeakOps& row : table)
    if (same_capability(row.capability, capability) && !any_in(row.except, product) &&
        (row.products.empty() || any_in(row.products, product)))
      return &row;
  return nullptr;
}

}  // namespace gpuready::catalog
