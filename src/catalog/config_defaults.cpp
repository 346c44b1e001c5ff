#include "catalog/config_defaults.hpp"

#include <vector>

namespace gpuready::catalog {

namespace {

struct Row {
  std::string model_type, key;
  std::int64_t value = 0;
};

Row read_row(Cells& cells) {
  return {cells.text("model_type"), cells.text("key"), cells.integer("value")};
}

}  // namespace

Result<std::map<std::string, ConfigDefaults, std::less<>>> load_config_defaults(
    const Override& replaced) {
  const auto rows = read_table<Row>("config_defaults.csv", replaced, read_row);
  if (!rows) return tl::unexpected(rows.error());
  std::map<std::string, ConfigDefaults, std::less<>> out;
  for (const Row& row : *rows) out[row.model_type][row.key] = row.value;
  return out;
}

const ConfigDefaults& config_defaults(std::string_view model_type) {
  static const auto table = load_config_defaults(Override{});
  static const ConfigDefaults none;
  if (!table) return none;
  const auto it = table->find(model_type);
  return it == table->end() ? none : it->second;
}

}  // namespace gpuready::catalog
