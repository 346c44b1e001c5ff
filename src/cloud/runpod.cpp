/// RunPod (REST v2). Containers; prices per GPU; a shortage is a 400 without a code; unknown
/// members of a request are refused.

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "cloud/api_client.hpp"
#include "cloud/base64.hpp"
#include "cloud/find_in_list.hpp"
#include "cloud/gpu_names.hpp"
#include "cloud/providers.hpp"
#include "cloud/runpod_offers.hpp"
#include "net/url.hpp"

namespace gpuready::cloud {

namespace {

/// Has sshd, which takes PUBLIC_KEY, and CUDA's libraries (docker hub, runpod/pytorch).
constexpr std::string_view usual_image =
    "runpod/pytorch:2.8.0-py3.11-cuda12.8.1-cudnn-devel-ubuntu22.04";
/// What that image needs of the driver.
constexpr std::string_view least_cuda = "12.8";
constexpr double gb = 1e9;
constexpr std::int64_t usual_disk_gb = 20;

State state_of(std::string_view status) {
  if (status == "PROVISIONING") return State::requested;
  if (status == "STARTING") return State::booting;
  if (status == "RUNNING") return State::running;
  if (status == "EXITED") return State::stopped;
  if (status == "ERROR") return State::unhealthy;
  if (status == "TERMINATED") return State::gone;
  return State::unknown;
}

/// The direct way alone: the proxy takes no files and needs a terminal.
std::optional<net::SshTarget> ssh_of(const Json& pod) {
  const Json& direct = member(member(pod, "ssh"), "direct");
  const std::string host = text_of(direct, "host");
  const auto port = integer_of(direct, "port");
  constexpr std::int64_t most_port = 65535;
  if (host.empty() || !port || *port < 1 || *port > most_port) return {};
  const std::string user = text_of(direct, "username");
  return net::SshTarget{user.empty() ? "root" : user, host, static_cast<int>(*port)};
}

/// Runs the script beside the image's own start. In base64, since the field is one string that the
/// server splits into words.
std::string start_arguments(const std::string& script) {
  return "bash -c 'echo " + base64(script) + " | base64 -d | sh; exec /start.sh'";
}

class Runpod : public Provider {
 public:
  explicit Runpod(Access access)
      : names_(access.gpus),
        api_(std::move(access), "runpod", [this](const ApiReply& reply) { return judge(reply); }) {}

  [[nodiscard]] std::string_view name() const override { return "runpod"; }
  [[nodiscard]] Protection protection() const override { return Protection::in_machine_timer; }
  /// The image is some 10 GB; a pod without a public address never gets one.
  [[nodiscard]] double boot_deadline_s(const Offer& /*offer*/) const override { return 900; }
  [[nodiscard]] double poll_interval_s() const override { return 5; }

  Answer<std::vector<Offer>> offers(const OfferQuery& query) override;
  Answer<std::vector<Instance>> list() override;
  Answer<Instance> get(const std::string& id) override;
  Answer<std::string> create(const CreateRequest& request) override;
  Answer<void> destroy(const std::string& id) override;
  Answer<std::vector<SshKey>> ssh_keys() override;
  /// Keys go with each pod, in PUBLIC_KEY: the account's list could only be replaced as a whole.
  Answer<std::string> register_key(const std::string& /*public_key*/) override { return {}; }
  Answer<void> attach_key(const std::string& /*id*/, const std::string& /*public_key*/) override {
    return {};
  }
  Answer<Account> account() override {
    const auto pods = list();
    if (!pods) return tl::unexpected(pods.error());
    return Account{};
  }

 private:
  static ApiRequest request(std::string path) {
    ApiRequest request;
    request.path = "/v2/" + std::move(path);
    return request;
  }
  [[nodiscard]] std::optional<Fault> judge(const ApiReply& reply) const;
  [[nodiscard]] static Instance instance_of(const Json& pod);
  static Json pod_body(const CreateRequest& request, const RunpodOfferId& offer);

  GpuNames names_;
  ApiClient api_;
};

/// The words of "problem+json".
std::optional<Fault> Runpod::judge(const ApiReply& reply) const {
  constexpr int bad_request = 400, not_found = 404, conflict = 409, invalid = 422;
  const std::string detail = text_of(reply.json, "detail");
  FaultKind kind = FaultKind::refused;
  if (reply.status == not_found)
    kind = FaultKind::gone;
  else if (reply.status == conflict)
    kind = FaultKind::busy;
  else if (reply.status != bad_request && reply.status != invalid)
    return {};
  if (!reply.is_json || detail.empty()) return {};
  std::string more;
  const Json& errors = member(reply.json, "errors");
  if (errors.is_array() && !errors.empty()) more = ": " + text_of(errors[0]);
  return Fault{
      kind, std::to_string(reply.status),
      api_.shown("runpod: " + detail + more + " (HTTP " + std::to_string(reply.status) + ")"), 0,
      ""};
}

Answer<std::vector<Offer>> Runpod::offers(const OfferQuery& query) {
  const std::vector<std::int64_t> counts = query.gpu_count > 0
                                               ? std::vector<std::int64_t>{query.gpu_count}
                                               : std::vector<std::int64_t>{1, 2, 4, 8};
  const double disk_bytes =
      query.disk_bytes > 0 ? static_cast<double>(query.disk_bytes) : usual_disk_gb * gb;
  std::vector<Offer> out;
  for (const std::int64_t count : counts)
    for (const bool community : {false, true}) {
      const auto json = api_.ask(request("catalog/gpus?include=AVAILABILITY&product=POD&cloud=" +
                                         std::string(community ? "COMMUNITY" : "SECURE") +
                                         "&count=" + std::to_string(count)));
      if (!json) return tl::unexpected(json.error());
      const Json& types = member(*json, "gpus");
      if (!types.is_array()) return tl::unexpected(api_.garbled("a catalogue without 'gpus'"));
      for (const Json& type : types) {
        if (text_of(type, "id").empty())
          return tl::unexpected(api_.garbled("a GPU type without id"));
        if (const auto offer = runpod_offer(type, {community, count, disk_bytes}, names_))
          out.push_back(*offer);
      }
    }
  return out;
}

Instance Runpod::instance_of(const Json& pod) {
  Instance out;
  out.provider = "runpod", out.id = id_of(member(pod, "id"));
  out.name = text_of(pod, "name");
  out.state_as_told = text_of(pod, "status");
  out.state = state_of(out.state_as_told);
  out.gpu = text_of(member(pod, "gpu"), "id");
  out.gpu_count = integer_of(member(pod, "gpu"), "count").value_or(0);
  out.region = text_of(pod, "dataCenterId");
  out.usd_per_hour = number_of(pod, "cost");
  if (out.state == State::running) out.ssh = ssh_of(pod);
  if (out.state == State::stopped || out.state == State::unhealthy)
    out.dead_because = "runpod says " + out.state_as_told;
  return out;
}

/// All pages. The specification knows none, later clients follow a cursor.
Answer<std::vector<Instance>> Runpod::list() {
  std::vector<Instance> out;
  std::set<std::string> seen;
  for (std::string path = "pods"; !path.empty();) {
    const auto json = api_.ask(request(path));
    if (!json) return tl::unexpected(json.error());
    const Json& pods = member(*json, "pods");
    if (!pods.is_array()) return tl::unexpected(api_.garbled("a list without 'pods'"));
    for (const Json& pod : pods) {
      out.push_back(instance_of(pod));
      if (out.back().id.empty()) return tl::unexpected(api_.garbled("a pod without id"));
    }
    std::string cursor;
    bool more = false;
    for (const Json* place : {&*json, &member(*json, "pagination"), &member(*json, "page")}) {
      for (const char* word : {"nextCursor", "next_cursor", "cursor", "nextToken", "next_token"})
        if (cursor.empty()) cursor = text_of(*place, word);
      for (const char* word : {"hasMore", "has_more"}) more = more || member(*place, word) == true;
    }
    if (more && cursor.empty())
      return tl::unexpected(api_.garbled("a list with more pages, and no way to them"));
    if (!cursor.empty() && !seen.insert(cursor).second)
      return tl::unexpected(api_.garbled("a list whose pages don't end"));
    path = cursor.empty() ? "" : "pods?cursor=" + net::escape_url(cursor);
  }
  return out;
}

Answer<Instance> Runpod::get(const std::string& id) {
  const auto json = api_.ask(request("pods/" + net::escape_url(id)));
  if (!json && json.error().kind == FaultKind::gone) return find_in_list(*this, id);
  if (!json) return tl::unexpected(json.error());
  Instance out = instance_of(*json);
  if (out.id != id) return tl::unexpected(api_.garbled("another pod than asked for"));
  return out;
}

Json Runpod::pod_body(const CreateRequest& request, const RunpodOfferId& offer) {
  const auto disk_gb = static_cast<std::int64_t>(
      static_cast<double>(request.offer.disk_bytes.value_or(0)) / gb + 0.5);
  Json body{{"name", request.name},
            {"image", request.image.empty() ? std::string(usual_image) : request.image},
            {"cloud", offer.community ? "COMMUNITY" : "SECURE"},
            {"disk", disk_gb > 0 ? disk_gb : usual_disk_gb}};
  body["gpu"] = Json{{"id", offer.gpu}, {"count", offer.count}};
  if (request.image.empty()) body["gpu"]["minCudaVersion"] = least_cuda;
  body["ports"] = Json::array({"22/tcp"});
  body["env"] = Json{{"PUBLIC_KEY", request.ssh_public_key}};
  if (!offer.community && !request.offer.region.empty()) {
    body["dataCenterIds"] = Json::array();
    for (const std::string& place : base::split(request.offer.region, ','))
      body["dataCenterIds"].push_back(std::string(base::trim(place)));
  }
  if (!request.start_script.empty()) body["args"] = start_arguments(request.start_script);
  return body;
}

Answer<std::string> Runpod::create(const CreateRequest& request) {
  const auto offer = parse_runpod_offer_id(request.offer.id);
  if (!offer)
    return tl::unexpected(Fault{
        FaultKind::refused, "offer",
        "runpod: '" + base::printable(request.offer.id) + "' is no offer of gpuready cloud offers",
        0, ""});
  ApiRequest asked = this->request("pods");
  asked.method = "POST";
  asked.body = base::dump_json(pod_body(request, *offer), false);
  auto json = api_.ask(asked);
  if (!json) {
    // Either no capacity or a broken rule, and no code that tells: the next offer may do.
    Fault fault = json.error();
    if (fault.code == "400") fault.kind = FaultKind::no_capacity;
    return tl::unexpected(std::move(fault));
  }
  const std::string id = id_of(member(*json, "id"));
  if (id.empty()) return tl::unexpected(api_.garbled("a new pod without id"));
  return id;
}

Answer<void> Runpod::destroy(const std::string& id) {
  ApiRequest asked = request("pods/" + net::escape_url(id));
  asked.method = "DELETE";
  const auto reply = api_.call(asked);
  if (reply || reply.error().kind == FaultKind::gone) return {};
  return tl::unexpected(reply.error());
}

Answer<std::vector<SshKey>> Runpod::ssh_keys() {
  const auto json = api_.ask(request("account/ssh-keys"));
  if (!json) return tl::unexpected(json.error());
  const Json& keys = member(*json, "keys");
  if (!keys.is_array()) return tl::unexpected(api_.garbled("a list without 'keys'"));
  std::vector<SshKey> out;
  for (const Json& key : keys)
    if (key.is_string()) out.push_back({"", "", base::printable(key.get<std::string>())});
  return out;
}

}  // namespace

std::unique_ptr<Provider> make_runpod(Access access) {
  return std::make_unique<Runpod>(std::move(access));
}

}  // namespace gpuready::cloud
