#pragma once
/// Starts the executable cloud_server, orders faults, and ends it.

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "host/real_host.hpp"
#include "net/curl_http.hpp"

namespace gpuready::cloud {

class CloudServers {
 public:
  explicit CloudServers(std::vector<std::string> options = {}) {
    std::array<int, 2> in{}, out{};
    if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) return;
    options.insert(options.begin(), GPUREADY_CLOUD_SERVER);
    std::vector<char*> argv;
    for (std::string& option : options) argv.push_back(option.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      ::execv(GPUREADY_CLOUD_SERVER, argv.data());
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    input_ = in[1];
    FILE* told = ::fdopen(out[0], "r");
    std::array<char, 4096> line{};
    if (std::fgets(line.data(), line.size(), told) != nullptr)
      if (auto json = base::parse_json(line.data())) places_ = *json;
    std::fclose(told);
    if (auto http = net::make_curl_http(*host_)) http_ = std::move(*http);
  }
  CloudServers(const CloudServers&) = delete;
  CloudServers& operator=(const CloudServers&) = delete;
  ~CloudServers() {
    ::close(input_);  // it ends with its input
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  }

  [[nodiscard]] bool ready() const { return places_.is_object() && http_ != nullptr; }
  /// Of "lambda", "runpod", "vast", "trap".
  [[nodiscard]] std::string url(const std::string& name) const { return places_.at(name); }
  [[nodiscard]] std::string key(const std::string& name) const { return places_.at(name + "_key"); }

  base::Json control(const std::string& name, const std::string& path, const base::Json& body) {
    net::HttpRequest request;
    request.method = "POST", request.url = url(name) + path;
    request.body = base::dump_json(body, false);
    return answer(request);
  }
  /// "bill", "machines", "log".
  base::Json told(const std::string& name, const std::string& what) {
    net::HttpRequest request;
    request.url = url(name) + "/_control/" + what;
    return answer(request);
  }
  void fault(const std::string& name, const std::string& on, const std::string& fault,
             int times = 1) {
    control(name, "/_control", {{"on", on}, {"fault", fault}, {"times", times}});
  }
  void set(const std::string& name, const base::Json& settings) {
    control(name, "/_control/settings", settings);
  }
  void advance(double seconds) { control("lambda", "/_control/advance", {{"seconds", seconds}}); }
  void reset() {
    for (const char* name : {"lambda", "runpod", "vast"})
      control(name, "/_control/reset", base::Json::object());
  }

 private:
  base::Json answer(const net::HttpRequest& request) {
    const auto response = http_->exchange(request);
    if (!response) return {};
    const auto json = base::parse_json(response->body);
    return json ? *json : base::Json();
  }

  pid_t pid_ = -1;
  int input_ = -1;
  base::Json places_;
  std::unique_ptr<host::Host> host_ = host::make_real_host();
  std::unique_ptr<net::Http> http_;
};

}  // namespace gpuready::cloud
