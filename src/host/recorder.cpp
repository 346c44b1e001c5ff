#include "host/recorder.hpp"

#include "host/kernel_lines.hpp"

namespace gpuready::host {

namespace {

template <class T>
Result<T> keep(std::map<std::string, Result<T>>& answers, const std::string& path,
               Result<T> answer) {
  answers.insert_or_assign(path, answer);
  return answer;
}

}  // namespace

Recorder::Recorder(Host& inner) : inner_(inner) {
  recording_.libc = inner.libc_version();
  recording_.now = inner.now();
  recording_.self = inner.self();
}

Result<std::string> Recorder::read_file(const std::string& path, std::size_t max_bytes) {
  Result<std::string> content = inner_.read_file(path, max_bytes);
  if (content) *content = part_to_keep(path, std::move(*content));
  return keep(recording_.files, path, std::move(content));
}

Result<std::string> Recorder::read_part(const std::string& path, std::int64_t offset,
                                        std::size_t count) {
  return inner_.read_part(path, offset, count);
}

Result<std::vector<std::string>> Recorder::list(const std::string& folder) {
  return keep(recording_.folders, folder, inner_.list(folder));
}

Result<FileStatus> Recorder::status(const std::string& path) {
  return keep(recording_.statuses, path, inner_.status(path));
}

Result<std::string> Recorder::read_link(const std::string& path) {
  return keep(recording_.links, path, inner_.read_link(path));
}

Result<std::string> Recorder::real_path(const std::string& path) {
  return keep(recording_.real_paths, path, inner_.real_path(path));
}

Result<bool> Recorder::try_open(const std::string& path) {
  return keep(recording_.opens, path, inner_.try_open(path));
}

Result<bool> Recorder::try_access(const std::string& path) {
  return keep(recording_.accesses, path, inner_.try_access(path));
}

std::optional<std::string> Recorder::env(const std::string& name) {
  std::optional<std::string> value = inner_.env(name);
  if (value) recording_.environment[name] = *value;
  return value;
}

std::vector<std::string> Recorder::env_names() { return inner_.env_names(); }

std::vector<CommandResult> Recorder::run_all(const std::vector<Command>& commands) {
  std::vector<CommandResult> results = inner_.run_all(commands);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (!commands[i].argv.empty() && commands[i].argv[0] == "journalctl")
      results[i].output = lines_about_gpus(results[i].output, true);
    RecordedCommand recorded{commands[i].argv, results[i]};
    if (!recorded.argv.empty() && recorded.argv[0] == recording_.self) recorded.argv[0] = "self";
    recording_.commands.push_back(std::move(recorded));
  }
  return results;
}

Result<LibraryHandle> Recorder::open_library(const std::string& name) {
  return inner_.open_library(name);
}

void* Recorder::symbol(const LibraryHandle& library, const std::string& name) {
  return inner_.symbol(library, name);
}

}  // namespace gpuready::host
