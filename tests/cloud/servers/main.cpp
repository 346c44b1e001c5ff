/// Serves the three providers on loopback ports. README.md tells how to drive it.

#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <iostream>
#include <iterator>
#include <memory>
#include <thread>

#include "tests/cloud/servers/lambda_server.hpp"
#include "tests/cloud/servers/runpod_server.hpp"
#include "tests/cloud/servers/vast_server.hpp"

namespace gpuready::cloud::servers {
namespace {

constexpr int most_threads = 32;

/// Closes the connection that a request came by: the socket is found by its other end's port.
void drop_connection(const httplib::Request& request) {
  constexpr int most_files = 4096;
  for (int fd = 3; fd < most_files; ++fd) {
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == 0 &&
        peer.sin_family == AF_INET && ntohs(peer.sin_port) == request.remote_port)
      ::shutdown(fd, SHUT_RDWR);
  }
}

Request request_of(const httplib::Request& from) {
  Request request;
  request.method = from.method, request.path = from.path, request.body = from.body;
  request.authorization = from.get_header_value("Authorization");
  for (const auto& [name, value] : from.params) request.query[name] = value;
  return request;
}

void send(const httplib::Request& request, const Reply& reply, httplib::Response& response) {
  if (reply.delay_s > 0) std::this_thread::sleep_for(std::chrono::duration<double>(reply.delay_s));
  if (reply.drops) return drop_connection(request);
  response.status = reply.status;
  for (const auto& [name, value] : reply.headers) response.set_header(name, value);
  if (reply.breaks_off) {
    response.set_content_provider(
        reply.body.size() + 100, reply.type,
        [body = reply.body](std::size_t offset, std::size_t /*length*/, httplib::DataSink& sink) {
          if (offset > 0) return false;
          return sink.write(body.data(), body.size());
        });
  } else if (!reply.body.empty()) {
    response.set_content(reply.body, reply.type);
  }
}

/// A socket, its thread, and the provider behind it.
class Socket {
 public:
  explicit Socket(ProviderServer& provider) {
    route([&provider](const httplib::Request& from, httplib::Response& to) {
      const Request request = request_of(from);
      const bool control = request.path.rfind("/_control", 0) == 0;
      send(from, control ? provider.control(request) : provider.handle(request), to);
    });
  }
  /// Where redirects lead: notes what came, and whether a credential came with it.
  explicit Socket(Json& trapped) {
    route([this, &trapped](const httplib::Request& from, httplib::Response& to) {
      const std::lock_guard<std::mutex> hold(mutex_);
      if (from.path == "/_control/log") return to.set_content(trapped.dump(), "application/json");
      trapped.push_back(Json{{"path", from.path},
                             {"credential", from.has_header("Authorization") ? "some" : "none"}});
      to.set_content("{}", "application/json");
    });
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  void route(const httplib::Server::Handler& handler) {
    server_.Get(".*", handler), server_.Post(".*", handler);
    server_.Put(".*", handler), server_.Delete(".*", handler);
    server_.set_keep_alive_max_count(1);
    server_.new_task_queue = [] { return new httplib::ThreadPool(most_threads); };
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
  }

  httplib::Server server_;
  std::mutex mutex_;
  std::thread thread_;
  int port_ = 0;
};

struct Arguments {
  double speed = 1;
  std::int64_t offers = 40, strangers = 3;
  std::string lambda_key = "marker-lambda-key-0123456789",
              runpod_key = "marker-runpod-key-0123456789", vast_key = "marker-vast-key-0123456789";
};

/// Pairs of a name and a value.
Arguments read_arguments(int argc, char** argv) {
  Arguments out;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--speed") out.speed = std::stod(value);
    if (name == "--offers") out.offers = std::stoll(value);
    if (name == "--strangers") out.strangers = std::stoll(value);
    if (name == "--lambda-key") out.lambda_key = value;
    if (name == "--runpod-key") out.runpod_key = value;
    if (name == "--vast-key") out.vast_key = value;
  }
  return out;
}

/// Names that look like ours, and are not.
void add_strangers(ProviderServer& server, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    server.add_stranger(i % 3 == 0   ? "prod-training-" + number
                        : i % 3 == 1 ? "gpuready"
                                     : "my-gpuready-box-" + number);
  }
}

int serve(const Arguments& arguments) {
  Clock clock(arguments.speed);
  LambdaServer lambda(clock, arguments.lambda_key);
  RunpodServer runpod(clock, arguments.runpod_key);
  VastServer vast(clock, arguments.vast_key, arguments.offers);
  Json trapped = Json::array();
  Socket trap(trapped), lambda_socket(lambda), runpod_socket(runpod), vast_socket(vast);
  for (ProviderServer* server :
       {static_cast<ProviderServer*>(&lambda), static_cast<ProviderServer*>(&runpod),
        static_cast<ProviderServer*>(&vast)}) {
    server->set_trap(trap.url());
    add_strangers(*server, arguments.strangers);
  }
  std::cout << Json{{"lambda", lambda_socket.url()},      {"runpod", runpod_socket.url()},
                    {"vast", vast_socket.url()},          {"trap", trap.url()},
                    {"lambda_key", arguments.lambda_key}, {"runpod_key", arguments.runpod_key},
                    {"vast_key", arguments.vast_key}}
                   .dump()
            << std::endl;
  const std::string until_it_closes(std::istreambuf_iterator<char>(std::cin), {});
  return 0;
}

}  // namespace
}  // namespace gpuready::cloud::servers

int main(int argc, char** argv) {
  return gpuready::cloud::servers::serve(gpuready::cloud::servers::read_arguments(argc, argv));
}
