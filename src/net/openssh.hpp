#pragma once
/// The system's own ssh program. It asks nothing (BatchMode), and no secret is in its arguments.

#include <memory>
#include <string>
#include <vector>

#include "host/host.hpp"
#include "net/ssh.hpp"

namespace gpuready::net {

struct OpenSshOptions {
  int connect_timeout_s = 15;
  /// Variables of the environment that ssh must not see (API keys: a user's SendEnv could send
  /// them).
  std::vector<std::string> hidden_variables;
};

std::unique_ptr<Ssh> make_openssh(host::Host& host, OpenSshOptions options = {});

/// The arguments of ssh before the remote command. With an identity the user's configuration is
/// left out, so that it can't lead elsewhere; without one it decides.
std::vector<std::string> ssh_arguments(const SshTarget& target, const SshIdentity& identity,
                                       int connect_timeout_s);

}  // namespace gpuready::net
