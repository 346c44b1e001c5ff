#pragma once
/// Reads what --from names: a recording (facts are probed again from its raw answers) or the JSON
/// of an earlier run (facts, and the measurements if it holds some).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpuready/result.hpp"
#include "gpuready/run.hpp"
#include "host/host.hpp"
#include "host/recording.hpp"

namespace gpuready::api {

struct Input {
  std::optional<host::Recording> recording;
  std::optional<Run> run;
  std::string at;  ///< when it was made
};

/// From the text of such a file.
Result<Input> input_from(std::string_view text);

/// The error is one line: the file, what was found, what was expected.
Result<Input> read_input(host::Host& host, const std::string& path);

/// The measurements of an earlier run.
struct Measured {
  std::string at;
  std::vector<Case> cases;
};

/// Reads the JSON of `gpuready --json` or `gpuready bench --json`; the error is one line as above.
Result<Measured> read_measured(host::Host& host, const std::string& path);

}  // namespace gpuready::api
