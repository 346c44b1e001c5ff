#pragma once
/// The only place that includes the formatting library.

#include <fmt/args.h>
#include <fmt/format.h>

namespace gpuready::base {
using fmt::format;
}  // namespace gpuready::base
