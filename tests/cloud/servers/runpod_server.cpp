#include "tests/cloud/servers/runpod_server.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"

namespace gpuready::cloud::servers {

namespace {

constexpr double window_s = 60;
/// USD per GB and month of a running pod's disk, and hours of a month (365 x 24 / 12).
constexpr double disk_usd = 0.10, month_hours = 730;

struct Type {
  const char* id;
  const char* name;
  const char* maker;
  int memory_gb;
  double secure, community;  ///< USD/h of one GPU; 0: not offered there
  int most;
  const char* stock;
  std::vector<std::string> places;
};

/// Ids, sizes and prices as the facts of 2026 tell them; the stock is made up.
const std::vector<Type>& types() {
  static const std::vector<Type> list{
      {"NVIDIA GeForce RTX 3090", "RTX 3090", "NVIDIA", 24, 0, 0.22, 8, "LOW", {"EU-CZ-1"}},
      {"NVIDIA GeForce RTX 4090",
       "RTX 4090",
       "NVIDIA",
       24,
       0.74,
       0.34,
       8,
       "HIGH",
       {"EU-RO-1", "US-IL-1"}},
      {"NVIDIA A40", "A40", "NVIDIA", 48, 0.44, 0, 8, "MEDIUM", {"CA-MTL-1"}},
      {"NVIDIA L40S", "L40S", "NVIDIA", 48, 1.09, 0.79, 8, "MEDIUM", {"US-TX-4"}},
      {"NVIDIA A100 80GB PCIe", "A100 PCIe", "NVIDIA", 80, 1.79, 1.19, 8, "LOW", {"US-KS-2"}},
      {"NVIDIA A100-SXM4-80GB", "A100 SXM", "NVIDIA", 80, 1.79, 1.39, 8, "LOW", {"US-MD-1"}},
      {"NVIDIA H100 80GB HBM3", "H100 SXM", "NVIDIA", 80, 3.99, 2.69, 8, "HIGH", {"US-CA-2"}},
      {"NVIDIA H100 PCIe", "H100 PCIe", "NVIDIA", 80, 2.89, 1.99, 8, "NONE", {}},
      {"NVIDIA H200", "H200 SXM", "NVIDIA", 141, 4.59, 3.59, 8, "MEDIUM", {"US-GA-2"}},
      {"NVIDIA B200", "B200", "NVIDIA", 180, 6.79, 5.98, 8, "LOW", {"US-CA-2"}},
      {"AMD Instinct MI300X OAM", "MI300X", "AMD", 192, 2.49, 0, 8, "LOW", {"EU-RO-1"}},
      {"unknown", "unknown", "UNKNOWN", 0, 0.10, 0, 1, "LOW", {"EU-RO-1"}},
  };
  return list;
}

Reply problem(int status, const std::string& title, const std::string& detail) {
  return json_reply(status, Json{{"title", title}, {"status", status}, {"detail", detail}},
                    "application/problem+json");
}

const Type* find_type(const std::string& id) {
  const auto it = std::ranges::find_if(types(), [&](const Type& one) { return id == one.id; });
  return it == types().end() ? nullptr : &*it;
}

std::string query_of(const Request& request, const std::string& name) {
  const auto it = request.query.find(name);
  return it == request.query.end() ? "" : it->second;
}

/// Why the body of a new pod is refused with 422; empty where it isn't.
std::string fault_of_pod(const Json& body) {
  static const std::set<std::string> known{
      "name",         "image",      "gpu",           "cpu",
      "cloud",        "disk",       "mounts",        "ports",
      "env",          "args",       "dataCenterIds", "startSsh",
      "startJupyter", "templateId", "registry",      "globalNetworking"};
  static const std::set<std::string> known_gpu{"id", "count", "minCudaVersion",
                                               "allowedCudaVersions"};
  if (!body.is_object()) return "the body must be an object";
  for (const auto& [name, value] : body.items())
    if (!known.contains(name)) return "unexpected property: " + name;
  if (!body.contains("name") || !body["name"].is_string()) return "name is required";
  if (!body.contains("image") && !body.contains("templateId")) return "image is required";
  if (body.contains("gpu") == body.contains("cpu")) return "exactly one of gpu and cpu";
  if (body.contains("gpu")) {
    if (!body["gpu"].is_object() || !body["gpu"].contains("id")) return "gpu.id is required";
    for (const auto& [name, value] : body["gpu"].items())
      if (!known_gpu.contains(name)) return "unexpected property: gpu." + name;
    if (body["gpu"].contains("minCudaVersion") && body["gpu"].contains("allowedCudaVersions"))
      return "minCudaVersion or allowedCudaVersions";
  }
  const Json env = body.value("env", Json::object());
  for (const auto& [name, value] : env.items())
    if (!value.is_string()) return "env." + name + " must be a string";
  if (body.contains("disk") && !body["disk"].is_number_integer()) return "disk must be an integer";
  const std::string cloud = body.value("cloud", "SECURE");
  return cloud == "SECURE" || cloud == "COMMUNITY" ? "" : "cloud must be SECURE or COMMUNITY";
}

}  // namespace

std::string RunpodServer::operation_of(const Request& request) const {
  const auto parts = parts_of(request.path);
  if (parts.size() < 2 || parts[0] != "v2") return "other";
  const std::string& method = request.method;
  if (parts[1] == "catalog" && parts.size() > 2 && parts[2] == "gpus") return "offers";
  if (parts[1] == "account" && parts.size() == 3 && parts[2] == "ssh-keys")
    return method == "GET" ? "ssh-keys" : "register-key";
  if (parts[1] != "pods") return "other";
  if (parts.size() == 2) return method == "GET" ? "list" : method == "POST" ? "create" : "other";
  if (parts.size() == 4 && parts[3] == "action") return "action";
  if (parts.size() != 3) return "other";
  return method == "GET" ? "get" : method == "DELETE" ? "destroy" : "other";
}

Reply RunpodServer::unknown_key() const {
  return problem(401, "Unauthorized", "The API key is missing or invalid.");
}

Reply RunpodServer::too_many() {
  Reply reply = problem(429, "Too Many Requests", "Rate limit exceeded.");
  const double oldest = calls_.empty() ? now_s() : calls_.front();
  const auto wait = static_cast<long>(
      number("retry_after_s", std::ceil(std::max(1.0, oldest + window_s - now_s()))));
  reply.headers.emplace_back("Retry-After", std::to_string(wait));
  return reply;
}

bool RunpodServer::is_too_often(const std::string& /*operation*/) {
  while (!calls_.empty() && now_s() - calls_.front() >= window_s) calls_.pop_front();
  if (static_cast<double>(calls_.size()) >= number("per_minute", 60)) return true;
  calls_.push_back(now_s());
  return false;
}

std::optional<Reply> RunpodServer::own_fault(const ScriptedFault& fault,
                                             const Request& /*request*/) {
  if (fault.fault == "no-capacity")
    return problem(400, "Bad Request",
                   "There are no instances currently available with the requested specifications");
  if (fault.fault == "no-money")
    return problem(402, "Payment Required", "Your balance is too low to deploy a pod.");
  if (fault.fault == "forbidden")
    return problem(403, "Forbidden", "The API key lacks the permission.");
  if (fault.fault == "too-old") return problem(410, "Gone", "This API version has been retired.");
  return {};
}

std::string RunpodServer::state_of(const Machine& machine, double now_s) const {
  const double age = now_s - machine.created_at, provision = number("provision_s", 15);
  if (machine.request.value("stopped", false)) return "EXITED";
  if (age < provision) return "PROVISIONING";
  if (age < provision + number("start_s", 20)) return "STARTING";
  return machine.stranger ? "RUNNING" : text("ends", "RUNNING");
}

bool RunpodServer::runs(const Machine& machine, double now_s) const {
  return state_of(machine, now_s) == "RUNNING";
}

bool RunpodServer::is_gone(const Machine& machine, double /*now_s*/) const {
  return machine.ended_at > 0;
}

/// By the second, disk too.
double RunpodServer::bill_usd(const Machine& machine, double now_s) const {
  const double end = machine.ended_at > 0 ? machine.ended_at : now_s;
  return std::ceil(end - machine.created_at) / 3600 *
         (machine.usd_per_hour + machine.storage_usd_per_hour);
}

Machine RunpodServer::stranger() {
  Machine machine;
  machine.id = new_id(14);
  machine.gpu = "NVIDIA A40", machine.region = "CA-MTL-1";
  machine.usd_per_hour = 0.44;
  machine.request = Json{{"cloud", "SECURE"}, {"env", {{"SECRET", "secret-of-a-stranger"}}}};
  return machine;
}

Json RunpodServer::ssh_of(const Machine& machine, double now_s) const {
  const auto ports = machine.request.value("ports", Json::array());
  const bool asked = std::ranges::find(ports, Json("22/tcp")) != ports.end();
  const bool is_public = text("public_ip", "yes") == "yes";
  Json proxy{{"host", "ssh.runpod.io"}, {"port", 22}, {"username", machine.id + "-64410f"}};
  proxy["command"] = "ssh " + machine.id + "-64410f@ssh.runpod.io";
  Json direct;
  const bool is_there = machine.looked_at > static_cast<std::int64_t>(number("ssh_after_looks", 1));
  if (state_of(machine, now_s) == "RUNNING" && asked && is_public && is_there) {
    direct = Json{{"host", ssh_.host}, {"port", ssh_.port}, {"username", "root"}};
    direct["command"] = "ssh root@" + ssh_.host + " -p " + std::to_string(ssh_.port);
  }
  return Json{{"proxy", proxy}, {"direct", direct}};
}

Json RunpodServer::pod(const Machine& machine, double now_s) const {
  const std::string state = state_of(machine, now_s);
  const bool running = state == "RUNNING", ended = state == "EXITED" || state == "TERMINATED";
  Json actions = Json::array({"terminate"});
  if (ended || state == "ERROR") actions.push_back("start");
  if (!ended && state != "ERROR") actions.push_back("stop");
  if (running) actions.push_back("restart");
  Json out{{"id", machine.id}, {"name", machine.name}, {"status", state}, {"actions", actions}};
  out["image"] = machine.request.value("image", "someone/else");
  out["args"] = machine.request.value("args", "");
  out["disk"] = machine.request.value("disk", 20);
  out["ports"] = machine.request.value("ports", Json::array());
  out["env"] = machine.request.value("env", Json::object());
  out["gpu"] = Json{{"id", machine.gpu}, {"count", machine.gpu_count}};
  out["cloud"] = machine.request.value("cloud", "SECURE");
  if (machine.region.empty())
    out["dataCenterId"] = Json();
  else
    out["dataCenterId"] = machine.region;
  out["ssh"] = ssh_of(machine, now_s);
  out["cost"] = ended ? 0.0 : machine.usd_per_hour;
  out["locked"] = false;
  out["runtime"] = running ? Json{{"uptime", std::floor(now_s - machine.created_at)}} : Json();
  out["createdAt"] = "2026-12-01T00:00:00Z";
  return out;
}

Reply RunpodServer::catalog(const Request& request) {
  const std::string include = query_of(request, "include"), product = query_of(request, "product");
  if (include.empty() != product.empty())
    return problem(400, "Bad Request", "include=AVAILABILITY needs product=POD, and the other way");
  const std::string cloud = query_of(request, "cloud");
  const bool community = cloud == "COMMUNITY";
  Json list = Json::array();
  for (const Type& type : types()) {
    Json one{{"id", type.id},
             {"name", type.name},
             {"pool", Json()},
             {"manufacturer", type.maker},
             {"memory", type.memory_gb},
             {"secure", type.secure > 0},
             {"community", type.community > 0},
             {"price", {{"secure", type.secure}, {"community", type.community}}},
             {"maxCount", {{"secure", type.most}, {"community", type.most}}}};
    const bool offered = (community ? type.community : type.secure) > 0;
    if (!include.empty()) {
      const std::string stock = offered ? type.stock : "NONE";
      one["availability"] = stock;
      if (stock != "NONE") one["dataCenters"] = Json::array();
      if (stock != "NONE")
        for (const std::string& place : type.places)
          one["dataCenters"].push_back(
              Json{{"id", place}, {"name", place}, {"availability", stock}});
    }
    list.push_back(one);
  }
  return json_reply(200, Json{{"gpus", list}});
}

Reply RunpodServer::create(const Request& request) {
  const auto body = base::parse_json(request.body);
  if (!body) return problem(400, "Bad Request", "The body is no JSON.");
  if (const std::string why = fault_of_pod(*body); !why.empty())
    return problem(422, "Unprocessable Entity", why);
  const Type* type = find_type((*body)["gpu"]["id"].get<std::string>());
  if (type == nullptr) return problem(404, "Not Found", "No such GPU type.");
  const bool community = body->value("cloud", "SECURE") == "COMMUNITY";
  const double price = community ? type->community : type->secure;
  const std::int64_t count = (*body)["gpu"].value("count", std::int64_t{1});
  if (price <= 0 || std::string(type->stock) == "NONE" || count > type->most)
    return problem(400, "Bad Request",
                   "There are no instances currently available with the requested specifications");
  Machine machine;
  machine.id = new_id(14), machine.name = (*body)["name"];
  machine.gpu = type->id, machine.gpu_count = count;
  machine.usd_per_hour = price * static_cast<double>(count);
  machine.storage_usd_per_hour = body->value("disk", 20) * disk_usd / month_hours;
  machine.region = community || type->places.empty() ? "" : type->places.front();
  machine.created_at = now_s(), machine.request = *body;
  const Json env = body->value("env", Json::object());
  if (env.contains("PUBLIC_KEY"))
    machine.keys = {env["PUBLIC_KEY"].get<std::string>()};
  else if (body->value("startSsh", false))
    for (const SshKeyRow& row : keys_) machine.keys.push_back(row.key);
  machines_.push_back(machine);
  return json_reply(201, pod(machine, now_s()));
}

/// In pages where that is set: the client may not know of them.
Reply RunpodServer::list(const Request& request) {
  const auto size = static_cast<std::size_t>(number("page_size", 0));
  const std::string cursor = query_of(request, "cursor");
  const std::size_t begin = cursor.empty() ? 0 : std::stoul(cursor);
  const std::size_t end = size == 0 ? machines_.size() : std::min(machines_.size(), begin + size);
  Json all = Json::array();
  for (std::size_t i = begin; i < end; ++i) all.push_back(pod(machines_[i], now_s()));
  Json out{{"pods", all}};
  if (end < machines_.size()) out["nextCursor"] = std::to_string(end);
  return json_reply(200, out);
}

Reply RunpodServer::put_keys(const Request& request) {
  const auto body = base::parse_json(request.body);
  if (!body || !body->is_object() || !body->contains("keys"))
    return problem(422, "Unprocessable Entity", "keys is required");
  keys_.clear();
  for (const Json& key : (*body)["keys"]) keys_.push_back({new_id(8), "", key.get<std::string>()});
  return json_reply(200, Json{{"keys", (*body)["keys"]}});
}

Reply RunpodServer::act(const Request& request, Machine& machine) {
  const auto body = base::parse_json(request.body);
  const std::string action = body && body->is_object() ? body->value("action", "") : "";
  const Json allowed = pod(machine, now_s())["actions"];
  if (std::ranges::find(allowed, Json(action)) == allowed.end())
    return problem(409, "Conflict", "The action is not allowed in this state.");
  if (action == "stop") machine.request["stopped"] = true;
  if (action == "start") machine.request["stopped"] = false;
  if (action != "terminate") return json_reply(200, pod(machine, now_s()));
  machine.ended_at = now_s();
  Reply reply;
  reply.status = 204;
  return reply;
}

Reply RunpodServer::answer(const Request& request) {
  Reply reply = route(request);
  const double left = number("per_minute", 60) - static_cast<double>(calls_.size());
  reply.headers.emplace_back("RateLimit-Policy", "\"minute\";q=60;w=60");
  reply.headers.emplace_back("RateLimit",
                             "\"minute\";r=" + std::to_string(static_cast<long>(left)) + ";t=60");
  return reply;
}

Reply RunpodServer::route(const Request& request) {
  const auto parts = parts_of(request.path);
  const std::string operation = operation_of(request);
  if (!parts.empty() && parts[0] == "v1")
    return problem(410, "Gone", "REST v1 was retired; use /v2.");
  if (operation == "offers") return catalog(request);
  if (operation == "create") return create(request);
  if (operation == "list") return list(request);
  if (operation == "register-key") return put_keys(request);
  if (operation == "ssh-keys") {
    Json all = Json::array();
    for (const SshKeyRow& row : keys_) all.push_back(row.key);
    return json_reply(200, Json{{"keys", all}});
  }
  if (operation == "other") return problem(404, "Not Found", "No such path.");
  Machine* machine = find(parts[2]);
  if (machine == nullptr) return problem(404, "Not Found", "Pod not found.");
  if (operation == "action") return act(request, *machine);
  if (operation == "get") {
    if (runs(*machine, now_s())) ++machine->looked_at;
    return json_reply(200, pod(*machine, now_s()));
  }
  machine->ended_at = now_s();
  Reply reply;
  reply.status = 204, reply.type.clear();
  return reply;
}

}  // namespace gpuready::cloud::servers
