#include "cloud/api_client.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "net/retry.hpp"
#include "net/url.hpp"

namespace gpuready::cloud {

namespace {

constexpr int ok_first = 200, ok_last = 299, redirect_first = 300, redirect_last = 399;
constexpr int unauthorised = 401, no_money = 402, forbidden = 403, not_found = 404, retired = 410,
              too_many = 429, server_fault = 500;
/// CURLE_PARTIAL_FILE and CURLE_WRITE_ERROR: an answer began, and is of no use.
constexpr int broken_off = 18, too_long = 23;
constexpr std::size_t longest_shown = 200;
/// Shorter ones are no keys, and would hide harmless letters.
constexpr std::size_t shortest_key = 8;

ApiReply reply_of(const net::HttpResponse& response) {
  ApiReply reply;
  reply.status = response.status;
  reply.empty = base::trim(response.body).empty();
  if (reply.empty) return reply;
  auto json = base::parse_json(response.body);
  reply.is_json = json.has_value();
  if (json) reply.json = std::move(*json);
  return reply;
}

bool is_repeatable(const ApiRequest& request) {
  return request.repeatable || request.method == "GET" || request.method == "DELETE";
}

FaultKind usual_kind(int status) {
  if (status == unauthorised) return FaultKind::bad_key;
  if (status == no_money) return FaultKind::no_money;
  if (status == forbidden) return FaultKind::forbidden;
  if (status == too_many) return FaultKind::rate_limited;
  if (status == retired) return FaultKind::too_old;
  return status >= server_fault ? FaultKind::server : FaultKind::refused;
}

const char* usual_words(FaultKind kind) {
  switch (kind) {
    case FaultKind::bad_key:
      return "the API key is not accepted";
    case FaultKind::no_money:
      return "the account has no balance left; top it up";
    case FaultKind::forbidden:
      return "the API key may not do this; give it the permission, or take another";
    case FaultKind::rate_limited:
      return "asked too often; wait a minute";
    case FaultKind::too_old:
      return "this gpuready is older than the interface, which was retired; install a newer one";
    case FaultKind::server:
      return "a fault at the provider; try again later";
    default:
      return "refused";
  }
}

}  // namespace

std::string ApiClient::shown(std::string_view text) const {
  std::string out = base::printable(text.substr(0, 2 * longest_shown));
  const std::string& key = access_.key.reveal();
  for (std::size_t at = 0;
       key.size() >= shortest_key && (at = out.find(key, at)) != std::string::npos;)
    out.replace(at, key.size(), net::Secret::shown());
  if (out.size() > longest_shown) out = out.substr(0, longest_shown) + "...";
  return std::string(base::trim(out));
}

Fault ApiClient::garbled(std::string_view what) const {
  return {FaultKind::garbled, "garbled", name_ + ": " + std::string(what), 0, ""};
}

void ApiClient::wait_for_turn(const ApiRequest& request) {
  if (request.interval_s <= 0) return;
  const auto last = last_call_s_.find(request.group);
  const double now_s = access_.pace.now_s();
  if (last != last_call_s_.end() && now_s - last->second < request.interval_s)
    access_.pace.sleep_s(request.interval_s - (now_s - last->second));
}

Fault ApiClient::lost(const Error& error, const ApiRequest& request) const {
  const std::string text = shown(error.text);
  if (error.code == too_long || error.code == broken_off)
    return garbled("an answer that is too long or breaks off (" + text + ")");
  const bool asked_once = !is_repeatable(request);
  return {FaultKind::network, "network",
          name_ + ": " + text + (asked_once ? "; whether it was carried out is not known" : ""), 0,
          ""};
}

Fault ApiClient::usual_fault(const ApiReply& reply, const net::HttpResponse& response) const {
  const std::string status = std::to_string(reply.status);
  if (reply.status >= redirect_first && reply.status <= redirect_last)
    return garbled("HTTP " + status + ", a redirect; the API key is not sent on");
  // A page in place of a "not found" says nothing of what was asked for.
  if (reply.status == not_found && !reply.is_json)
    return garbled("HTTP 404 without JSON, not an answer of this interface");
  const FaultKind kind = usual_kind(reply.status);
  return {kind, status, name_ + ": " + usual_words(kind) + " (HTTP " + status + ")",
          net::retry_after_s(response), ""};
}

Answer<ApiReply> ApiClient::call(const ApiRequest& request) {
  net::HttpRequest http;
  http.method = request.method, http.url = access_.base_url + request.path;
  http.headers = {{"Accept", "application/json"}};
  http.body = request.body, http.token = access_.key;
  if (!request.body.empty()) http.headers.push_back({"Content-Type", "application/json"});
  http.deadline = request.deadline, http.max_bytes = request.max_bytes;
  wait_for_turn(request);
  const auto response = is_repeatable(request)
                            ? net::exchange_patiently(access_.http, access_.pace, http)
                            : access_.http.exchange(http);
  // Repeats count too.
  if (request.interval_s > 0) last_call_s_[request.group] = access_.pace.now_s();
  if (!response) return tl::unexpected(lost(response.error(), request));
  ApiReply reply = reply_of(*response);
  if (reply.status < ok_first || reply.status > ok_last) {
    auto fault = judge_(reply);
    if (!fault) fault = usual_fault(reply, *response);
    fault->retry_after_s = net::retry_after_s(*response);
    return tl::unexpected(std::move(*fault));
  }
  if (!reply.empty && !reply.is_json)
    return tl::unexpected(garbled("an answer that is no JSON (a page, or cut off)"));
  return reply;
}

Answer<Json> ApiClient::ask(const ApiRequest& request) {
  auto reply = call(request);
  if (!reply) return tl::unexpected(reply.error());
  if (reply->empty) return tl::unexpected(garbled("an empty answer"));
  return std::move(reply->json);
}

}  // namespace gpuready::cloud
