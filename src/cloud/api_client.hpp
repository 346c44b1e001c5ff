#pragma once
/// One call of a provider's interface: our own pace, repeats where they do no harm, JSON, faults.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cloud/fields.hpp"
#include "cloud/provider.hpp"

namespace gpuready::cloud {

struct ApiRequest {
  std::string method = "GET";
  std::string path;  ///< with the query; begins with a slash
  std::string body;  ///< JSON; may be empty
  /// Least time since the last call of this group, in seconds.
  std::string group;
  double interval_s = 0;
  /// May be carried out twice. GET and DELETE are so anyway.
  bool repeatable = false;
  std::int64_t max_bytes = std::int64_t{4} << 20U;
  std::chrono::milliseconds deadline{30000};
};

struct ApiReply {
  int status = 0;
  Json json;           ///< null where the body was empty or no JSON
  bool empty = false;  ///< there was no body
  bool is_json = false;
};

class ApiClient {
 public:
  /// What a status outside 200 to 299 means to this provider; nothing: the usual meaning.
  using Judge = std::function<std::optional<Fault>(const ApiReply& reply)>;

  ApiClient(Access access, std::string name, Judge judge)
      : access_(std::move(access)), name_(std::move(name)), judge_(std::move(judge)) {}

  /// A reply of status 200 to 299 with JSON or without a body, or a fault.
  Answer<ApiReply> call(const ApiRequest& request);
  /// The same where a body must come.
  Answer<Json> ask(const ApiRequest& request);

  /// "lambda: what", a fault of an answer that is not what was promised.
  [[nodiscard]] Fault garbled(std::string_view what) const;
  /// The provider's words, fit to be shown: one line, no control characters, no key, no page.
  [[nodiscard]] std::string shown(std::string_view text) const;

  [[nodiscard]] const Access& access() const { return access_; }

 private:
  void wait_for_turn(const ApiRequest& request);
  [[nodiscard]] Fault lost(const Error& error, const ApiRequest& request) const;
  [[nodiscard]] Fault usual_fault(const ApiReply& reply, const net::HttpResponse& response) const;

  Access access_;
  std::string name_;
  Judge judge_;
  std::map<std::string, double> last_call_s_;
};

}  // namespace gpuready::cloud
