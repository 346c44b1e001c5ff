#pragma once
/// What a multiprocessor of NVIDIA can do in one clock, from data/peak_ops.csv.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "catalog/rows.hpp"

namespace gpuready::catalog {

/// Dense operations (a multiplication and an addition are two) per clock and multiprocessor.
struct PeakOps {
  std::string capability;             ///< "8.9", or "5.*"
  std::vector<std::string> products;  ///< parts of product names; empty: any
  std::vector<std::string> except;    ///< parts of product names that the row does not mean
  std::map<std::string, double> ops;  ///< by the type's short name; what is missing is not known
  std::string note, as_of;
};

Result<std::vector<PeakOps>> load_peak_ops(const Override& replaced);

/// The rates depend on the product too: GeForce's sums in fp32 run at half the rate of the same
/// chip under another name. Null where the table has no row.
const PeakOps* find_peak_ops(const std::vector<PeakOps>& table, const std::string& capability,
                             const std::string& product);

}  // namespace gpuready::catalog
