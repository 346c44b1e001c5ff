/// Vast.ai. Search and single instances in version 0, the list in version 1 (the old one is
/// retired); every path ends in a slash; a wrong key may come back as 401, 403 or 404.

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "cloud/api_client.hpp"
#include "cloud/find_in_list.hpp"
#include "cloud/gpu_names.hpp"
#include "cloud/providers.hpp"
#include "cloud/vast_offers.hpp"
#include "net/url.hpp"

namespace gpuready::cloud {

namespace {

/// Vast adds sshd itself; CUDA's libraries are what a benchmark needs.
constexpr std::string_view usual_image = "nvidia/cuda:12.8.1-cudnn-runtime-ubuntu22.04";
/// Least seconds between two calls of a kind (the specification's notes), with a little to spare.
constexpr double create_interval_s = 4.7, destroy_interval_s = 3.2, search_interval_s = 6.2,
                 key_interval_s = 1.1;
constexpr double gib = 1073741824.0, least_disk_gib = 8;
constexpr std::size_t longest_script = 4096;
/// ~ of login shells that drop into tmux, which our commands don't want.
constexpr std::string_view no_tmux = "touch ~/.no_auto_tmux\n";

class Vast : public Provider {
 public:
  explicit Vast(Access access)
      : names_(access.gpus),
        api_(std::move(access), "vast", [this](const ApiReply& reply) { return judge(reply); }) {}

  [[nodiscard]] std::string_view name() const override { return "vast"; }
  [[nodiscard]] Protection protection() const override { return Protection::in_machine_timer; }
  [[nodiscard]] double boot_deadline_s(const Offer& /*offer*/) const override { return 900; }
  [[nodiscard]] double poll_interval_s() const override { return 10; }

  Answer<std::vector<Offer>> offers(const OfferQuery& query) override;
  Answer<std::vector<Instance>> list() override;
  Answer<Instance> get(const std::string& id) override;
  Answer<std::string> create(const CreateRequest& request) override;
  Answer<void> destroy(const std::string& id) override;
  Answer<std::vector<SshKey>> ssh_keys() override;
  /// The key is attached to each machine instead: it needs no change of the account.
  Answer<std::string> register_key(const std::string& /*public_key*/) override { return {}; }
  Answer<void> attach_key(const std::string& id, const std::string& public_key) override;
  Answer<Account> account() override;

 private:
  static ApiRequest request(std::string method, std::string path) {
    ApiRequest request;
    request.method = std::move(method), request.path = "/api/" + std::move(path);
    return request;
  }
  static std::string instance_path(const std::string& id) {
    return "v0/instances/" + net::escape_url(id) + "/";
  }
  [[nodiscard]] std::optional<Fault> judge(const ApiReply& reply) const;
  /// The answer of a call that tells by `success` whether it was done.
  Answer<Json> done(const ApiRequest& request);

  GpuNames names_;
  ApiClient api_;
};

bool is_bad_key(const std::string& code, const std::string& words) {
  return code == "auth_error" || base::contains(words, "invalid user key") ||
         base::contains(words, "invalid api key") || base::contains(words, "session expired");
}

FaultKind kind_of(const ApiReply& reply, const std::string& code, const std::string& words) {
  constexpr int unauthorised = 401, retired = 410, not_found = 404, forbidden = 403;
  if (reply.status == unauthorised || is_bad_key(code, words)) return FaultKind::bad_key;
  // An offer that went away is a 404 or a 410 too.
  if (code == "no_such_ask" || base::contains(words, "no_such_ask")) return FaultKind::no_capacity;
  if (reply.status == retired || code == "deprecated_endpoint") return FaultKind::too_old;
  if (code == "no_such_instance" || reply.status == not_found) return FaultKind::gone;
  if (base::contains(code, "credit") || base::contains(words, "lacks credit"))
    return FaultKind::no_money;
  return reply.status == forbidden ? FaultKind::forbidden : FaultKind::refused;
}

/// {success, error, msg}, some of them, or only `message` or `detail`; a failed create may still
/// have made a machine.
std::optional<Fault> Vast::judge(const ApiReply& reply) const {
  constexpr int too_many = 429, no_money = 402, server_fault = 500;
  if (!reply.json.is_object() || reply.status == too_many || reply.status == no_money) return {};
  const std::string code = text_of(reply.json, "error");
  std::string words;
  for (const char* name : {"msg", "message", "detail"})
    if (words.empty()) words = text_of(reply.json, name);
  Fault fault;
  fault.instance_id = id_of(member(reply.json, "new_contract"));
  if (reply.status >= server_fault && fault.instance_id.empty()) return {};
  if (code.empty() && words.empty() && fault.instance_id.empty()) return {};
  fault.kind =
      reply.status >= server_fault ? FaultKind::server : kind_of(reply, code, base::lower(words));
  fault.code = code.empty() ? std::to_string(reply.status) : code;
  const std::string too_old =
      fault.kind == FaultKind::too_old
          ? "this gpuready is older than the interface; install a newer one: "
          : "";
  const std::string bad_key =
      fault.kind == FaultKind::bad_key ? "the API key is not accepted: " : "";
  fault.message =
      api_.shown("vast: " + too_old + bad_key + (words.empty() ? code : words) + " (HTTP " +
                 std::to_string(reply.status) + (code.empty() ? "" : ", " + code) + ")");
  return fault;
}

Answer<Json> Vast::done(const ApiRequest& request) {
  auto json = api_.ask(request);
  if (!json) return json;
  if (!json->is_object()) return tl::unexpected(api_.garbled("an answer that is no object"));
  const Json& success = member(*json, "success");
  if (success.is_boolean() && success.get<bool>()) return json;
  constexpr int ok = 200;
  if (auto fault = judge({ok, *json, false, true})) return tl::unexpected(std::move(*fault));
  return tl::unexpected(api_.garbled("an answer that doesn't say whether it was done"));
}

Answer<std::vector<Offer>> Vast::offers(const OfferQuery& query) {
  ApiRequest asked = request("POST", "v0/bundles/");
  asked.body = base::dump_json(vast_search(query), false);
  asked.repeatable = true, asked.group = "search", asked.interval_s = search_interval_s;
  asked.max_bytes = std::int64_t{64} << 20U;  // some 3 kB an offer
  asked.deadline = std::chrono::milliseconds(60000);
  const auto json = api_.ask(asked);
  if (!json) return tl::unexpected(json.error());
  const Json& rows = member(*json, "offers");
  if (!rows.is_array()) return tl::unexpected(api_.garbled("a search without 'offers'"));
  if (static_cast<std::int64_t>(rows.size()) >= most_vast_offers)
    return tl::unexpected(api_.garbled("more offers than can be asked for at once"));
  std::vector<Offer> out;
  out.reserve(rows.size());
  for (const Json& row : rows) {
    auto offer = vast_offer(row, query, names_);
    if (!offer) return tl::unexpected(api_.garbled("an offer without id or GPU"));
    out.push_back(std::move(*offer));
  }
  return out;
}

/// All pages of 25 rows, and as many rows as the server counts.
Answer<std::vector<Instance>> Vast::list() {
  std::vector<Instance> out;
  std::set<std::string> seen;
  for (std::string token, more = "first"; !more.empty(); more = token) {
    const auto json = api_.ask(
        request("GET", "v1/instances/?limit=25" +
                           (token.empty() ? "" : "&after_token=" + net::escape_url(token))));
    if (!json) return tl::unexpected(json.error());
    const Json& rows = member(*json, "instances");
    if (!rows.is_array()) return tl::unexpected(api_.garbled("a list without 'instances'"));
    for (const Json& row : rows) {
      out.push_back(vast_instance(row));
      if (out.back().id.empty()) return tl::unexpected(api_.garbled("an instance without id"));
    }
    token = text_of(*json, "next_token");
    if (!token.empty() && !seen.insert(token).second)
      return tl::unexpected(api_.garbled("a list whose pages don't end"));
    const auto total = integer_of(*json, "total_instances");
    if (token.empty() && total && *total > static_cast<std::int64_t>(out.size()))
      return tl::unexpected(api_.garbled("a list that lacks some of its instances"));
  }
  return out;
}

Answer<Instance> Vast::get(const std::string& id) {
  const auto json = api_.ask(request("GET", instance_path(id) + "?owner=me"));
  if (!json && json.error().kind == FaultKind::gone) return find_in_list(*this, id);
  if (!json) return tl::unexpected(json.error());
  if (!json->is_object() || !json->contains("instances"))
    return tl::unexpected(api_.garbled("an answer without 'instances'"));
  const Json& row = member(*json, "instances");  // one object, in spite of its name
  if (row.is_null()) return find_in_list(*this, id);
  Instance out = vast_instance(row);
  if (out.id != id) return tl::unexpected(api_.garbled("another instance than asked for"));
  return out;
}

Answer<std::string> Vast::create(const CreateRequest& request) {
  const std::string script = std::string(no_tmux) + request.start_script;
  if (script.size() > longest_script || id_of(Json(request.offer.id)).empty())
    return tl::unexpected(Fault{FaultKind::refused, "offer",
                                "vast: a start script over 4096 bytes, or no offer's id", 0, ""});
  const double disk = static_cast<double>(request.offer.disk_bytes.value_or(0)) / gib;
  ApiRequest asked = this->request("PUT", "v0/asks/" + request.offer.id + "/");
  asked.group = "create", asked.interval_s = create_interval_s;
  Json body{{"client_id", "me"},
            {"image", request.image.empty() ? std::string(usual_image) : request.image},
            {"disk",
             disk > 0 ? std::max(disk, least_disk_gib) : static_cast<double>(usual_vast_disk_gib)},
            {"label", request.name},
            {"runtype", "ssh_direc ssh_proxy"},  // so spelled by Vast's own client
            {"onstart", script}};
  body["cancel_unavail"] = true;  // fail, rather than wait for the machine
  asked.body = base::dump_json(body, false);
  const auto json = done(asked);
  if (!json) return tl::unexpected(json.error());
  const std::string id = id_of(member(*json, "new_contract"));
  if (id.empty()) return tl::unexpected(api_.garbled("a new contract without id"));
  return id;
}

Answer<void> Vast::destroy(const std::string& id) {
  ApiRequest asked = request("DELETE", instance_path(id));
  asked.group = "destroy", asked.interval_s = destroy_interval_s;
  const auto json = done(asked);
  if (json || json.error().kind == FaultKind::gone) return {};
  return tl::unexpected(json.error());
}

/// 404 where there is none, in the provider's own words.
Answer<std::vector<SshKey>> Vast::ssh_keys() {
  const auto json = api_.ask(request("GET", "v0/ssh/"));
  if (!json && json.error().kind == FaultKind::gone) return std::vector<SshKey>{};
  if (!json) return tl::unexpected(json.error());
  if (!json->is_array()) return tl::unexpected(api_.garbled("a list of SSH keys that is none"));
  std::vector<SshKey> out;
  for (const Json& item : *json) {
    const Json& key = member(item, "key");
    out.push_back(
        {text_of(item, "id"), "", key.is_string() ? base::printable(key.get<std::string>()) : ""});
  }
  return out;
}

Answer<void> Vast::attach_key(const std::string& id, const std::string& public_key) {
  ApiRequest asked = request("POST", instance_path(id) + "ssh/");
  asked.body = base::dump_json(Json{{"ssh_key", public_key}}, false);
  asked.repeatable = true;  // the same key once more changes nothing
  asked.group = "key", asked.interval_s = key_interval_s;
  const auto json = done(asked);
  if (!json) return tl::unexpected(json.error());
  return {};
}

Answer<Account> Vast::account() {
  const auto json = api_.ask(request("GET", "v0/users/current/"));
  if (!json) return tl::unexpected(json.error());
  if (!json->is_object()) return tl::unexpected(api_.garbled("an account that is no object"));
  return Account{number_of(*json, "balance")};
}

}  // namespace

std::unique_ptr<Provider> make_vast(Access access) {
  return std::make_unique<Vast>(std::move(access));
}

}  // namespace gpuready::cloud
