#include "tests/cloud/servers/provider_server.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#include "base/text.hpp"

namespace gpuready::cloud::servers {

namespace {

/// Where a key stands in the request, and whether it is the right one; never the key itself.
std::string credential_of(const Request& request, const std::string& key) {
  for (const auto& [name, value] : request.query)
    if (base::contains(value, key) || name == "api_key") return "query";
  if (base::contains(request.body, key)) return "body";
  if (request.authorization.empty()) return "none";
  return request.authorization == "Bearer " + key ? "right" : "wrong";
}

Reply wrong_order(const std::string& why) { return json_reply(400, Json{{"error", why}}); }

}  // namespace

bool ProviderServer::needs_key(const std::string& /*operation*/) const { return true; }

Reply ProviderServer::handle(const Request& request) {
  const std::lock_guard<std::mutex> hold(mutex_);
  sweep();
  const std::string operation = operation_of(request);
  Reply reply = carry_out(request, operation);
  note(request, operation, reply);
  write_authorized_keys();
  return reply;
}

Reply ProviderServer::carry_out(const Request& request, const std::string& operation) {
  const auto fault = script_.take(operation);
  if (fault) {
    if (const auto reply = fault_before(*fault, request, trap_url_)) return *reply;
    if (fault->fault == "bad-key") return unknown_key();
    if (fault->fault == "rate-limit") return too_many();
    if (const auto reply = own_fault(*fault, request)) return *reply;
  }
  const std::string credential = credential_of(request, key_);
  const bool refused = credential == "wrong" || credential == "query" ||
                       (credential == "none" && needs_key(operation));
  Reply reply;
  if (refused)
    reply = unknown_key();
  else if (is_too_often(operation))
    reply = too_many();
  else
    reply = answer(request);
  return fault ? fault_after(*fault, std::move(reply)) : reply;
}

void ProviderServer::note(const Request& request, const std::string& operation,
                          const Reply& reply) {
  log_.push_back(Json{{"at", now_s()},
                      {"method", request.method},
                      {"path", request.path},
                      {"operation", operation},
                      {"credential", credential_of(request, key_)},
                      {"status", reply.drops ? 0 : reply.status},
                      {"body", request.body}});
}

double ProviderServer::number(const std::string& name, double usual) const {
  const auto it = settings_.find(name);
  return it != settings_.end() && it->is_number() ? it->get<double>() : usual;
}

std::string ProviderServer::text(const std::string& name, const std::string& usual) const {
  const auto it = settings_.find(name);
  return it != settings_.end() && it->is_string() ? it->get<std::string>() : usual;
}

Machine* ProviderServer::find(const std::string& id) {
  const auto it = std::ranges::find(machines_, id, &Machine::id);
  return it == machines_.end() ? nullptr : &*it;
}

std::string ProviderServer::new_id(int digits) {
  static constexpr std::string_view letters = "0123456789abcdef";
  constexpr std::uint64_t factor = 6364136223846793005U, step = 1442695040888963407U;
  std::string id;
  auto state = static_cast<std::uint64_t>(next_number()) * factor + step;
  for (int i = 0; i < digits; ++i) {
    state = state * factor + step;
    id += letters[(state >> 40U) % letters.size()];
  }
  return id;
}

void ProviderServer::sweep() {
  const double now = now_s();
  std::erase_if(machines_, [&](const Machine& machine) {
    if (!is_gone(machine, now)) return false;
    const double usd = bill_usd(machine, now);
    if (!machine.stranger) closed_usd_ += usd;
    closed_.push_back(Json{{"id", machine.id},
                           {"name", machine.name},
                           {"usd", usd},
                           {"stranger", machine.stranger},
                           {"seconds", machine.ended_at - machine.created_at},
                           {"gone", true}});
    return true;
  });
}

void ProviderServer::write_authorized_keys() {
  if (authorized_keys_file_.empty()) return;
  const double now = now_s();
  std::string lines;
  for (const Machine& machine : machines_)
    if (!machine.stranger && runs(machine, now))
      for (const std::string& key : machine.keys) lines += key + "\n";
  std::ofstream(authorized_keys_file_, std::ios::trunc) << lines;
}

void ProviderServer::add_stranger(const std::string& name) {
  const std::lock_guard<std::mutex> hold(mutex_);
  constexpr double a_day_s = 86400;
  Machine machine = stranger();
  machine.name = name, machine.stranger = true;
  machine.created_at = now_s() - a_day_s;
  machines_.push_back(machine);
}

Json ProviderServer::machines() {
  Json list = Json::array();
  const double now = now_s();
  for (const Machine& machine : machines_)
    list.push_back(Json{{"id", machine.id},
                        {"name", machine.name},
                        {"gpu", machine.gpu},
                        {"state", state_of(machine, now)},
                        {"stranger", machine.stranger},
                        {"ending", machine.ended_at > 0},
                        {"keys", machine.keys},
                        {"request", machine.request}});
  return list;
}

Json ProviderServer::bill() {
  const double now = now_s();
  double usd = closed_usd_;
  Json list = closed_;
  for (const Machine& machine : machines_) {
    const double own = bill_usd(machine, now);
    if (!machine.stranger) usd += own;
    list.push_back(Json{{"id", machine.id},
                        {"name", machine.name},
                        {"usd", own},
                        {"stranger", machine.stranger},
                        {"seconds", now - machine.created_at},
                        {"gone", false}});
  }
  return Json{{"usd", usd}, {"machines", list}};
}

Reply ProviderServer::change_settings(const Json& settings) {
  for (const auto& [name, value] : settings.items()) settings_[name] = value;
  if (settings.contains("ssh_host")) ssh_.host = settings["ssh_host"].get<std::string>();
  if (settings.contains("ssh_port")) ssh_.port = settings["ssh_port"].get<int>();
  if (settings.contains("authorized_keys_file"))
    authorized_keys_file_ = settings["authorized_keys_file"].get<std::string>();
  return json_reply(200, settings_);
}

Reply ProviderServer::control(const Request& request) {
  const std::lock_guard<std::mutex> hold(mutex_);
  sweep();
  const std::string& path = request.path;
  if (request.method == "GET") {
    if (path == "/_control/bill") return json_reply(200, bill());
    if (path == "/_control/machines") return json_reply(200, machines());
    if (path == "/_control/log") return json_reply(200, log_);
    if (path == "/_control/faults") return json_reply(200, script_.shown());
    return wrong_order("unknown path");
  }
  const auto body = base::parse_json(request.body.empty() ? "{}" : request.body);
  if (!body || !body->is_object()) return wrong_order("expected a JSON object");
  if (path == "/_control/settings") return change_settings(*body);
  if (path == "/_control/advance") {
    clock_.advance(body->value("seconds", 0.0));
    return json_reply(200, Json{{"now", now_s()}});
  }
  if (path == "/_control/clear") {
    script_.clear();
    return json_reply(200, Json::object());
  }
  if (path == "/_control/reset") {
    script_.clear(), log_.clear(), settings_ = Json::object(), closed_ = Json::array();
    closed_usd_ = 0, intervals_ = IntervalLimit(), keys_.clear();
    std::erase_if(machines_, [](const Machine& machine) { return !machine.stranger; });
    return json_reply(200, Json::object());
  }
  if (path != "/_control" || !body->contains("on") || !body->contains("fault"))
    return wrong_order("expected {\"on\": ..., \"fault\": ...}");
  script_.add({(*body)["on"], body->value("nth", std::int64_t{1}),
               body->value("times", std::int64_t{1}), (*body)["fault"], *body});
  return json_reply(200, script_.shown());
}

}  // namespace gpuready::cloud::servers
