#pragma once
/// Asks the fake vendor libraries in forks of the test itself: a case costs a few milliseconds, so
/// that tables of many calls and codes stay affordable. The test must not load the fakes itself.

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "host/real_host.hpp"
#include "probe/vendor_child.hpp"
#include "tests/fakes/fakes.hpp"

namespace gpuready::fakes {

inline void write_whole(int fd, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(fd, text.data() + done, text.size() - done);
    if (wrote <= 0) ::_exit(98);
    done += static_cast<std::size_t>(wrote);
  }
}

/// In the fork: the answer as the child `gpuready __probe WHAT` writes it.
[[noreturn]] inline void answer_into(int fd, const std::string& what, const std::string& script,
                                     const std::string& libraries) {
  ::setenv("GPUREADY_LIBRARY_PATH", libraries.c_str(), 1);
  ::setenv("GPUREADY_FAKE_SCRIPT", script.c_str(), 1);
  const auto host = host::make_real_host();
  const auto emit = [&](const std::string& line) { write_whole(fd, line + "\n"); };
  write_whole(fd, probe::answer_as_json(*host, what, emit) + "\n");
  ::_exit(0);
}

/// `script`: the path of the fakes' script. Not for scripts that hang.
inline host::CommandResult ask_forked(const std::string& what, const std::string& script,
                                      const std::string& libraries = GPUREADY_FAKES_DIR) {
  host::CommandResult result;
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return result;
  const pid_t pid = ::fork();
  if (pid == 0) answer_into(ends[1], what, script, libraries);
  ::close(ends[1]);
  std::array<char, 65536> buffer{};
  for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
    result.output.append(buffer.data(), static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(pid, &status, 0);
  result.end = WIFSIGNALED(status) ? host::End::signalled : host::End::exited;
  result.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

}  // namespace gpuready::fakes
