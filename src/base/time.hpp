#pragma once

#include <cstdint>
#include <string>

namespace gpuready::base {

/// Seconds since 1970 as UTC in ISO 8601: "2026-12-01T02:10:03Z".
std::string iso8601(std::int64_t unix_seconds);

}  // namespace gpuready::base
