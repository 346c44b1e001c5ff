#include "net/openssh.hpp"

#include <optional>
#include <random>
#include <utility>

#include "base/text.hpp"
#include "net/ssh_answer.hpp"

namespace gpuready::net {

namespace {

SshMarks random_marks() {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device source;
  SshMarks marks{"gpuready-", ""};
  for (int i = 0; i < 24; ++i) marks.other_half += letters[source() % letters.size()];
  return marks;
}

class OpenSsh : public Ssh {
 public:
  OpenSsh(host::Host& host, OpenSshOptions options) : host_(host), options_(std::move(options)) {}

  SshResult run(const SshTarget& target, const SshIdentity& identity,
                const SshCommand& command) override {
    if (const auto good = check_ssh_target(target); !good)
      return {SshEnd::refused, 0, "", "", good.error().text};
    const SshMarks marks = random_marks();
    host::Command ssh;
    ssh.argv = ssh_arguments(target, identity, options_.connect_timeout_s);
    ssh.argv.push_back(wrap_ssh_command(marks, command.command));
    ssh.deadline = command.deadline;
    ssh.input = command.input;
    constexpr std::size_t for_greetings = 65536;
    ssh.max_output_bytes = command.max_output_bytes + for_greetings;
    ssh.on_errors = command.on_errors;
    for (const std::string& name : options_.hidden_variables) ssh.environment[name] = std::nullopt;
    return read_ssh_answer(host_.run(ssh), marks, target, command.max_output_bytes);
  }

 private:
  host::Host& host_;
  OpenSshOptions options_;
};

/// What neither ssh nor a shell (through a user's ProxyCommand with %h) could misunderstand.
bool is_plain(std::string_view name, std::string_view also) {
  if (name.empty() || name.front() == '-' || name.size() > 255) return false;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    const bool high = (static_cast<unsigned char>(c) & 0x80U) != 0;
    if (!letter && !high && also.find(c) == std::string_view::npos) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<Ssh> make_openssh(host::Host& host, OpenSshOptions options) {
  return std::make_unique<OpenSsh>(host, std::move(options));
}

std::string SshTarget::shown() const {
  const std::string who = base::printable(user.empty() ? host : user + "@" + host);
  constexpr int usual_port = 22;
  return port == 0 || port == usual_port ? who : who + " port " + std::to_string(port);
}

Result<void> check_ssh_target(const SshTarget& target) {
  if (!is_plain(target.host, ".-_:%"))
    return failure("'" + base::printable(target.host) +
                   "' is no name of a host; expected USER@HOST, as for ssh");
  if (!target.user.empty() && !is_plain(target.user, ".-_+@\\"))
    return failure("'" + base::printable(target.user) +
                   "' is no name of a user; expected USER@HOST, as for ssh");
  constexpr int highest_port = 65535;
  if (target.port < 0 || target.port > highest_port)
    return failure("port " + std::to_string(target.port) + " is not between 1 and 65535");
  return {};
}

Result<SshTarget> parse_ssh_target(std::string_view text) {
  SshTarget target;
  target.port = 0;
  const bool is_url = base::starts_with(text, "ssh://");
  if (is_url) text.remove_prefix(std::string_view("ssh://").size());
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    target.user = text.substr(0, at);
    if (target.user.empty()) return failure("'@...' names no user; expected USER@HOST");
    text.remove_prefix(at + 1);
  }
  if (is_url) {
    if (!text.empty() && text.back() == '/') text.remove_suffix(1);
    const std::size_t colon = text.rfind(':');
    if (colon != std::string_view::npos && text.find(']') == std::string_view::npos) {
      const auto port = base::to_integer(text.substr(colon + 1));
      if (!port || *port < 1 || *port > 65535)
        return failure("'" + base::printable(text.substr(colon + 1)) +
                       "' is no port; expected ssh://USER@HOST:PORT");
      target.port = static_cast<int>(*port);
      text = text.substr(0, colon);
    }
  }
  target.host = text;
  if (const auto good = check_ssh_target(target); !good)
    return tl::unexpected<Error>(good.error());
  return target;
}

std::vector<std::string> ssh_arguments(const SshTarget& target, const SshIdentity& identity,
                                       int connect_timeout_s) {
  std::vector<std::string> argv{"ssh", "-T"};
  const auto option = [&](const std::string& text) {
    argv.emplace_back("-o");
    argv.push_back(text);
  };
  if (!identity.key_file.empty()) {
    argv.insert(argv.end(), {"-F", "none", "-i", identity.key_file});
    option("IdentitiesOnly=yes");
    option("IdentityAgent=none");
    option("UserKnownHostsFile=\"" + identity.known_hosts_file + "\"");
    option("GlobalKnownHostsFile=/dev/null");
    option("HostKeyAlias=" + identity.host_key_alias);
    option(std::string("StrictHostKeyChecking=") + (identity.met_before ? "yes" : "accept-new"));
    option("CheckHostIP=no");
    option("UpdateHostKeys=no");
    option("PreferredAuthentications=publickey");
    option("PasswordAuthentication=no");
    option("KbdInteractiveAuthentication=no");
  }
  option("BatchMode=yes");
  option("ForwardAgent=no");
  option("ForwardX11=no");
  option("ClearAllForwardings=yes");
  option("PermitLocalCommand=no");
  option("RequestTTY=no");
  option("RemoteCommand=none");
  option("LogLevel=ERROR");
  option("ConnectTimeout=" + std::to_string(connect_timeout_s));
  option("ServerAliveInterval=15");
  option("ServerAliveCountMax=4");
  if (target.port != 0) argv.insert(argv.end(), {"-p", std::to_string(target.port)});
  if (!target.user.empty()) argv.insert(argv.end(), {"-l", target.user});
  argv.insert(argv.end(), {"--", target.host});
  return argv;
}

}  // namespace gpuready::net
