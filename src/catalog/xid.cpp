#include "catalog/xid.hpp"

#include <algorithm>

#include "catalog/tables.hpp"

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

Result<std::vector<Xid>> load_xids(const Override& replaced) {
  return read_table<Xid>("xid.csv", replaced, read_xid);
}

Result<std::vector<Xid>> load_xids() { return load_xids(Override{}); }

const Xid* find_xid(std::int64_t code) {
  const std::vector<Xid>& table = tables().xids;
  const auto it = std::ranges::find(table, code, &Xid::code);
  return it == table.end() ? nullptr : &*it;
}

}  // namespace gpuready::catalog
