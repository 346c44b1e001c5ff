#pragma once
/// What the output of OpenSSH means. Pure.

#include <string>
#include <string_view>

#include "host/host.hpp"
#include "net/ssh.hpp"

namespace gpuready::net {

/// Around what the command prints, so that a shell that greets does not spoil it. The line itself
/// never stands in the command.
struct SshMarks {
  std::string half, other_half;  ///< random

  [[nodiscard]] std::string line() const { return half + other_half; }
};

/// The command as given to OpenSSH: runs in a POSIX shell, whichever the user's is.
std::string wrap_ssh_command(const SshMarks& marks, const std::string& command);

/// `result` is of the program ssh.
SshResult read_ssh_answer(const host::CommandResult& result, const SshMarks& marks,
                          const SshTarget& target, std::size_t max_output_bytes);

}  // namespace gpuready::net
