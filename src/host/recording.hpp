#pragma once
/// What a machine answered, question by question: written by Recorder, replayed by RecordedHost.

#include <map>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "host/host.hpp"

namespace gpuready::host {

/// A command and its end. `argv[0]` is "self" where the program ran itself.
struct RecordedCommand {
  std::vector<std::string> argv;
  CommandResult result;
};

struct Recording {
  std::map<std::string, Result<std::string>> files, links, real_paths;
  std::map<std::string, Result<std::vector<std::string>>> folders;
  std::map<std::string, Result<FileStatus>> statuses;
  std::map<std::string, Result<bool>> opens, accesses;
  std::map<std::string, std::string> environment;
  std::vector<RecordedCommand> commands;
  std::string libc;
  std::string self = "self";  ///< path of the program that recorded
  std::int64_t now = 0;

  [[nodiscard]] base::Json to_json() const;
  /// The error names the place that could not be understood.
  static Result<Recording> from_json(const base::Json& json);
};

}  // namespace gpuready::host
