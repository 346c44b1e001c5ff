#pragma once
/// What the three servers share: time, requests and replies, scripted faults, the log. Knows no
/// provider and no socket.

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace gpuready::cloud::servers {

using base::Json;

/// The server's own time in seconds since 1970. It runs `speed` times as fast as the computer's,
/// and jumps when it is told to.
class Clock {
 public:
  explicit Clock(double speed) : speed_(speed) {}
  double now_s();
  void advance(double seconds);
  [[nodiscard]] double speed() const { return speed_; }

 private:
  std::mutex mutex_;
  double speed_;
  double jumped_ = 0;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

struct Request {
  std::string method, path;
  std::map<std::string, std::string> query;
  std::string authorization;  ///< the header's value
  std::string body;
};

struct Reply {
  int status = 200;
  std::string body;
  std::string type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;
  double delay_s = 0;       ///< waits so long (real time) before it is sent
  bool drops = false;       ///< the connection closes without a byte
  bool breaks_off = false;  ///< less is sent than the header says
};

Reply json_reply(int status, const Json& body, const std::string& type = "application/json");

/// What goes wrong, at which call. README.md lists the words.
struct ScriptedFault {
  std::string on;          ///< offers, list, get, create, destroy, ssh-keys, ..., any
  std::int64_t nth = 1;    ///< at the nth such call from now on
  std::int64_t times = 1;  ///< for so many calls; 0: for ever
  std::string fault;
  Json more;  ///< the whole order, for what some faults need besides
};

/// The faults that are waiting, in order.
class FaultScript {
 public:
  void add(ScriptedFault fault) { waiting_.push_back(std::move(fault)); }
  void clear() { waiting_.clear(); }
  /// The fault for this call, if any: counts the call.
  std::optional<ScriptedFault> take(const std::string& operation);
  [[nodiscard]] Json shown() const;

 private:
  std::vector<ScriptedFault> waiting_;
};

/// A limit that is a least interval between two calls of one group.
class IntervalLimit {
 public:
  /// Whether a call now is too early; one that isn't counts.
  bool is_too_early(const std::string& group, double interval_s, double now_s);

 private:
  std::map<std::string, double> last_;
};

/// The reply for a fault that happens before the call is carried out; nothing where the fault is of
/// another kind. `trap_url`: where redirects lead.
std::optional<Reply> fault_before(const ScriptedFault& fault, const Request& request,
                                  const std::string& trap_url);
/// What a fault makes of a reply to a call that was carried out.
Reply fault_after(const ScriptedFault& fault, Reply reply);

/// Parts of a path without empty ones.
std::vector<std::string> parts_of(const std::string& path);

}  // namespace gpuready::cloud::servers
