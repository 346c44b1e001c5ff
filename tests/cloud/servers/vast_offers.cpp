#include "tests/cloud/servers/vast_offers.hpp"

#include <algorithm>
#include <set>

namespace gpuready::cloud::servers {

namespace {

constexpr double month_hours = 730;

struct Kind {
  const char* name;
  int gpu_ram_mb;
  int count;
  double base;  ///< USD/h, all GPUs
  int compute_cap;
};

/// Names with spaces and sizes as drivers report them; prices as the facts of 2026 tell them.
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> list{
      {"RTX 4090", 24564, 1, 0.31, 890},    {"RTX 3090", 24576, 1, 0.17, 860},
      {"H100 SXM", 81559, 1, 2.40, 900},    {"A100 SXM4", 81920, 1, 0.93, 800},
      {"A100 SXM4", 40960, 1, 0.76, 800},   {"Tesla T4", 15360, 1, 0.12, 750},
      {"L40S", 46068, 1, 0.60, 890},        {"RTX 4090", 49140, 1, 0.55, 890},  // modded
      {"RTX 4090", 24564, 4, 1.36, 890},    {"RTX 5090", 32607, 1, 0.42, 1200},
      {"RTX 6000Ada", 49140, 1, 0.62, 890}, {"Next GPU", 0, 1, 0.20, 900}};
  return list;
}

bool is_equal(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return a.get<double>() == b.get<double>();
  return a == b;
}

bool holds(const std::string& op, const Json& value, const Json& wanted) {
  if (op == "eq") return is_equal(value, wanted);
  if (op == "neq") return !is_equal(value, wanted);
  if (op == "in" || op == "notin") {
    const bool found =
        std::ranges::any_of(wanted, [&](const Json& x) { return is_equal(x, value); });
    return found == (op == "in");
  }
  if (!value.is_number() || !wanted.is_number()) return false;
  const double a = value.get<double>(), b = wanted.get<double>();
  if (op == "gt") return a > b;
  if (op == "gte") return a >= b;
  if (op == "lt") return a < b;
  return op == "lte" && a <= b;
}

Json offer(const Kind& kind, std::int64_t number) {
  const double base = kind.base * (1 + 0.01 * static_cast<double>(number % 37));
  Json out{{"id", 1000 + number},
           {"ask_contract_id", 1000 + number},
           {"machine_id", 500 + number},
           {"host_id", 90 + number % 50},
           {"gpu_name", kind.name},
           {"num_gpus", kind.count},
           {"gpu_frac", 1.0},
           {"gpu_ram", kind.gpu_ram_mb},
           {"gpu_total_ram", kind.gpu_ram_mb * kind.count},
           {"cpu_cores", 64},
           {"cpu_cores_effective", 16.0},
           {"cpu_ram", 257000},
           {"cpu_arch", number % 50 == 49 ? "arm64" : "amd64"},
           {"compute_cap", kind.compute_cap},
           {"disk_space", 420.5},
           {"dph_base", base},
           {"storage_cost", 0.15 + 0.01 * static_cast<double>(number % 5)}};
  out["min_bid"] = base / 2;
  out["inet_up_cost"] = 0.002, out["inet_down_cost"] = 0.002;
  out["inet_up"] = 500.0, out["inet_down"] = 800.0;
  out["reliability2"] = 0.90 + 0.001 * static_cast<double>(number % 100);
  out["reliability"] = out["reliability2"];
  out["verification"] = number % 9 == 8 ? "unverified" : "verified";
  out["verified"] = number % 9 != 8;
  out["rentable"] = true, out["rented"] = false, out["external"] = false;
  out["driver_version"] = "580.82.07";
  out["cuda_max_good"] = number % 11 == 10 ? 12.2 : 13.0;
  if (number % 7 == 6)
    out["geolocation"] = Json();
  else
    out["geolocation"] = number % 2 == 0 ? "Sweden, SE" : "California, US";
  out["duration"] = 1.0e6, out["end_date"] = 1.8e9;
  out["direct_port_count"] = number % 13 == 12 ? 0 : 100;
  out["static_ip"] = true, out["hosting_type"] = 0;
  out["public_ipaddr"] = "203.0.113.7";
  return out;
}

}  // namespace

std::vector<Json> make_offers(std::int64_t count) {
  std::vector<Json> list;
  const auto n = static_cast<std::int64_t>(kinds().size());
  for (std::int64_t i = 0; i < count; ++i)
    list.push_back(offer(kinds()[static_cast<std::size_t>(i % n)], i));
  return list;
}

bool passes(const Json& offer, const Json& query) {
  static const std::set<std::string> no_fields{"type", "order", "limit", "allocated_storage"};
  for (const auto& [field, conditions] : query.items()) {
    if (no_fields.contains(field) || !conditions.is_object()) continue;
    const Json value = offer.contains(field) ? offer[field] : Json();
    for (const auto& [op, wanted] : conditions.items())
      if (!holds(op, value, wanted)) return false;
  }
  return true;
}

Json priced(Json offer, double disk_gb) {
  offer["dph_total"] =
      offer["dph_base"].get<double>() + offer["storage_cost"].get<double>() * disk_gb / month_hours;
  offer["discounted_dph_total"] = offer["dph_total"];
  return offer;
}

}  // namespace gpuready::cloud::servers
