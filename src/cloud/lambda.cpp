/// Lambda Cloud (OpenAPI 1.10.0). Virtual machines; one key can do everything; prices in cents of
/// the whole machine; "no capacity" is a 400.

#include <algorithm>
#include <cctype>
#include <functional>

#include "base/format.hpp"
#include "base/text.hpp"
#include "cloud/api_client.hpp"
#include "cloud/find_in_list.hpp"
#include "cloud/gpu_names.hpp"
#include "cloud/providers.hpp"
#include "net/url.hpp"

namespace gpuready::cloud {

namespace {

constexpr double gib = 1073741824.0, cents = 100;
/// About one call a second, one launch in 12 seconds; and a little to spare.
constexpr double call_interval_s = 1.05, launch_interval_s = 12.5;

/// "1x A10 (24 GB PCIe)": the number before "GB"; 0 where there is none.
double gigabytes_in(std::string_view description) {
  const std::size_t unit = description.find("GB");
  if (unit == std::string_view::npos) return 0;
  const std::string_view before = base::trim(description.substr(0, unit));
  const std::size_t digits = before.find_last_not_of("0123456789.") + 1;  // npos + 1 is 0
  return base::to_number(before.substr(digits)).value_or(0);
}

/// "A100 (40 GB SXM4)" as words for the table of GPUs.
std::string gpu_words(std::string text) {
  std::erase_if(text, [](char c) { return c == '(' || c == ')'; });
  return text;
}

State state_of(std::string_view status) {
  if (status == "booting") return State::booting;
  if (status == "active") return State::running;
  if (status == "unhealthy" || status == "preempted") return State::unhealthy;
  if (status == "terminating") return State::terminating;
  if (status == "terminated") return State::gone;
  return State::unknown;
}

/// Type and material of a key, without its comment.
std::string key_material(std::string_view key) {
  const auto words = base::split(base::trim(key), ' ');
  return words.size() < 2 ? std::string(base::trim(key)) : words[0] + " " + words[1];
}

class Lambda : public Provider {
 public:
  explicit Lambda(Access access)
      : names_(access.gpus),
        api_(std::move(access), "lambda", [this](const ApiReply& reply) { return judge(reply); }) {}

  [[nodiscard]] std::string_view name() const override { return "lambda"; }
  [[nodiscard]] Protection protection() const override { return Protection::local_reaper; }
  /// 3 to 15 minutes, 25 for eight H100 (dstack#2342).
  [[nodiscard]] double boot_deadline_s(const Offer& offer) const override {
    return offer.gpu_count >= 8 ? 1800 : 1200;
  }
  [[nodiscard]] double poll_interval_s() const override { return 5; }

  Answer<std::vector<Offer>> offers(const OfferQuery& query) override;
  Answer<std::vector<Instance>> list() override;
  Answer<Instance> get(const std::string& id) override;
  Answer<std::string> create(const CreateRequest& request) override;
  Answer<void> destroy(const std::string& id) override;
  Answer<std::vector<SshKey>> ssh_keys() override;
  Answer<std::string> register_key(const std::string& public_key) override;
  Answer<void> attach_key(const std::string& /*id*/, const std::string& /*public_key*/) override {
    return {};
  }
  Answer<Account> account() override {
    const auto keys = ssh_keys();
    if (!keys) return tl::unexpected(keys.error());
    return Account{};
  }

 private:
  static ApiRequest request(std::string path) {
    ApiRequest request;
    request.path = "/api/v1/" + std::move(path);
    request.group = "all", request.interval_s = call_interval_s;
    return request;
  }
  static ApiRequest post(std::string path, const Json& body) {
    ApiRequest out = request(std::move(path));
    out.method = "POST", out.body = base::dump_json(body, false);
    return out;
  }
  [[nodiscard]] std::optional<Fault> judge(const ApiReply& reply) const;
  /// The member `data` of an answer.
  Answer<Json> data_of(const ApiRequest& request);
  [[nodiscard]] Instance instance_of(const Json& item) const;
  void add_offers(const Json& item, std::vector<Offer>& out);

  GpuNames names_;
  ApiClient api_;
  std::optional<double> launched_s_;
};

FaultKind kind_of(std::string_view code, int status) {
  if (code == "global/invalid-api-key") return FaultKind::bad_key;
  if (code == "instance-operations/launch/insufficient-capacity") return FaultKind::no_capacity;
  if (code == "global/object-does-not-exist" || code == "global/not-found") return FaultKind::gone;
  if (code == "global/forbidden" || code == "global/account-inactive" ||
      code == "global/invalid-address")
    return FaultKind::forbidden;
  if (base::starts_with(code, "provider/")) return FaultKind::server;
  return status == 409 ? FaultKind::busy : FaultKind::refused;
}

/// Only the code counts; the message may change. Statuses that say enough keep their usual meaning.
std::optional<Fault> Lambda::judge(const ApiReply& reply) const {
  constexpr int retired = 410, too_many = 429, server_fault = 500;
  if (reply.status == retired || reply.status == too_many || reply.status >= server_fault)
    return {};
  const Json& error = member(reply.json, "error");
  const std::string code = text_of(error, "code");
  if (code.empty()) return {};
  const FaultKind kind = kind_of(code, reply.status);
  const std::string suggestion = text_of(error, "suggestion");
  return Fault{kind, code,
               api_.shown("lambda: " + text_of(error, "message") + " (" + code + ")" +
                          (suggestion.empty() ? "" : " " + suggestion)),
               0, ""};
}

Answer<Json> Lambda::data_of(const ApiRequest& request) {
  auto json = api_.ask(request);
  if (!json) return json;
  if (!json->is_object() || !json->contains("data"))
    return tl::unexpected(api_.garbled("an answer without 'data'"));
  return std::move((*json)["data"]);
}

void Lambda::add_offers(const Json& item, std::vector<Offer>& out) {
  const Json& type = member(item, "instance_type");
  const Json& specs = member(type, "specs");
  Offer offer;
  offer.provider = "lambda", offer.kind = "on-demand";
  offer.gpu_count = integer_of(specs, "gpus").value_or(0);
  const std::string type_name = text_of(type, "name");
  std::string told = text_of(type, "gpu_description");
  if (told.empty()) told = text_of(type, "description");
  if (const double size = std::max(gigabytes_in(told), gigabytes_in(text_of(type, "description")));
      size > 0 && size < 10000)
    offer.vram_bytes_per_gpu =
        Fact<std::int64_t>(static_cast<std::int64_t>(size * gib), "lambda: description");
  else
    offer.vram_bytes_per_gpu = Fact<std::int64_t>::absent(
        Absence::not_found, "lambda's description says no memory: '" + told + "'");
  names_.fill(offer, told.substr(0, told.find(" (")));
  if (const auto* gpu = names_.find(gpu_words(told), offer.vram_bytes_per_gpu.value_or(0)))
    offer.gpu = gpu->name;
  const auto price = number_of(type, "price_cents_per_hour");
  offer.usd_per_hour = price && *price > 0
                           ? Fact<double>(*price / cents, "lambda: price_cents_per_hour")
                           : Fact<double>::absent(Absence::unreadable, "lambda tells no price");
  offer.disk_usd_per_hour = Fact<double>(0, "the disk is in the price");
  if (const auto storage = number_of(specs, "storage_gib"))
    offer.disk_bytes =
        Fact<std::int64_t>(static_cast<std::int64_t>(*storage * gib), "lambda: storage_gib");
  offer.cpu_arch = base::contains(type_name, "gh200") ? "aarch64" : "x86_64";
  const Json& regions = member(item, "regions_with_capacity_available");
  offer.available = Fact<bool>(!regions.empty(), "lambda: regions_with_capacity_available");
  offer.id = type_name + "@";
  if (regions.empty()) return out.push_back(offer);
  for (const Json& region : regions) {
    offer.region = text_of(region, "name");
    offer.id = type_name + "@" + offer.region;
    out.push_back(offer);
  }
}

Answer<std::vector<Offer>> Lambda::offers(const OfferQuery& query) {
  const auto data = data_of(request("instance-types"));
  if (!data) return tl::unexpected(data.error());
  if (!data->is_object()) return tl::unexpected(api_.garbled("a list of types that is no object"));
  std::vector<Offer> out;
  for (const auto& entry : data->items()) {
    const Json& item = entry.value();
    const Json& type = member(item, "instance_type");
    const auto gpus = integer_of(member(type, "specs"), "gpus");
    if (text_of(type, "name").empty() || !gpus ||
        !member(item, "regions_with_capacity_available").is_array())
      return tl::unexpected(api_.garbled("a type without name, GPUs or regions"));
    if (*gpus > 0 && (query.gpu_count == 0 || query.gpu_count == *gpus)) add_offers(item, out);
  }
  return out;
}

Instance Lambda::instance_of(const Json& item) const {
  Instance out;
  out.provider = "lambda", out.id = id_of(member(item, "id"));
  out.name = text_of(item, "name");
  out.state_as_told = text_of(item, "status");
  out.state = state_of(out.state_as_told);
  const Json& type = member(item, "instance_type");
  out.gpu = text_of(type, "gpu_description");
  out.gpu_count = integer_of(member(type, "specs"), "gpus").value_or(0);
  if (const auto price = number_of(type, "price_cents_per_hour")) out.usd_per_hour = *price / cents;
  out.region = text_of(member(item, "region"), "name");
  if (const std::string ip = text_of(item, "ip"); !ip.empty() && out.state == State::running)
    out.ssh = net::SshTarget{"ubuntu", ip, 22};
  if (out.state_as_told == "preempted") out.dead_because = "lambda took the machine back";
  return out;
}

Answer<std::vector<Instance>> Lambda::list() {
  const auto data = data_of(request("instances"));
  if (!data) return tl::unexpected(data.error());
  if (!data->is_array()) return tl::unexpected(api_.garbled("a list of instances that is none"));
  std::vector<Instance> out;
  for (const Json& item : *data) {
    out.push_back(instance_of(item));
    if (out.back().id.empty()) return tl::unexpected(api_.garbled("an instance without id"));
  }
  return out;
}

Answer<Instance> Lambda::get(const std::string& id) {
  const auto data = data_of(request("instances/" + net::escape_url(id)));
  if (!data && data.error().kind == FaultKind::gone) return find_in_list(*this, id);
  if (!data) return tl::unexpected(data.error());
  Instance out = instance_of(*data);
  if (out.id != id) return tl::unexpected(api_.garbled("another instance than asked for"));
  return out;
}

Answer<std::string> Lambda::create(const CreateRequest& request) {
  const std::size_t at = request.offer.id.rfind('@');
  const std::string type = request.offer.id.substr(0, at);
  const std::string region = at == std::string::npos ? "" : request.offer.id.substr(at + 1);
  if (region.empty())
    return tl::unexpected(
        Fault{FaultKind::no_capacity, "sold-out", "lambda: " + type + " is sold out", 0, ""});
  Json body{{"region_name", region},
            {"instance_type_name", type},
            {"ssh_key_names", Json::array({request.ssh_key_name})},
            {"name", request.name}};
  body["tags"] = Json::array({Json{{"key", "gpuready"}, {"value", request.name}}});
  if (launched_s_) {  // two groups wait: for launches, and for all calls
    const double passed_s = api_.access().pace.now_s() - *launched_s_;
    if (passed_s < launch_interval_s) api_.access().pace.sleep_s(launch_interval_s - passed_s);
  }
  const auto data = data_of(post("instance-operations/launch", body));
  launched_s_ = api_.access().pace.now_s();
  if (!data) return tl::unexpected(data.error());
  const Json& ids = member(*data, "instance_ids");
  const std::string id = ids.is_array() && ids.size() == 1 ? id_of(ids[0]) : "";
  if (id.empty()) return tl::unexpected(api_.garbled("a launch without one id"));
  return id;
}

/// One id a call: an unknown one would spoil the others. The API refuses while a machine boots, and
/// answers with unclear codes for one that is ending already.
Answer<void> Lambda::destroy(const std::string& id) {
  ApiRequest ending =
      post("instance-operations/terminate", Json{{"instance_ids", Json::array({id})}});
  ending.repeatable = true;
  const auto data = data_of(ending);
  if (data) {
    const Json& ended = member(*data, "terminated_instances");
    const bool named = ended.is_array() && std::ranges::any_of(ended, [&](const Json& one) {
                         return text_of(one, "id") == id;
                       });
    if (named) return {};
    return tl::unexpected(api_.garbled("a termination that doesn't name the machine"));
  }
  const Fault& fault = data.error();
  if (fault.kind == FaultKind::gone) return {};
  if (fault.kind != FaultKind::refused && fault.kind != FaultKind::busy)
    return tl::unexpected(fault);
  const auto now = get(id);
  if (now && (now->state == State::terminating || now->state == State::gone)) return {};
  Fault later = fault;
  later.kind = FaultKind::busy;
  return tl::unexpected(later);
}

Answer<std::vector<SshKey>> Lambda::ssh_keys() {
  const auto data = data_of(request("ssh-keys"));
  if (!data) return tl::unexpected(data.error());
  if (!data->is_array()) return tl::unexpected(api_.garbled("a list of SSH keys that is none"));
  std::vector<SshKey> out;
  for (const Json& item : *data) {
    const Json& key = member(item, "public_key");
    out.push_back({text_of(item, "id"), text_of(item, "name"),
                   key.is_string() ? base::printable(key.get<std::string>()) : ""});
  }
  return out;
}

/// The name comes from the key itself, so that the same key is registered once.
Answer<std::string> Lambda::register_key(const std::string& public_key) {
  const auto known = ssh_keys();
  if (!known) return tl::unexpected(known.error());
  const std::string material = key_material(public_key);
  for (const SshKey& key : *known)
    if (key_material(key.public_key) == material) return key.name;
  const std::string name = base::format("gpuready-{:016x}", std::hash<std::string>{}(material));
  ApiRequest adding = post("ssh-keys", Json{{"name", name}, {"public_key", public_key}});
  adding.repeatable = true;
  const auto data = data_of(adding);
  if (data && text_of(*data, "name") == name) return name;
  // A repeat of what was carried out is refused as a duplicate.
  const auto now = ssh_keys();
  if (now)
    for (const SshKey& key : *now)
      if (key_material(key.public_key) == material) return key.name;
  if (!data) return tl::unexpected(data.error());
  return tl::unexpected(api_.garbled("another SSH key than was sent"));
}

}  // namespace

std::unique_ptr<Provider> make_lambda(Access access) {
  return std::make_unique<Lambda>(std::move(access));
}

}  // namespace gpuready::cloud
