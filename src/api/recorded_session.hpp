#pragma once
/// A session over what --from has read, for those that hold its text and no file.

#include <memory>

#include "api/input.hpp"
#include "gpuready/gpuready.hpp"

namespace gpuready::api {

/// With the compiled-in tables, which are read once.
Result<std::unique_ptr<Session>> recorded_session(Input input);

}  // namespace gpuready::api
