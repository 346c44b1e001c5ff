#pragma once
/// The driver's errors by Xid number, from data/xid.csv.

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/rows.hpp"
#include "gpuready/result.hpp"

namespace gpuready::catalog {

struct Xid {
  std::int64_t code = 0;
  std::string rule;  ///< id of the rule that tells it
  std::string severity, meaning, action, source, as_of;
};

/// The table, the user's where there is one; the error names the file, the record and the column.
Result<std::vector<Xid>> load_xids(const Override& replaced);
/// The compiled-in table.
Result<std::vector<Xid>> load_xids();
/// The row of that number; null where the table does not know it.
const Xid* find_xid(std::int64_t code);

}  // namespace gpuready::catalog
