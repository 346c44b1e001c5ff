#include "catalog/xid.hpp"

#include <algorithm>

#include "catalog/rows.hpp"

namespace gpuready::catalog {

namespace {

Xid read_xid(Cells& cells) {
  Xid xid;
  xid.code = cells.integer("code");
  xid.rule = cells.text("rule"), xid.severity = cells.text("severity");
  xid.meaning = cells.text("meaning"), xid.action = cells.text("action");
  xid.source = cells.text("source"), xid.as_of = cells.text("as_of");
  return xid;
}

}  // namespace

Result<std::vector<Xid>> load_xids() { return read_table<Xid>("xid.csv", Override{}, read_xid); }

const Xid* find_xid(std::int64_t code) {
  static const std::vector<Xid> table = load_xids().value_or(std::vector<Xid>());
  const auto it = std::ranges::find(table, code, &Xid::code);
  return it == table.end() ? nullptr : &*it;
}

}  // namespace gpuready::catalog
