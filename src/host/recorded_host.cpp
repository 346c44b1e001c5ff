#include "host/recorded_host.hpp"

#include <cerrno>
#include <cstring>

namespace gpuready::host {

namespace {

template <class T>
Result<T> answer(const std::map<std::string, Result<T>>& answers, const std::string& path) {
  const auto it = answers.find(path);
  if (it != answers.end()) return it->second;
  return failure(path + ": " + std::strerror(ENOENT), ENOENT);
}

}  // namespace

Result<std::string> RecordedHost::read_file(const std::string& path, std::size_t max_bytes) {
  Result<std::string> content = answer(recording_.files, path);
  if (content && content->size() > max_bytes) content->resize(max_bytes);
  return content;
}

Result<std::string> RecordedHost::read_part(const std::string& path, std::int64_t /*offset*/,
                                            std::size_t /*count*/) {
  return failure(path + ": not recorded (a recorded machine has no models)", ENOENT);
}

Result<std::vector<std::string>> RecordedHost::list(const std::string& folder) {
  return answer(recording_.folders, folder);
}

Result<FileStatus> RecordedHost::status(const std::string& path) {
  return answer(recording_.statuses, path);
}

Result<std::string> RecordedHost::read_link(const std::string& path) {
  return answer(recording_.links, path);
}

Result<std::string> RecordedHost::real_path(const std::string& path) {
  return answer(recording_.real_paths, path);
}

Result<bool> RecordedHost::try_open(const std::string& path) {
  return answer(recording_.opens, path);
}

Result<bool> RecordedHost::try_access(const std::string& path) {
  return answer(recording_.accesses, path);
}

std::optional<std::string> RecordedHost::env(const std::string& name) {
  const auto it = recording_.environment.find(name);
  if (it == recording_.environment.end()) return {};
  return it->second;
}

std::vector<std::string> RecordedHost::env_names() {
  std::vector<std::string> names;
  for (const auto& [name, value] : recording_.environment) names.push_back(name);
  return names;
}

std::vector<CommandResult> RecordedHost::run_all(const std::vector<Command>& commands) {
  std::vector<CommandResult> results;
  for (const Command& command : commands) {
    CommandResult result{End::not_started, ENOENT, "", std::strerror(ENOENT)};
    std::vector<std::string> argv = command.argv;
    if (!argv.empty() && argv[0] == recording_.self) argv[0] = "self";
    for (const RecordedCommand& recorded : recording_.commands)
      if (recorded.argv == argv) result = recorded.result;
    results.push_back(std::move(result));
  }
  return results;
}

Result<LibraryHandle> RecordedHost::open_library(const std::string& name) {
  return failure(name + ": a recorded machine loads no library", ENOENT);
}

void* RecordedHost::symbol(const LibraryHandle& /*library*/, const std::string& /*name*/) {
  return nullptr;
}

}  // namespace gpuready::host
