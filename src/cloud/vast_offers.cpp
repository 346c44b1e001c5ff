#include "cloud/vast_offers.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace gpuready::cloud {

namespace {

constexpr double gib = 1073741824.0, mib = 1048576.0;
/// Of a machine's past, as dstack takes it; below it most hosts fail somewhere (selkies#46).
constexpr double least_reliability = 0.9;
/// What the usual image needs of the driver (vast.cpp).
constexpr double least_cuda = 12.8;

double disk_gib(const OfferQuery& query) {
  return query.disk_bytes > 0 ? static_cast<double>(query.disk_bytes) / gib
                              : static_cast<double>(usual_vast_disk_gib);
}

std::string arch_of(const std::string& told) {
  if (told == "amd64" || told == "x86_64") return "x86_64";
  if (told == "arm64" || told == "aarch64") return "aarch64";
  return told;
}

void set_price(Offer& offer, const Json& row, double disk) {
  const auto total = number_of(row, "dph_total"), machine = number_of(row, "dph_base");
  offer.disk_bytes = Fact<std::int64_t>(static_cast<std::int64_t>(disk * gib), "as asked for");
  if (!total || *total <= 0) {
    offer.usd_per_hour = Fact<double>::absent(Absence::unreadable, "vast tells no price");
    offer.disk_usd_per_hour = offer.usd_per_hour;
    return;
  }
  offer.usd_per_hour = Fact<double>(*total, "vast: dph_total");
  offer.disk_usd_per_hour =
      machine && *machine <= *total
          ? Fact<double>(*total - *machine, "vast: dph_total - dph_base")
          : Fact<double>::absent(Absence::unreadable, "vast tells no price without the disk");
}

/// null: being set up; loading: its image comes. frozen still costs.
State state_of(const std::string& status) {
  if (status.empty()) return State::requested;
  if (status == "loading" || status == "created" || status == "rebooting") return State::booting;
  if (status == "running") return State::running;
  if (status == "stopped" || status == "frozen") return State::stopped;
  if (status == "exited" || status == "offline" || status == "unknown") return State::unhealthy;
  return State::unknown;
}

/// These never become running (Vast's own warning, dstack).
std::string dead_because(const Json& row, const std::string& status) {
  const std::string why = text_of(row, "status_msg");
  const std::string more = why.empty() ? "" : ": " + why;
  if (status == "exited" || status == "offline" || status == "unknown" || status == "frozen")
    return "vast says " + status + more;
  if (status == "created" && base::contains(why, "OCI runtime create failed"))
    return "its container can't be started" + more;
  const auto all_stopped = [&](const char* name) { return text_of(row, name) == "stopped"; };
  if (status == "stopped" ||
      (all_stopped("cur_state") && all_stopped("intended_status") && all_stopped("next_state")))
    return "vast stopped it" + more;
  return {};
}

bool is_port(std::int64_t port) {
  constexpr std::int64_t most = 65535;
  return port >= 1 && port <= most;
}

/// The direct way: the public address and the port that 22/tcp is mapped to.
std::optional<net::SshTarget> direct_ssh(const Json& row) {
  const std::string host = text_of(row, "public_ipaddr");
  const Json& mapped = member(member(row, "ports"), "22/tcp");
  if (host.empty() || !mapped.is_array() || mapped.empty()) return {};
  const auto port = mapped[0].is_object() ? integer_of(mapped[0], "HostPort")
                                          : integer_of(mapped[0]);  // an older form
  if (!port || !is_port(*port)) return {};
  return net::SshTarget{"root", host, static_cast<int>(*port)};
}

/// The provider's proxy, one port further where the image runs Jupyter (vast-cli).
std::optional<net::SshTarget> proxy_ssh(const Json& row) {
  const std::string host = text_of(row, "ssh_host");
  const auto port = integer_of(row, "ssh_port");
  if (host.empty() || !port) return {};
  const std::int64_t used = *port + (base::contains(text_of(row, "image_runtype"), "jupyter"));
  if (!is_port(used)) return {};
  return net::SshTarget{"root", host, static_cast<int>(used)};
}

}  // namespace

Json vast_search(const OfferQuery& query) {
  Json body{{"verified", {{"eq", true}}},
            {"rentable", {{"eq", true}}},
            {"rented", {{"eq", false}}},
            {"external", {{"eq", false}}},
            {"reliability2", {{"gte", least_reliability}}},
            {"direct_port_count", {{"gte", 1}}},
            {"cuda_max_good", {{"gte", least_cuda}}},
            {"type", "on-demand"}};
  if (query.gpu_count > 0) body["num_gpus"] = Json{{"eq", query.gpu_count}};
  body["order"] = Json::array({Json::array({"dph_total", "asc"})});
  body["limit"] = most_vast_offers;
  body["allocated_storage"] = disk_gib(query);
  return body;
}

std::optional<Offer> vast_offer(const Json& row, const OfferQuery& query, GpuNames& names) {
  Offer offer;
  offer.provider = "vast", offer.kind = "on-demand";
  offer.id = id_of(member(row, "id"));
  const std::string told = text_of(row, "gpu_name");
  const auto count = integer_of(row, "num_gpus");
  if (offer.id.empty() || told.empty() || !count || *count < 1) return {};
  offer.gpu_count = *count;
  const auto ram = number_of(row, "gpu_ram");
  constexpr double most_mib = 1e7;
  if (ram && *ram > 0 && *ram < most_mib)
    offer.vram_bytes_per_gpu =
        Fact<std::int64_t>(static_cast<std::int64_t>(*ram * mib), "vast: gpu_ram");
  else
    offer.vram_bytes_per_gpu =
        Fact<std::int64_t>::absent(Absence::not_found, "vast tells no memory of this GPU");
  names.fill(offer, told);
  set_price(offer, row, disk_gib(query));
  offer.region = text_of(row, "geolocation");
  const Json& rentable = member(row, "rentable");
  offer.available = rentable.is_boolean() ? Fact<bool>(rentable.get<bool>(), "vast: rentable")
                                          : Fact<bool>(true, "vast: it was asked for these alone");
  offer.cpu_arch = arch_of(text_of(row, "cpu_arch"));
  return offer;
}

Instance vast_instance(const Json& row) {
  Instance out;
  out.provider = "vast", out.id = id_of(member(row, "id"));
  out.name = text_of(row, "label");
  const std::string status = text_of(row, "actual_status");
  out.state_as_told = status.empty() ? "provisioning" : status;
  out.state = state_of(status);
  out.dead_because = dead_because(row, status);
  out.gpu = text_of(row, "gpu_name");
  out.gpu_count = integer_of(row, "num_gpus").value_or(0);
  out.usd_per_hour = number_of(row, "dph_total");
  out.region = text_of(row, "geolocation");
  if (out.state == State::running) {
    out.ssh = direct_ssh(row);
    if (!out.ssh) out.ssh = proxy_ssh(row);
  }
  return out;
}

}  // namespace gpuready::cloud
