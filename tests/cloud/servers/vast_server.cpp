#include "tests/cloud/servers/vast_server.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "tests/cloud/servers/vast_offers.hpp"

namespace gpuready::cloud::servers {

namespace {

constexpr double month_hours = 730;

Reply error(int status, const std::string& code, const std::string& msg) {
  return json_reply(status, Json{{"success", false}, {"error", code}, {"msg", msg}});
}

Reply plain(int status, const std::string& text) {
  Reply reply;
  reply.status = status, reply.type = "text/plain", reply.body = text;
  return reply;
}

std::string query_of(const Request& request, const std::string& name) {
  const auto it = request.query.find(name);
  return it == request.query.end() ? "" : it->second;
}

/// Why the body of a new contract is refused; empty where it isn't.
std::string fault_of_create(const Json& body) {
  constexpr double least_disk = 8;
  constexpr std::size_t longest_label = 256, longest_script = 4096;
  if (!body.is_object()) return "the body is no object";
  if (!body.contains("image") && !body.contains("template_hash_id")) return "image is required";
  if (!body.contains("disk") || !body["disk"].is_number() || body["disk"] < least_disk)
    return "disk must be 8 or more";
  if (body.value("label", "").size() > longest_label) return "label is too long";
  if (body.value("onstart", "").size() + body.value("args", "").size() > longest_script)
    return "args and onstart are too long";
  const std::string runtype = body.value("runtype", "ssh");
  for (const char* known : {"ssh", "ssh_proxy", "ssh_direct", "ssh_direc ssh_proxy"})
    if (runtype == known) return {};
  return "unknown runtype";
}

}  // namespace

VastServer::VastServer(Clock& clock, std::string key, std::int64_t offers)
    : ProviderServer(clock, std::move(key)), offers_(make_offers(offers)) {}

std::string VastServer::operation_of(const Request& request) const {
  const auto parts = parts_of(request.path);
  const std::string& method = request.method;
  // Every path ends in a slash.
  if (parts.size() < 3 || parts[0] != "api" || !base::ends_with(request.path, "/")) return "other";
  const std::string &generation = parts[1], &what = parts[2];
  if (generation == "v1") return what == "instances" && method == "GET" ? "list" : "other";
  if (generation != "v0") return "other";
  if (what == "bundles") return "offers";
  if (what == "asks" && method == "PUT" && parts.size() == 4) return "create";
  if (what == "ssh") return method == "GET" ? "ssh-keys" : "register-key";
  if (what == "users" && parts.size() == 4 && parts[3] == "current") return "account";
  if (what != "instances") return "other";
  if (parts.size() == 3) return "old-list";
  if (parts.size() == 5 && parts[4] == "ssh" && method == "POST") return "attach-key";
  if (parts.size() != 4) return "other";
  return method == "GET" ? "get" : method == "DELETE" ? "destroy" : "change";
}

Reply VastServer::unknown_key() const {
  const int status = static_cast<int>(number("bad_key_status", 404));
  return error(status, "auth_error", "Invalid user key");
}

Reply VastServer::too_many() {
  return plain(429, "API requests too frequent endpoint threshold=4.5");
}

bool VastServer::needs_key(const std::string& operation) const { return operation != "offers"; }

bool VastServer::is_too_often(const std::string& operation) {
  double interval_s = number("interval_s", 0);
  if (operation == "create") interval_s = number("create_interval_s", 4.5);
  if (operation == "destroy") interval_s = number("destroy_interval_s", 3);
  if (operation == "register-key") interval_s = 1;
  if (operation == "offers") interval_s = number("search_interval_s", 6);
  return interval_s > 0 && intervals_.is_too_early(operation, interval_s, now_s());
}

std::optional<Reply> VastServer::own_fault(const ScriptedFault& fault, const Request& request) {
  if (fault.fault == "no-capacity")
    return error(410, "no_such_ask", "error 404/3603: no_such_ask Instance type is not available.");
  if (fault.fault == "no-money")
    return error(400, "insufficient_credit", "Your account lacks credit; see the billing page.");
  if (fault.fault == "forbidden") return error(403, "forbidden", "This key may not do that.");
  if (fault.fault == "too-old")
    return error(410, "deprecated_endpoint", "This endpoint has been retired.");
  if (fault.fault == "error-with-contract") {
    // A bid that is too low makes a stopped instance that is billed for its disk.
    const auto body = base::parse_json(request.body);
    if (!body || offers_.empty()) return {};
    Machine& machine = make(offers_.front(), *body);
    machine.request["stopped"] = true;
    Json told{{"success", false}, {"error", "insufficient_bid"}, {"msg", "bid too low"}};
    told["new_contract"] = std::stoll(machine.id);
    return json_reply(400, told);
  }
  return {};
}

std::string VastServer::state_of(const Machine& machine, double now_s) const {
  const double age = now_s - machine.created_at, provision = number("provision_s", 10);
  if (machine.request.value("stopped", false)) return "stopped";
  if (age < provision) return "";  // null
  if (age < provision + number("load_s", 30)) return "loading";
  return machine.stranger ? "running" : text("ends", "running");
}

bool VastServer::runs(const Machine& machine, double now_s) const {
  return state_of(machine, now_s) == "running";
}

bool VastServer::is_gone(const Machine& machine, double /*now_s*/) const {
  return machine.ended_at > 0;
}

/// The GPU by the second while it runs; the disk from the start.
double VastServer::bill_usd(const Machine& machine, double now_s) const {
  const double end = machine.ended_at > 0 ? machine.ended_at : now_s;
  const double age = end - machine.created_at;
  const double loading = number("provision_s", 10) + number("load_s", 30);
  const bool ran = text("ends", "running") == "running" && !machine.request.value("stopped", false);
  const double running = ran ? std::max(0.0, age - loading) : 0;
  return (running * machine.usd_per_hour + age * machine.storage_usd_per_hour) / 3600;
}

Machine VastServer::stranger() {
  Machine machine;
  machine.id = std::to_string(7000000 + next_number());
  machine.gpu = "RTX 3090", machine.region = "Sweden, SE";
  machine.usd_per_hour = 0.17;
  machine.request = Json::object();
  return machine;
}

Json VastServer::instance(const Machine& machine, double now_s) const {
  const std::string state = state_of(machine, now_s);
  Json out{{"id", std::stoll(machine.id)}};
  if (machine.name.empty())
    out["label"] = Json();
  else
    out["label"] = machine.name;
  out["actual_status"] = state.empty() ? Json() : Json(state);
  out["cur_state"] = state == "stopped" ? "stopped" : "running";
  out["next_state"] = out["cur_state"];
  out["intended_status"] = state == "stopped" ? "stopped" : "running";
  out["status_msg"] = text("status_msg", state == "running" ? "success, running" : "loading");
  out["image_uuid"] = machine.request.value("image", "someone/else");
  out["image_runtype"] = "ssh";
  out["ssh_host"] = "ssh5.vast.ai", out["ssh_port"] = 12345;
  out["public_ipaddr"] = ssh_.host + " \n";
  if (state == "running")
    out["ports"] =
        Json{{"22/tcp",
              Json::array({Json{{"HostIp", "0.0.0.0"}, {"HostPort", std::to_string(ssh_.port)}}})}};
  out["gpu_name"] = machine.gpu, out["num_gpus"] = machine.gpu_count;
  out["dph_total"] = machine.usd_per_hour + machine.storage_usd_per_hour;
  out["geolocation"] = machine.region;
  out["start_date"] = machine.created_at, out["end_date"] = Json();
  out["extra_env"] = Json::array();
  out["jupyter_token"] = "secret-jupyter-token";
  out["is_bid"] = false;
  return out;
}

Reply VastServer::search(const Request& request) {
  auto query = base::parse_json(request.method == "GET" ? query_of(request, "q") : request.body);
  if (!query || !query->is_object()) return error(400, "invalid_args", "the query is no object");
  const double disk = query->value("allocated_storage", 8.0);
  const auto limit = static_cast<std::size_t>(query->value("limit", 64));
  std::vector<Json> found;
  for (const Json& offer : offers_)
    if (passes(offer, *query)) found.push_back(priced(offer, disk));
  for (const Json& order : query->value("order", Json::array())) {
    const auto field = order[0].get<std::string>();
    std::ranges::stable_sort(found, [&](const Json& a, const Json& b) {
      return order[1] == "desc" ? b[field] < a[field] : a[field] < b[field];
    });
  }
  if (found.size() > limit) found.resize(limit);
  return json_reply(200, Json{{"offers", found}});
}

Machine& VastServer::make(const Json& offer, const Json& body) {
  Machine machine;
  machine.id = std::to_string(8000000 + next_number());
  machine.name = body.value("label", "");
  machine.gpu = offer["gpu_name"], machine.gpu_count = offer["num_gpus"];
  machine.usd_per_hour = offer["dph_base"];
  machine.storage_usd_per_hour =
      offer["storage_cost"].get<double>() * body.value("disk", 8.0) / month_hours;
  machine.region = offer["geolocation"].is_string() ? offer["geolocation"].get<std::string>() : "";
  machine.created_at = now_s(), machine.request = body;
  for (const SshKeyRow& row : keys_) machine.keys.push_back(row.key);
  machines_.push_back(machine);
  return machines_.back();
}

Reply VastServer::create(const Request& request) {
  const auto body = base::parse_json(request.body);
  if (!body) return error(400, "invalid_args", "the body is no JSON");
  if (const std::string why = fault_of_create(*body); !why.empty())
    return error(400, "invalid_args", why);
  const std::string id = parts_of(request.path)[3];
  const auto offer = std::ranges::find_if(
      offers_, [&](const Json& one) { return std::to_string(one["id"].get<long>()) == id; });
  if (offer == offers_.end()) return error(404, "invalid_args", "error 404/3603: no_such_ask");
  const bool taken = std::ranges::any_of(
      machines_, [&](const Machine& one) { return one.request.value("ask", "") == id; });
  if (taken) return error(410, "no_such_ask", "The offer went away.");
  Machine& machine = make(*offer, *body);
  machine.request["ask"] = id;
  return json_reply(200, Json{{"success", true},
                              {"new_contract", std::stoll(machine.id)},
                              {"instance_api_key", "secret-instance-key"}});
}

Reply VastServer::list(const Request& request) {
  constexpr double most = 25;
  const std::string asked = query_of(request, "limit"), token = query_of(request, "after_token");
  const double wanted = asked.empty() ? most : std::stod(asked);
  if (wanted > most || wanted < 1) return error(400, "invalid_args", "limit is 1 to 25");
  const auto size = static_cast<std::size_t>(std::min(wanted, number("page_size", most)));
  std::size_t begin = token.empty() ? 0 : std::stoul(token.substr(token.find('-') + 1));
  if (text("cursor", "") == "repeats") begin = 0;
  const std::size_t end = std::min(machines_.size(), begin + size);
  Json all = Json::array();
  for (std::size_t i = std::min(begin, end); i < end; ++i)
    all.push_back(instance(machines_[i], now_s()));
  Json out{{"success", true}, {"instances", all}, {"instances_found", all.size()}};
  out["total_instances"] = machines_.size();
  out["next_token"] = end < machines_.size() ? Json("t-" + std::to_string(end)) : Json();
  out["label_counts"] = Json::object();
  return json_reply(200, out);
}

Reply VastServer::destroy(const std::string& id) {
  Machine* machine = find(id);
  const int status = static_cast<int>(number("gone_status", 404));
  if (machine == nullptr)
    return error(status, "no_such_instance", "Instance " + id + " not found.");
  machine->ended_at = now_s();
  return json_reply(200, Json{{"success", true}, {"msg", "destroying instance " + id + "."}});
}

Reply VastServer::attach(const Request& request, Machine& machine) {
  const auto body = base::parse_json(request.body);
  if (!body || !body->is_object() || !body->contains("ssh_key"))
    return error(400, "invalid_args", "ssh_key is required");
  machine.keys.push_back((*body)["ssh_key"].get<std::string>());
  return json_reply(200, Json{{"success", true}, {"msg", "SSH key added to instance."}});
}

Reply VastServer::add_key(const Request& request) {
  const auto body = base::parse_json(request.body);
  if (!body || !body->is_object() || !body->contains("ssh_key"))
    return error(400, "invalid_args", "ssh_key is required");
  keys_.push_back({std::to_string(next_number()), "", (*body)["ssh_key"].get<std::string>()});
  return json_reply(200, Json{{"success", true}, {"key", {{"public_key", keys_.back().key}}}});
}

Reply VastServer::answer(const Request& request) {
  const std::string operation = operation_of(request);
  const auto parts = parts_of(request.path);
  if (operation == "offers") return search(request);
  if (operation == "create") return create(request);
  if (operation == "list") return list(request);
  if (operation == "old-list")
    return error(410, "deprecated_endpoint", "Use /api/v1/instances/ instead.");
  if (operation == "destroy") return destroy(parts[3]);
  if (operation == "register-key") return add_key(request);
  if (operation == "account")
    return json_reply(200, Json{{"id", 4711}, {"balance", number("balance", 12.5)}});
  if (operation == "ssh-keys") {
    if (keys_.empty()) return error(404, "not_found", "No SSH keys.");
    Json all = Json::array();
    for (const SshKeyRow& row : keys_)
      all.push_back(Json{{"id", std::stoll(row.id)}, {"user_id", 4711}, {"key", row.key}});
    return json_reply(200, all);
  }
  if (operation == "other") return error(404, "not_found", "No such path.");
  Machine* machine = find(parts[3]);
  if (operation == "get")  // plural name, single object; null where there is none
    return json_reply(200, Json{{"instances", machine ? instance(*machine, now_s()) : Json()}});
  if (machine == nullptr) return error(404, "no_such_instance", "Instance not found.");
  if (operation == "attach-key") return attach(request, *machine);
  const auto body = base::parse_json(request.body);
  if (body && body->is_object() && body->contains("state"))
    machine->request["stopped"] = (*body)["state"] == "stopped";
  return json_reply(200, Json{{"success", true}});
}

}  // namespace gpuready::cloud::servers
