#include "net/ssh_answer.hpp"

#include <array>

#include "base/text.hpp"

namespace gpuready::net {

namespace {

/// OpenSSH exits with 255 for every failure of its own; what happened is told on standard error
/// alone (ssh.c, sshconnect.c, sshconnect2.c, packet.c and clientloop.c of OpenSSH 7 to 10).
struct Sentence {
  std::string_view part;
  SshEnd end;
};
constexpr std::array<Sentence, 21> sentences{{
    {"REMOTE HOST IDENTIFICATION HAS CHANGED", SshEnd::wrong_host_key},
    {"Host key for", SshEnd::wrong_host_key},
    {"Host key verification failed", SshEnd::unknown_host_key},
    {"host key is known for", SshEnd::unknown_host_key},
    {"Could not resolve hostname", SshEnd::no_such_host},
    {"Permission denied (", SshEnd::denied},
    {"Too many authentication failures", SshEnd::denied},
    {"No supported authentication methods", SshEnd::denied},
    {"Connection refused", SshEnd::unreachable},
    {"No route to host", SshEnd::unreachable},
    {"Network is unreachable", SshEnd::unreachable},
    {"Connection timed out", SshEnd::timed_out},
    {"Operation timed out", SshEnd::timed_out},
    {"timed out during banner exchange", SshEnd::timed_out},
    {"not responding", SshEnd::dropped},
    {"Connection reset", SshEnd::dropped},
    {"Broken pipe", SshEnd::dropped},
    {"closed by remote host", SshEnd::dropped},
    {"Connection closed", SshEnd::dropped},
    {"connection unexpectedly closed", SshEnd::dropped},
    {"Connection to", SshEnd::dropped},
}};

SshEnd judge(std::string_view errors) {
  for (const Sentence& sentence : sentences)
    if (base::contains(errors, sentence.part)) return sentence.end;
  return SshEnd::unreachable;
}

/// The last line that says something, fit for people.
std::string last_line(std::string_view text) {
  constexpr std::size_t longest = 200;
  std::string found;
  for (const std::string& line : base::split_lines(text))
    if (const std::string shown = base::printable(base::trim(line)); !shown.empty()) found = shown;
  return found.substr(0, longest);
}

std::string reason(SshEnd end, const SshTarget& target, const std::string& told) {
  const std::string who = target.shown();
  const std::string quoted = told.empty() ? "" : " (" + told + ")";
  switch (end) {
    case SshEnd::unreachable:
      return who + ": no SSH connection" + quoted;
    case SshEnd::no_such_host:
      return who + ": no such host" + quoted;
    case SshEnd::denied:
      return who + ": the login was denied" + quoted +
             "; gpuready asks for no password: a key must be set up (ssh-copy-id)";
    case SshEnd::wrong_host_key:
      return who + ": shows another host key than before, so it may be another machine; if that is "
                   "right, remove the old key with ssh-keygen -R";
    case SshEnd::unknown_host_key:
      return who + ": its host key is not known yet; connect once with ssh and accept it" + quoted;
    case SshEnd::dropped:
      return who + ": the connection broke" + quoted;
    case SshEnd::timed_out:
      return who + ": no answer in time" + quoted;
    case SshEnd::no_shell:
      return who + ": logged in, but no command can be run there" + quoted;
    case SshEnd::too_much:
      return who + ": printed more than an answer can be long";
    case SshEnd::no_ssh:
      return "no OpenSSH client here: install openssh-client" + quoted;
    case SshEnd::done:
    case SshEnd::refused:
      break;
  }
  return who + quoted;
}

SshEnd end_of(const host::CommandResult& result, bool begun, bool too_much) {
  if (result.end == host::End::not_started) return SshEnd::no_ssh;
  if (too_much) return SshEnd::too_much;
  if (result.end == host::End::timed_out) return SshEnd::timed_out;
  if (begun || result.end == host::End::signalled) return SshEnd::dropped;
  constexpr int own_failure = 255;
  return result.code == own_failure ? judge(result.errors) : SshEnd::no_shell;
}

}  // namespace

std::string wrap_ssh_command(const SshMarks& marks, const std::string& command) {
  const std::string print = marks.half + " " + marks.other_half;
  return "sh -c " +
         base::shell_word("printf '\\n%s%s\\n' " + print + "\n(\n" + command +
                          "\n)\nc=$?\nprintf '\\n%s%s %s\\n' " + print + " $c\nexit $c");
}

SshResult read_ssh_answer(const host::CommandResult& result, const SshMarks& marks,
                          const SshTarget& target, std::size_t max_output_bytes) {
  SshResult answer;
  answer.errors = result.errors;
  const std::string begin = "\n" + marks.line() + "\n", end = "\n" + marks.line() + " ";
  const std::size_t from = result.output.find(begin);
  const bool begun = from != std::string::npos;
  const std::size_t start = begun ? from + begin.size() : 0;
  // From the end: the command itself knows the line no more than anybody else, but costs nothing.
  const std::size_t to = begun ? result.output.rfind(end) : std::string::npos;
  if (begun && to != std::string::npos && to + 1 >= start) {
    const auto told = base::trim(std::string_view(result.output).substr(to + end.size()));
    const auto code = base::to_integer(told.substr(0, told.find('\n')));
    answer.output = to > start ? result.output.substr(start, to - start) : std::string();
    answer.code = static_cast<int>(code.value_or(-1));
    answer.end = SshEnd::done;
    if (answer.output.size() <= max_output_bytes && code) return answer;
  }
  const bool too_much = result.output.size() > max_output_bytes;
  answer.output.clear();
  answer.end = end_of(result, begun, too_much);
  const bool silent = result.errors.find_first_not_of(" \r\n\t") == std::string::npos;
  const std::string_view told = answer.end == SshEnd::no_shell && silent
                                    ? std::string_view(result.output)
                                    : std::string_view(result.errors);
  answer.why = reason(answer.end, target, last_line(told));
  return answer;
}

}  // namespace gpuready::net
