#include "tests/cloud/servers/lambda_server.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/text.hpp"

namespace gpuready::cloud::servers {

namespace {

struct Type {
  const char* name;
  const char* gpu_description;
  int gpus;
  int cents;
  std::vector<std::string> regions;  ///< with capacity
};

/// Names, descriptions and prices as the facts of 2026 tell them; which regions have capacity is
/// made up.
const std::vector<Type>& types() {
  static const std::vector<Type> list{
      {"gpu_1x_a10", "A10 (24 GB PCIe)", 1, 129, {"us-east-1", "us-west-1"}},
      {"gpu_1x_a6000", "A6000 (48 GB)", 1, 109, {"us-east-1"}},
      {"gpu_1x_rtx6000", "RTX 6000 (24 GB)", 1, 69, {}},
      {"gpu_1x_a100_sxm4", "A100 (40 GB SXM4)", 1, 199, {"us-south-1"}},
      {"gpu_8x_a100_80gb_sxm4", "A100 (80 GB SXM4)", 8, 2232, {}},
      {"gpu_1x_h100_pcie", "H100 (80 GB PCIe)", 1, 329, {"us-west-3", "europe-central-1"}},
      {"gpu_1x_h100_sxm5", "H100 (80 GB SXM5)", 1, 429, {"us-south-2"}},
      {"gpu_8x_h100_sxm5", "H100 (80 GB SXM5)", 8, 3192, {"us-south-2"}},
      {"gpu_1x_gh200", "GH200 (96 GB)", 1, 229, {"us-east-3"}},
      {"gpu_1x_b200_sxm6", "B200 (180 GB SXM6)", 1, 699, {}},
      {"gpu_8x_v100_n", "Tesla V100 (16 GB)", 8, 632, {"us-south-1"}},
      {"gpu_1x_next", "Next", 1, 999, {"us-east-1"}},  // says no memory
      {"cpu_4x_general", "N/A", 0, 20, {"us-east-1"}},
  };
  return list;
}

Json region_json(const std::string& name) {
  return Json{{"name", name}, {"description", name + ", somewhere"}};
}

std::string description_of(const Type& type) {
  return type.gpus == 0 ? "4x vCPU" : std::to_string(type.gpus) + "x " + type.gpu_description;
}

Json type_json(const Type& type) {
  return Json{
      {"name", type.name},
      {"description", description_of(type)},
      {"gpu_description", type.gpu_description},
      {"price_cents_per_hour", type.cents},
      {"specs", {{"vcpus", 30}, {"memory_gib", 200}, {"storage_gib", 1400}, {"gpus", type.gpus}}}};
}

Reply error(int status, const std::string& code, const std::string& message) {
  return json_reply(
      status,
      Json{{"error",
            {{"code", code}, {"message", message}, {"suggestion", "Please check your request."}}}});
}

Reply invalid(const std::string& message) {
  return error(400, "global/invalid-parameters", message);
}

Reply data(const Json& value) { return json_reply(200, Json{{"data", value}}); }

const Type* find_type(const std::string& name) {
  const auto it = std::ranges::find_if(types(), [&](const Type& one) { return name == one.name; });
  return it == types().end() ? nullptr : &*it;
}

/// Why the launch's body is refused; empty where it isn't.
std::string fault_of_launch(const Json& body) {
  static const std::set<std::string> known{"region_name",
                                           "instance_type_name",
                                           "ssh_key_names",
                                           "name",
                                           "hostname",
                                           "image",
                                           "user_data",
                                           "file_system_names",
                                           "tags",
                                           "file_system_mounts",
                                           "firewall_rulesets"};
  if (!body.is_object()) return "the body is no object";
  for (const auto& [name, value] : body.items())
    if (!known.contains(name)) return "unknown field: " + name;
  for (const char* name : {"region_name", "instance_type_name"})
    if (!body.contains(name) || !body[name].is_string()) return std::string(name) + " is required";
  if (!body.contains("ssh_key_names") || !body["ssh_key_names"].is_array() ||
      body["ssh_key_names"].size() != 1)
    return "exactly one ssh key name is required";
  constexpr std::size_t longest_name = 64;
  if (body.contains("name") &&
      (!body["name"].is_string() || body["name"].get<std::string>().size() > longest_name))
    return "name is too long";
  for (const Json& tag : body.value("tags", Json::array()))
    if (!tag.is_object() || !tag.contains("key") || !tag.contains("value") || tag.size() != 2)
      return "a tag is {key, value}";
  return {};
}

}  // namespace

std::string LambdaServer::operation_of(const Request& request) const {
  const auto parts = parts_of(request.path);
  if (parts.size() < 3 || parts[0] != "api" || parts[1] != "v1") return "other";
  const bool get = request.method == "GET", post = request.method == "POST";
  if (parts[2] == "instance-types" && get) return "offers";
  if (parts[2] == "instances" && get) return parts.size() == 3 ? "list" : "get";
  if (parts[2] == "ssh-keys" && get) return "ssh-keys";
  if (parts[2] == "ssh-keys" && post) return "register-key";
  if (parts[2] == "instance-operations" && parts.size() == 4 && post) {
    if (parts[3] == "launch") return "create";
    if (parts[3] == "terminate") return "destroy";
  }
  return "other";
}

Reply LambdaServer::unknown_key() const {
  return error(401, "global/invalid-api-key", "API key was invalid, expired, or deleted.");
}

Reply LambdaServer::too_many() {
  return error(429, "global/rate-limited", "Too many requests, please try again later.");
}

bool LambdaServer::is_too_often(const std::string& operation) {
  const double general_s = number("interval_s", 1), launch_s = number("launch_interval_s", 12);
  if (intervals_.is_too_early("all", general_s, now_s())) return true;
  return operation == "create" && intervals_.is_too_early("launch", launch_s, now_s());
}

std::optional<Reply> LambdaServer::own_fault(const ScriptedFault& fault,
                                             const Request& /*request*/) {
  if (fault.fault == "no-capacity")
    return error(400, "instance-operations/launch/insufficient-capacity",
                 "Not enough capacity to fulfill launch request.");
  if (fault.fault == "no-money") return error(400, "global/quota-exceeded", "Quota exceeded.");
  if (fault.fault == "forbidden")
    return error(403, "global/account-inactive", "Your account is inactive.");
  if (fault.fault == "too-old") return error(410, "global/gone", "This version has been retired.");
  return {};
}

std::string LambdaServer::state_of(const Machine& machine, double now_s) const {
  if (machine.ended_at > 0) return "terminating";
  if (now_s - machine.created_at < number("boot_s", 180)) return "booting";
  return text("ends", "active");
}

bool LambdaServer::runs(const Machine& machine, double now_s) const {
  return state_of(machine, now_s) == "active";
}

bool LambdaServer::is_gone(const Machine& machine, double now_s) const {
  return machine.ended_at > 0 && now_s - machine.ended_at >= number("terminating_s", 30);
}

/// By the minute, each begun one whole.
double LambdaServer::bill_usd(const Machine& machine, double now_s) const {
  const double end = machine.ended_at > 0 ? machine.ended_at : now_s;
  return std::ceil((end - machine.created_at) / 60) / 60 * machine.usd_per_hour;
}

Machine LambdaServer::stranger() {
  Machine machine;
  machine.id = new_id(32);
  machine.gpu = "gpu_1x_a10", machine.region = "us-east-1";
  machine.usd_per_hour = 1.29;
  machine.request = Json::object();
  return machine;
}

Json LambdaServer::instance(const Machine& machine, double now_s) const {
  const std::string state = state_of(machine, now_s);
  Json out{{"id", machine.id}, {"name", machine.name}, {"status", state}};
  const bool has_ip = now_s - machine.created_at >= number("boot_s", 180) / 2;
  if (has_ip) out["ip"] = ssh_.host, out["private_ip"] = "10.0.0.2";
  out["ssh_key_names"] = machine.request.value("ssh_key_names", Json::array());
  out["file_system_names"] = Json::array();
  out["region"] = region_json(machine.region);
  if (const Type* type = find_type(machine.gpu)) out["instance_type"] = type_json(*type);
  out["jupyter_token"] = "secret-jupyter-token";
  out["tags"] = machine.request.value("tags", Json::array());
  const bool may_end = now_s - machine.created_at >= number("no_terminate_s", 20);
  out["actions"] = Json{{"terminate", {{"available", may_end}}}};
  if (!may_end) out["actions"]["terminate"]["reason_code"] = "vm-has-not-launched";
  return out;
}

Reply LambdaServer::launch(const Request& request) {
  const auto body = base::parse_json(request.body);
  if (!body) return invalid("the body is no JSON");
  if (const std::string why = fault_of_launch(*body); !why.empty()) return invalid(why);
  const std::string key_name =
      (*body)["ssh_key_names"][0].is_string() ? (*body)["ssh_key_names"][0].get<std::string>() : "";
  const auto key = std::ranges::find(keys_, key_name, &SshKeyRow::name);
  if (key == keys_.end()) return error(400, "global/object-does-not-exist", "No such SSH key.");
  const Type* type = find_type((*body)["instance_type_name"].get<std::string>());
  if (type == nullptr) return error(400, "global/object-does-not-exist", "No such type.");
  const std::string region = (*body)["region_name"].get<std::string>();
  if (std::ranges::find(type->regions, region) == type->regions.end())
    return error(400, "instance-operations/launch/insufficient-capacity",
                 "Not enough capacity to fulfill launch request.");
  Machine machine;
  machine.id = new_id(32);
  machine.name = body->value("name", "");
  machine.gpu = type->name, machine.gpu_count = type->gpus, machine.region = region;
  machine.usd_per_hour = type->cents / 100.0;
  machine.created_at = now_s();
  machine.keys = {key->key};
  machine.request = *body;
  machines_.push_back(machine);
  return data(Json{{"instance_ids", Json::array({machine.id})}});
}

Reply LambdaServer::terminate(const Request& request) {
  const auto body = base::parse_json(request.body);
  if (!body || !body->is_object() || !body->contains("instance_ids") || body->size() != 1 ||
      !(*body)["instance_ids"].is_array() || (*body)["instance_ids"].empty())
    return invalid("instance_ids is required");
  const double now = now_s();
  for (const Json& id : (*body)["instance_ids"]) {  // one unknown id spoils the call
    const Machine* machine = id.is_string() ? find(id.get<std::string>()) : nullptr;
    if (machine == nullptr)
      return error(404, "global/object-does-not-exist", "Specified instance does not exist.");
    if (machine->ended_at > 0) return error(400, "global/unknown", "An unknown error occurred.");
    if (now - machine->created_at < number("no_terminate_s", 20))
      return error(409, "global/conflict",
                   "The instance cannot be terminated: vm-has-not-launched");
  }
  Json ended = Json::array();
  for (const Json& id : (*body)["instance_ids"]) {
    Machine* machine = find(id.get<std::string>());
    machine->ended_at = now;
    ended.push_back(instance(*machine, now));
  }
  return data(Json{{"terminated_instances", ended}});
}

Reply LambdaServer::add_key(const Request& request) {
  const auto body = base::parse_json(request.body);
  constexpr std::size_t longest_name = 64, longest_key = 4096;
  if (!body || !body->is_object() || !body->contains("name") || !body->contains("public_key"))
    return invalid("name and public_key are required");
  const auto name = (*body)["name"].get<std::string>();
  const auto key = (*body)["public_key"].get<std::string>();
  if (name.empty() || name.size() > longest_name || key.empty() || key.size() > longest_key ||
      !base::starts_with(key, "ssh-"))
    return invalid("name or public_key is invalid");
  if (std::ranges::find(keys_, name, &SshKeyRow::name) != keys_.end())
    return error(409, "global/duplicate", "An SSH key of that name exists.");
  keys_.push_back({new_id(32), name, key});
  return data(Json{{"id", keys_.back().id}, {"name", name}, {"public_key", key}});
}

Reply LambdaServer::answer(const Request& request) {
  const std::string operation = operation_of(request);
  if (operation == "create") return launch(request);
  if (operation == "destroy") return terminate(request);
  if (operation == "register-key") return add_key(request);
  if (operation == "offers") {
    Json all = Json::object();
    for (const Type& type : types()) {
      Json regions = Json::array();
      if (text("capacity", "") != "none")
        for (const std::string& region : type.regions) regions.push_back(region_json(region));
      all[type.name] =
          Json{{"instance_type", type_json(type)}, {"regions_with_capacity_available", regions}};
    }
    return data(all);
  }
  if (operation == "ssh-keys") {
    Json all = Json::array();
    for (const SshKeyRow& row : keys_)
      all.push_back(Json{{"id", row.id}, {"name", row.name}, {"public_key", row.key}});
    return data(all);
  }
  if (operation == "list") {
    Json all = Json::array();
    for (const Machine& machine : machines_) all.push_back(instance(machine, now_s()));
    return data(all);
  }
  if (operation == "get") {
    const Machine* machine = find(parts_of(request.path).back());
    if (machine == nullptr)
      return error(404, "global/object-does-not-exist", "Specified instance does not exist.");
    return data(instance(*machine, now_s()));
  }
  return error(404, "global/not-found", "Not found.");
}

}  // namespace gpuready::cloud::servers
