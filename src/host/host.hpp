#pragma once
/// The world behind one small interface, so that every probe runs on a real machine, on a
/// recorded one, and on one made up for a test.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpuready/result.hpp"

namespace gpuready::host {

enum class FileKind { regular, directory, character_device, other };

struct FileStatus {
  FileKind kind = FileKind::other;
  std::uint32_t mode = 0;  ///< permission bits
  std::uint32_t uid = 0, gid = 0;
  std::int64_t size_bytes = 0;
};

struct Command {
  std::vector<std::string> argv;
  std::chrono::milliseconds deadline{10000};
  std::string input;
  /// Changes to the inherited environment: a value sets, nothing removes.
  std::map<std::string, std::optional<std::string>> environment;
  std::size_t max_output_bytes = std::size_t{16} << 20U;
  /// Called with each piece of standard error as it comes, for progress; may be empty.
  std::function<void(std::string_view)> on_errors;
};

enum class End { exited, signalled, timed_out, not_started };

struct CommandResult {
  End end = End::not_started;
  int code = 0;  ///< exit status, signal, or errno of the failed start
  std::string output, errors;
};

/// An open shared library; never closed (vendor libraries don't survive it).
struct LibraryHandle {
  void* handle = nullptr;
  std::string file;  ///< the file that the loader really mapped
};

class Host {
 public:
  Host() = default;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  virtual ~Host() = default;

  /// At most `max_bytes` of the file. Errors carry errno in `code`.
  virtual Result<std::string> read_file(const std::string& path,
                                        std::size_t max_bytes = std::size_t{1} << 20U) = 0;
  /// `count` bytes from `offset` of a regular file; fewer only at its end.
  virtual Result<std::string> read_part(const std::string& path, std::int64_t offset,
                                        std::size_t count) = 0;
  /// Names in a folder, sorted, without . and ..
  virtual Result<std::vector<std::string>> list(const std::string& folder) = 0;
  /// Follows links.
  virtual Result<FileStatus> status(const std::string& path) = 0;
  virtual Result<std::string> read_link(const std::string& path) = 0;
  /// The path with every link resolved.
  virtual Result<std::string> real_path(const std::string& path) = 0;
  /// Opens for reading and writing, and closes. Opening a device node can wake the device.
  virtual Result<bool> try_open(const std::string& path) = 0;
  /// Asks for the right to read and write, without opening (and so without waking anything).
  virtual Result<bool> try_access(const std::string& path) = 0;
  virtual std::optional<std::string> env(const std::string& name) = 0;
  /// Names of all variables of the environment, sorted.
  virtual std::vector<std::string> env_names() = 0;
  /// Runs the commands at the same time; each is killed, with its children, at its deadline.
  virtual std::vector<CommandResult> run_all(const std::vector<Command>& commands) = 0;
  virtual Result<LibraryHandle> open_library(const std::string& name) = 0;
  virtual void* symbol(const LibraryHandle& library, const std::string& name) = 0;
  /// Path of this program, for running itself as a child.
  virtual std::string self() = 0;
  virtual std::string libc_version() = 0;
  /// Seconds since 1970, UTC.
  virtual std::int64_t now() = 0;

  CommandResult run(const Command& command) { return run_all({command}).front(); }
};

/// "exited with status 1", "killed by signal 11 (SIGSEGV)", "no answer within 10 s", ...
std::string describe(const CommandResult& result, const Command& command);

}  // namespace gpuready::host
