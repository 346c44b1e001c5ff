#include "host/attached_command.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>

namespace gpuready::host {

namespace {

std::atomic<pid_t> attached_group{0};
std::atomic<int> forwarded{0};

constexpr int shell_signal_base = 128;

/// Whether our process group has the terminal of standard input, and so may lend it.
bool owns_terminal() { return ::isatty(0) != 0 && ::tcgetpgrp(0) == ::getpgrp(); }

/// Gives the terminal to a group; a group in the background may do so only with SIGTTOU ignored.
void give_terminal(pid_t group) {
  const auto before = ::signal(SIGTTOU, SIG_IGN);
  ::tcsetpgrp(0, group);
  ::signal(SIGTTOU, before);
}

[[noreturn]] void become(const std::string& command, bool output_to_errors, bool lend) {
  ::setpgid(0, 0);
  if (lend) give_terminal(::getpid());
  if (output_to_errors) ::dup2(2, 1);
  for (const int ignored : {SIGPIPE, SIGXFSZ}) ::signal(ignored, SIG_DFL);
  ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
  constexpr int cannot_execute = 126;
  ::_exit(cannot_execute);
}

/// Waits for its end. Stopped by Ctrl-Z it goes on: nobody could wake it.
int wait_for_end(pid_t pid) {
  int status = 0;
  for (;;) {
    const pid_t done = ::waitpid(pid, &status, WUNTRACED);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return 0;
    if (!WIFSTOPPED(status)) return status;
    if (WSTOPSIG(status) == SIGTSTP) ::kill(-pid, SIGCONT);
  }
}

CommandResult result_of(int status) {
  if (const int signal = forwarded.load(); signal != 0) return {End::signalled, signal, "", ""};
  if (WIFSIGNALED(status)) return {End::signalled, WTERMSIG(status), "", ""};
  // A shell tells so that the command it waited for was ended by Ctrl-C.
  if (WEXITSTATUS(status) == shell_signal_base + SIGINT) return {End::signalled, SIGINT, "", ""};
  return {End::exited, WEXITSTATUS(status), "", ""};
}

}  // namespace

CommandResult run_attached(const std::string& command, bool output_to_errors) {
  const bool lend = owns_terminal();
  forwarded = 0;
  const pid_t pid = ::fork();
  if (pid < 0) return {End::not_started, errno, "", ""};
  if (pid == 0) become(command, output_to_errors, lend);
  ::setpgid(pid, pid);  // as the child does: whoever comes first
  attached_group = pid;
  const int status = wait_for_end(pid);
  attached_group = 0;
  if (lend) give_terminal(::getpgrp());
  return result_of(status);
}

bool forward_to_attached(int signal) {
  const pid_t group = attached_group.load();
  if (group <= 0) return false;
  forwarded = signal;
  ::kill(-group, signal);
  return true;
}

}  // namespace gpuready::host
