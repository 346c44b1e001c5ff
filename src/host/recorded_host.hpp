#pragma once

#include "host/host.hpp"
#include "host/recording.hpp"

namespace gpuready::host {

/// A machine in memory. What was not recorded is not there (ENOENT); nothing is written, run or
/// loaded.
class RecordedHost : public Host {
 public:
  explicit RecordedHost(Recording recording) : recording_(std::move(recording)) {}

  Result<std::string> read_file(const std::string& path, std::size_t max_bytes) override;
  Result<std::string> read_part(const std::string& path, std::int64_t offset,
                                std::size_t count) override;
  Result<std::vector<std::string>> list(const std::string& folder) override;
  Result<FileStatus> status(const std::string& path) override;
  Result<std::string> read_link(const std::string& path) override;
  Result<std::string> real_path(const std::string& path) override;
  Result<bool> try_open(const std::string& path) override;
  Result<bool> try_access(const std::string& path) override;
  std::optional<std::string> env(const std::string& name) override;
  std::vector<std::string> env_names() override;
  std::vector<CommandResult> run_all(const std::vector<Command>& commands) override;
  Result<LibraryHandle> open_library(const std::string& name) override;
  void* symbol(const LibraryHandle& library, const std::string& name) override;
  std::string self() override { return recording_.self; }
  std::string libc_version() override { return recording_.libc; }
  std::int64_t now() override { return recording_.now; }

  Recording& recording() { return recording_; }

 private:
  Recording recording_;
};

}  // namespace gpuready::host
