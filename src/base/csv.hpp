#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gpuready/result.hpp"

namespace gpuready::base {

using CsvRow = std::map<std::string, std::string, std::less<>>;

/// Rows by column name, as RFC 4180 with a header line. The error names the line.
Result<std::vector<CsvRow>> parse_csv(std::string_view text);

}  // namespace gpuready::base
