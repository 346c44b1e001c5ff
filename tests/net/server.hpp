#pragma once
/// Starts tests/net/server.py and ends it.

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

namespace gpuready::net {

class Server {
 public:
  /// `folder`: models that it serves as a Hub does; may be empty.
  explicit Server(const std::string& folder = "") {
    std::array<int, 2> in{}, out{};
    if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      const std::string script = std::string(GPUREADY_SOURCE_DIR) + "/tests/net/server.py";
      ::execl("/usr/bin/python3", "python3", script.c_str(),
              folder.empty() ? nullptr : folder.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    input_ = in[1];
    FILE* told = ::fdopen(out[0], "r");
    int port = 0, second = 0;
    if (std::fscanf(told, "%d %d", &port, &second) == 2) {
      url = "http://127.0.0.1:" + std::to_string(port);
      other_url = "http://127.0.0.1:" + std::to_string(second);
    }
    std::fclose(told);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() {
    ::close(input_);  // it ends with its input
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  }

  std::string url, other_url;  ///< without a slash at the end

 private:
  pid_t pid_ = -1;
  int input_ = -1;
};

}  // namespace gpuready::net
