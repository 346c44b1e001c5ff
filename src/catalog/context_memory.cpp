#include "catalog/context_memory.hpp"

namespace gpuready::catalog {

namespace {

ContextMemory read_context(Cells& cells) {
  ContextMemory row;
  row.client = cells.text("client");
  row.arch_from = cells.number("arch_from"), row.arch_to = cells.number("arch_to");
  row.low_mib = cells.number("low_mib"), row.expected_mib = cells.number("expected_mib");
  row.high_mib = cells.number("high_mib");
  row.source = cells.text("source"), row.as_of = cells.text("as_of");
  return row;
}

}  // namespace

Result<std::vector<ContextMemory>> load_context_memory(const Override& replaced) {
  return read_table<ContextMemory>("context_memory.csv", replaced, read_context);
}

ContextMemory context_memory(std::string_view client, double compute_capability) {
  static const auto table = load_context_memory(Override{}).value_or(std::vector<ContextMemory>());
  for (const ContextMemory& row : table)
    if (row.client == client && compute_capability >= row.arch_from &&
        compute_capability <= row.arch_to)
      return row;
  return {};
}

}  // namespace gpuready::catalog
