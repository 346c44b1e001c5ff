#pragma once
/// Commands on other machines through the system's OpenSSH.

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gpuready/result.hpp"
#include "host/host.hpp"

namespace gpuready::net {

/// Where a machine takes SSH.
struct SshTarget {
  std::string user, host;
  int port = 22;
};

/// How we show who we are and recognise the machine. A rented machine has all of these; a user's
/// own machine none: then OpenSSH's configuration decides.
struct SshIdentity {
  std::string key_file;          ///< private key; empty: OpenSSH's own choice
  std::string known_hosts_file;  ///< of this machine alone; empty: the user's own
  std::string host_key_alias;    ///< name in that file
};

enum class SshEnd {
  done,            ///< the remote command ran; `code` is its exit status
  unreachable,     ///< refused, no route, no name
  denied,          ///< the key was not taken
  wrong_host_key,  ///< the machine is not the one that we met before
  dropped,         ///< the connection broke while the command ran
  timed_out,
  no_ssh,  ///< there is no OpenSSH on this computer
};

struct SshResult {
  SshEnd end = SshEnd::unreachable;
  int code = 0;
  std::string output;  ///< at most the asked bytes; not trusted
  std::string errors;
  std::string why;  ///< one line for people, where end is not done
};

struct SshCommand {
  std::string command;  ///< for the remote shell
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

}  // namespace gpuready::net
