#include "host/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace gpuready::host {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_children = 32;
std::array<std::atomic<pid_t>, most_children> running_groups{};
/// Set once all children were killed: one that was just being started must not outlive that.
std::atomic<bool> all_are_killed{false};

void remember_group(pid_t pid) {
  for (auto& slot : running_groups) {
    pid_t none = 0;
    if (slot.compare_exchange_strong(none, pid)) return;
  }
}

void forget_group(pid_t pid) {
  for (auto& slot : running_groups) {
    pid_t found = pid;
    if (slot.compare_exchange_strong(found, 0)) return;
  }
}

void close_fd(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

struct Child {
  pid_t pid = -1;
  int in = -1, out = -1, err = -1;
  std::size_t written = 0;
  Clock::time_point deadline;
  bool reaped = false;
  CommandResult result;
};

std::vector<std::string> child_environment(const Command& command) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (command.environment.count(text.substr(0, text.find('='))) == 0) entries.push_back(text);
  }
  for (const auto& [name, value] : command.environment)
    if (value) entries.push_back(name + "=" + *value);
  return entries;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

/// Spawns with stdin, stdout and stderr on pipes, in a group of its own.
int spawn(const Command& command, std::array<int, 6>& fds, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fds[0], 0);
  posix_spawn_file_actions_adddup2(&actions, fds[3], 1);
  posix_spawn_file_actions_adddup2(&actions, fds[5], 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) sigaddset(&defaults, signal);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> argv = command.argv, environment = child_environment(command);
  const int error = ::posix_spawnp(&pid, argv[0].c_str(), &actions, &attributes,
                                   pointers(argv).data(), pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

Child start(const Command& command) {
  Child child;
  child.deadline = Clock::now() + command.deadline;
  std::array<int, 6> fds{-1, -1, -1, -1, -1, -1};
  int error = command.argv.empty() ? EINVAL : 0;
  for (std::size_t i = 0; i < 6 && error == 0; i += 2)
    if (::pipe2(&fds[i], O_CLOEXEC) != 0) error = errno;
  if (error == 0) error = spawn(command, fds, child.pid);
  close_fd(fds[0]), close_fd(fds[3]), close_fd(fds[5]);
  if (error != 0) {
    close_fd(fds[1]), close_fd(fds[2]), close_fd(fds[4]);
    child.result = {End::not_started, error, "", std::strerror(error)};
    child.reaped = true;
    return child;
  }
  remember_group(child.pid);
  if (all_are_killed) ::kill(-child.pid, SIGKILL);
  child.in = fds[1], child.out = fds[2], child.err = fds[4];
  for (const int fd : {child.in, child.out, child.err}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
  return child;
}

void feed(Child& child, const Command& command) {
  const std::string& input = command.input;
  const ssize_t put = ::write(child.in, input.data() + child.written, input.size() - child.written);
  if (put > 0) child.written += static_cast<std::size_t>(put);
  const bool blocked = put < 0 && (errno == EAGAIN || errno == EINTR);
  if (child.written == input.size() || (put < 0 && !blocked)) close_fd(child.in);
}

void drain(int& fd, std::string& into, std::size_t most) {
  std::array<char, 65536> buffer;
  constexpr int most_reads = 64;  // so that a child that floods us still meets its deadline
  for (int reads = 0; fd >= 0 && reads < most_reads; ++reads) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got > 0) {
      const std::size_t room = most > into.size() ? most - into.size() : 0;
      into.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else {
      if (got == 0 || errno != EAGAIN) close_fd(fd);
      return;
    }
  }
}

void reap(Child& child, bool wait) {
  int status = 0;
  pid_t done = 0;
  do {
    done = ::waitpid(child.pid, &status, wait ? 0 : WNOHANG);
  } while (done < 0 && errno == EINTR);
  if (done == 0) return;
  child.reaped = true;
  forget_group(child.pid);
  if (child.result.end == End::timed_out) return;
  if (done > 0 && WIFSIGNALED(status)) {
    child.result.end = End::signalled, child.result.code = WTERMSIG(status);
  } else {
    child.result.end = End::exited, child.result.code = done > 0 ? WEXITSTATUS(status) : 0;
  }
}

/// Kills the group. A child in uninterruptible sleep cannot be reaped; it isn't waited for.
void give_up(Child& child) {
  child.result.end = End::timed_out;
  ::kill(-child.pid, SIGKILL);
  close_fd(child.in), close_fd(child.out), close_fd(child.err);
  for (int i = 0; i < 20 && !child.reaped; ++i) {
    reap(child, false);
    if (!child.reaped) ::poll(nullptr, 0, 5);
  }
  if (!child.reaped) forget_group(child.pid);
  child.reaped = true;
}

void wait_for_activity(std::vector<Child>& children) {
  constexpr long slice_ms = 20;
  std::vector<pollfd> fds;
  long timeout_ms = slice_ms;
  for (const Child& child : children) {
    if (child.reaped) continue;
    if (child.in >= 0) fds.push_back({child.in, POLLOUT, 0});
    if (child.out >= 0) fds.push_back({child.out, POLLIN, 0});
    if (child.err >= 0) fds.push_back({child.err, POLLIN, 0});
    if (child.out < 0 && child.err < 0) timeout_ms = 1;  // only its end is waited for
  }
  ::poll(fds.data(), fds.size(), static_cast<int>(timeout_ms));
}

void drain_both(Child& child, const Command& command) {
  drain(child.out, child.result.output, command.max_output_bytes);
  const std::size_t before = child.result.errors.size();
  drain(child.err, child.result.errors, command.max_output_bytes);
  const auto fresh = std::string_view(child.result.errors).substr(before);
  if (command.on_errors && !fresh.empty()) command.on_errors(fresh);
}

void serve(Child& child, const Command& command) {
  if (child.in >= 0) feed(child, command);
  drain_both(child, command);
  reap(child, false);
  if (child.reaped) {
    drain_both(child, command);
    close_fd(child.in), close_fd(child.out), close_fd(child.err);
  } else if (Clock::now() >= child.deadline) {
    give_up(child);
  }
}

}  // namespace

std::vector<CommandResult> run_children(const std::vector<Command>& commands) {
  std::vector<Child> children;
  for (const Command& command : commands) children.push_back(start(command));
  const auto busy = [](const Child& child) { return !child.reaped; };
  while (std::ranges::any_of(children, busy)) {
    wait_for_activity(children);
    for (std::size_t i = 0; i < children.size(); ++i)
      if (!children[i].reaped) serve(children[i], commands[i]);
  }
  std::vector<CommandResult> results;
  for (Child& child : children) {
    if (child.pid > 0) ::waitpid(child.pid, nullptr, WNOHANG);  // one given up may be dead by now
    results.push_back(std::move(child.result));
  }
  return results;
}

void kill_running_children() {
  all_are_killed = true;
  for (auto& slot : running_groups) {
    const pid_t pid = slot.load();
    if (pid > 0) ::kill(-pid, SIGKILL);
  }
}

void allow_children() { all_are_killed = false; }

std::string describe(const CommandResult& result, const Command& command) {
  switch (result.end) {
    case End::exited:
      return "exited with status " + std::to_string(result.code);
    case End::signalled:
      return "killed by signal " + std::to_string(result.code) + " (" + ::strsignal(result.code) +
             ")";
    case End::timed_out:
      return "gave no answer within " + std::to_string((command.deadline.count() + 999) / 1000) +
             " s";
    case End::not_started:
      return std::string("could not be started: ") + std::strerror(result.code);
  }
  return {};
}

}  // namespace gpuready::host
