#pragma once
/// Models described by a config.json as transformers writes it.

#include <string_view>

#include "base/json.hpp"
#include "fit/model.hpp"
#include "gpuready/result.hpp"

namespace gpuready::fit {

/// The model of a configuration file: shape, exact parameters by role and layer for the families
/// that are known, bytes in the type that the file names (two bytes each where it names none) or as
/// its `quantization_config` stores them. A family that is not known is estimated from the usual
/// keys, with a doubt. Keys that are missing have the defaults of the configuration class, which a
/// doubt lists; hidden size and layers must be said. NaN and Infinity, which Python writes, are
/// read as missing. The error says which key is missing or wrong.
Result<Model> read_hf_config(std::string_view text);
/// The same of a parsed file.
Result<Model> read_hf_config_json(const base::Json& config);
/// The same, where a missing key means that there is no such part, not the default of a class.
Result<Model> read_complete_config(const base::Json& config);

/// A file's `quantization_config`; empty where it has none.
Quantisation read_quantisation(const base::Json& config);

}  // namespace gpuready::fit
