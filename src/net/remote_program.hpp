#pragma once
/// This program on another machine: copied there through SSH, checked, run and removed. Needs a
/// POSIX shell there, no root, no scp.

#include <chrono>
#include <string>
#include <vector>

#include "gpuready/result.hpp"
#include "host/host.hpp"
#include "net/ssh.hpp"

namespace gpuready::net {

/// What is copied.
struct ProgramFile {
  std::string bytes, sha256;
  std::string version;
  std::string machine;  ///< as `uname -m` has it, of the machine that it runs on
};
Result<ProgramFile> own_program(host::Host& host, const std::string& version);

/// Where it is there.
struct RemoteProgram {
  std::string folder;
  std::string file;
  std::string system;           ///< `uname -sm`
  bool was_there = false;       ///< nothing was copied
  std::string checked_by;       ///< sha256, or (weaker, where the machine has no such program) cksum
  bool kept = false;            ///< stays there
};

/// Why it is not there: an outside fault unless the machine cannot run it at all.
struct CopyFault {
  SshEnd end = SshEnd::done;  ///< other than done: the connection's fault
  bool cannot_run = false;    ///< another architecture, no place that runs programs
  std::string why;
  std::string left_behind;  ///< a folder that could not be removed
};

class Carrier {
 public:
  Carrier(Ssh& ssh, SshTarget target, SshIdentity identity)
      : ssh_(ssh), target_(std::move(target)), identity_(std::move(identity)) {}

  /// Copies the program, or finds it from an earlier time where `keep` says that it shall stay. On
  /// a fault nothing is left there, or `left_behind` says what.
  tl::expected<RemoteProgram, CopyFault> bring(const ProgramFile& program, bool keep);
  /// Runs it; a kept one stays, another one is removed afterwards when `last`.
  SshResult run(const RemoteProgram& program, const std::vector<std::string>& arguments,
                std::chrono::milliseconds deadline, bool last);
  /// Runs a shell command that finds the program as `gpuready`.
  SshResult run_shell(const RemoteProgram& program, const std::string& command,
                      std::chrono::milliseconds deadline);
  /// Removes what bring() made; false where it may still be there.
  bool remove(const RemoteProgram& program);
  /// The longest answer that is taken.
  void limit_output(std::size_t bytes) { max_output_bytes_ = bytes; }

 private:
  SshResult shell(const std::string& script, std::string input, std::chrono::milliseconds deadline);
  CopyFault undo(const RemoteProgram& program, CopyFault fault);

  Ssh& ssh_;
  SshTarget target_;
  SshIdentity identity_;
  std::size_t max_output_bytes_ = std::size_t{16} << 20U;
};

/// The script that looks around and makes a folder; its answer. Here for tests.
std::string look_script(const ProgramFile& program, bool keep);
struct Look {
  std::string system, folder, kept_file;
  bool same_is_there = false, no_place = false;
};
Look read_look(std::string_view output);

}  // namespace gpuready::net
