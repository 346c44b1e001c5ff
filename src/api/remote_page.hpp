#pragma once
/// Answers that came from other machines, made fit to be shown.

#include <optional>
#include <string>

#include "gpuready/gpuready.hpp"

namespace gpuready::api {

/// The run in the JSON of `gpuready --json`; nothing where the text is another one.
std::optional<Run> run_from(const std::string& text);
/// A page where it is a run, else the JSON or the lines, without control characters.
std::string show_foreign(const std::string& text, bool is_json, const Style& style);

}  // namespace gpuready::api
