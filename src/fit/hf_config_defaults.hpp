#pragma once
/// What a configuration file leaves out because its class has it as a default.

#include <string>
#include <string_view>

#include "base/json.hpp"

namespace gpuready::fit {

enum class Part {
  whole,  ///< hidden size and layers must be said: a file without them says nothing
  inner,  ///< text or vision part of a file: may say nothing but its type
};

/// The object with the defaults of its type where it has no key of that meaning (null is a value).
/// Adds "key = value" of each to `taken`.
base::Json with_defaults(const base::Json& object, std::string_view model_type, Part part,
                         std::string& taken);

}  // namespace gpuready::fit
