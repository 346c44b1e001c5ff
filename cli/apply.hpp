#pragma once
/// Carries an install plan out: asks, runs command by command, stops at the first failure.

#include <optional>
#include <string>

#include "gpuready/gpuready.hpp"
#include "options.hpp"

namespace gpuready::cli {

/// Why --apply can't be had here, in a line; empty where it can.
std::string apply_refused(const Session& session, const CommonOptions& common, const Style& style,
                          bool yes);

/// Asks (unless `yes`), then runs what is not done, and notes it in `setup.applied`. An exit code
/// where the run ends here; nothing where all is done and doctor should judge.
std::optional<int> apply_setup(Session& session, const CommonOptions& common, const Style& style,
                               bool yes, Setup& setup);

}  // namespace gpuready::cli
