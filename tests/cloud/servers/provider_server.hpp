#pragma once
/// One provider's server without its socket: requests in, replies out.

#include <mutex>
#include <string>
#include <vector>

#include "tests/cloud/servers/world.hpp"

namespace gpuready::cloud::servers {

/// A machine that the server rents out. Times are the server's, in seconds.
struct Machine {
  std::string id, name, gpu, region;
  std::int64_t gpu_count = 1;
  double usd_per_hour = 0, storage_usd_per_hour = 0;
  double created_at = 0;
  double ended_at = 0;  ///< when it was asked to end; 0: not yet
  bool stranger = false;
  std::vector<std::string> keys;  ///< SSH public keys that it takes
  Json request;                   ///< what it was made from
  std::int64_t looked_at = 0;     ///< how often it was asked for
};

struct SshKeyRow {
  std::string id, name, key;
};

/// Where the machine's sshd really listens, for tests that have one.
struct SshPlace {
  std::string host = "127.0.0.1";
  int port = 22;
};

class ProviderServer {
 public:
  ProviderServer(Clock& clock, std::string key) : clock_(clock), key_(std::move(key)) {}
  ProviderServer(const ProviderServer&) = delete;
  ProviderServer& operator=(const ProviderServer&) = delete;
  virtual ~ProviderServer() = default;

  /// Carries the request out, with the faults that were ordered. Any thread.
  Reply handle(const Request& request);
  /// The paths below /_control.
  Reply control(const Request& request);

  void set_trap(std::string url) { trap_url_ = std::move(url); }
  /// A machine of somebody else.
  void add_stranger(const std::string& name);

 protected:
  /// Which of the words of README.md this call is.
  [[nodiscard]] virtual std::string operation_of(const Request& request) const = 0;
  /// Under the lock.
  virtual Reply answer(const Request& request) = 0;
  [[nodiscard]] virtual Reply unknown_key() const = 0;
  [[nodiscard]] virtual Reply too_many() = 0;
  [[nodiscard]] virtual bool is_too_often(const std::string& operation) = 0;
  [[nodiscard]] virtual bool needs_key(const std::string& operation) const;
  /// A fault of this provider alone; nothing where the word isn't one.
  virtual std::optional<Reply> own_fault(const ScriptedFault& fault, const Request& request) = 0;
  virtual Machine stranger() = 0;
  [[nodiscard]] virtual double bill_usd(const Machine& machine, double now_s) const = 0;
  [[nodiscard]] virtual bool is_gone(const Machine& machine, double now_s) const = 0;
  [[nodiscard]] virtual std::string state_of(const Machine& machine, double now_s) const = 0;
  [[nodiscard]] virtual bool runs(const Machine& machine, double now_s) const = 0;

  [[nodiscard]] double now_s() { return clock_.now_s(); }
  /// A setting, or its usual value.
  [[nodiscard]] double number(const std::string& name, double usual) const;
  [[nodiscard]] std::string text(const std::string& name, const std::string& usual) const;
  Machine* find(const std::string& id);
  std::string new_id(int digits);
  std::int64_t next_number() { return ++counter_; }
  /// Forgets machines that have ended; what they cost is kept.
  void sweep();

  Clock& clock_;
  std::string key_;
  std::vector<Machine> machines_;
  std::vector<SshKeyRow> keys_;
  SshPlace ssh_;
  IntervalLimit intervals_;

 private:
  Reply carry_out(const Request& request, const std::string& operation);
  void note(const Request& request, const std::string& operation, const Reply& reply);
  void write_authorized_keys();
  Json bill();
  Json machines();
  Reply change_settings(const Json& settings);

  std::mutex mutex_;
  std::string trap_url_, authorized_keys_file_;
  FaultScript script_;
  Json settings_ = Json::object();
  Json log_ = Json::array();
  Json closed_ = Json::array();  ///< bills of machines that are gone
  double closed_usd_ = 0;
  std::int64_t counter_ = 0;
};

}  // namespace gpuready::cloud::servers
