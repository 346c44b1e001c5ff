#pragma once
/// Commands on other machines through the system's OpenSSH.

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "gpuready/result.hpp"

namespace gpuready::net {

/// Where a machine takes SSH. No user or port 0: OpenSSH's configuration decides.
struct SshTarget {
  std::string user, host;
  int port = 22;

  /// "root@1.2.3.4 port 2201", "me@box": for messages.
  [[nodiscard]] std::string shown() const;
};

/// How we show who we are and recognise the machine. A rented machine has all of these; a user's
/// own machine none: then OpenSSH's configuration decides.
struct SshIdentity {
  std::string key_file;          ///< private key; empty: OpenSSH's own choice
  std::string known_hosts_file;  ///< of this machine alone; empty: the user's own
  std::string host_key_alias;    ///< name in that file
  /// We have met it: its key must be in the file. Otherwise the first key shown is taken.
  bool met_before = false;
};

enum class SshEnd {
  done,              ///< the remote command ran; `code` is its exit status
  unreachable,       ///< refused, no route
  no_such_host,      ///< the name has no address
  denied,            ///< the key was not taken
  wrong_host_key,    ///< the machine is not the one that we met before
  unknown_host_key,  ///< never met, and nobody is asked
  dropped,           ///< the connection broke while the command ran
  timed_out,
  no_shell,  ///< logged in, but the command was not run (a forced command, no shell)
  too_much,  ///< it printed more than was asked for
  no_ssh,    ///< there is no OpenSSH on this computer
  refused,   ///< by us: the name is none
};

struct SshResult {
  SshEnd end = SshEnd::unreachable;
  int code = 0;
  std::string output;  ///< of the command alone; not trusted
  std::string errors;  ///< not trusted
  std::string why;     ///< one line for people, where end is not done
};

struct SshCommand {
  std::string command;  ///< for a POSIX shell
  std::string input;
  std::chrono::milliseconds deadline{30000};
  std::size_t max_output_bytes = std::size_t{16} << 20U;
  std::function<void(std::string_view)> on_errors;
};

class Ssh {
 public:
  Ssh() = default;
  Ssh(const Ssh&) = delete;
  Ssh& operator=(const Ssh&) = delete;
  virtual ~Ssh() = default;

  virtual SshResult run(const SshTarget& target, const SshIdentity& identity,
                        const SshCommand& command) = 0;
};

/// USER@HOST, HOST, ssh://USER@HOST:PORT. Refuses what OpenSSH or a shell could take for something
/// else: a dash in front, spaces, control and shell characters.
Result<SshTarget> parse_ssh_target(std::string_view text);
Result<void> check_ssh_target(const SshTarget& target);

}  // namespace gpuready::net
