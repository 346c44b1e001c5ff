#pragma once
/// data/config_defaults.csv: sizes that a class of configuration takes where its file says none.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "catalog/rows.hpp"
#include "gpuready/result.hpp"

namespace gpuready::catalog {

/// Key -> value.
using ConfigDefaults = std::map<std::string, std::int64_t>;

/// By `model_type`. The error names the file, the record and the field.
Result<std::map<std::string, ConfigDefaults, std::less<>>> load_config_defaults(
    const Override& replaced);
/// Those of a type, from the compiled-in table; empty where the type is not in it.
const ConfigDefaults& config_defaults(std::string_view model_type);

}  // namespace gpuready::catalog
