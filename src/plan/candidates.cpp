#include "plan/candidates.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <tuple>

#include "base/quantity.hpp"
#include "base/text.hpp"

namespace gpuready::plan {

namespace {

constexpr double gibibyte = 1024.0 * 1024 * 1024;

bool has(const std::vector<std::string>& list, const std::string& word) {
  return std::ranges::find(list, word) != list.end();
}

/// Gathers, and keeps why a place is left out.
class Gatherer {
 public:
  Gatherer(const PlanRequest& request, const catalog::Catalog& catalog) : request_(request) {
    if (!request.gpu.empty()) wanted_ = catalog::find_gpus(catalog.gpus, request.gpu);
  }

  /// Keeps the candidate if the request allows it.
  void add(Candidate candidate) {
    if (auto out = why_not(candidate))
      leave_out(candidate, out->first, std::move(out->second));
    else
      out_.candidates.push_back(std::move(candidate));
  }

  void leave_out(const Candidate& candidate, std::string reason, Message why) {
    out_.left_out.push_back(
        {candidate.where, candidate.gpu, candidate.gpu_count, std::move(reason), std::move(why)});
  }

  [[nodiscard]] Gathered& out() { return out_; }

 private:
  using Reason = std::pair<std::string, Message>;

  [[nodiscard]] std::optional<Reason> why_not(const Candidate& c) const {
    const bool here = base::starts_with(c.where, "this-");
    if (!here && !request_.providers.empty() && !has(request_.providers, c.where))
      return Reason{"providers", {"plan.out.providers", {}}};
    if (!request_.gpu.empty() && std::ranges::find(wanted_, c.row) == wanted_.end())
      return Reason{"gpu", {"plan.out.gpu", {request_.gpu}}};
    if (request_.cpu_hours > 0 && c.gpu_count > 1)
      return Reason{"one-gpu", {"plan.out.one-gpu", {}}};
    if (c.kind == "spot") return Reason{"spot", {"plan.out.spot", {}}};
    if (!c.usd_per_hour) return Reason{"unknown-price", {"plan.out.unknown-price", {}}};
    if (request_.max_price_usd_per_hour > 0 && *c.usd_per_hour > request_.max_price_usd_per_hour)
      return Reason{"max-price",
                    {"plan.out.max-price", {base::show_usd_per_hour(*c.usd_per_hour)}}};
    if (c.where != "this-cpu" && c.row == nullptr)
      return Reason{"unknown-gpu", {"plan.out.unknown-gpu", {c.gpu}}};
    return {};
  }

  const PlanRequest& request_;
  std::vector<const catalog::Gpu*> wanted_;
  Gathered out_;
};

void add_this_machine(const Machine& machine, const catalog::Catalog& catalog, Gatherer& to) {
  const Fact<double> free(0.0, "an own machine has no hourly price");
  Candidate cpu;
  cpu.where = "this-cpu", cpu.device = "cpu", cpu.usd_per_hour = free;
  to.add(cpu);
  std::map<std::string, Candidate> kinds;
  for (const Gpu& gpu : machine.gpus) {
    Candidate own;
    own.where = "this-gpu", own.usd_per_hour = free, own.gpu_count = 1;
    own.gpu = gpu.name.value_or("GPU");
    own.row = row_of(catalog.gpus, own.gpu, 0).row;
    own.device = "cuda:" + std::to_string(gpu.cuda_index.value_or(0));
    if (!gpu.kernel.is(true)) {
      to.leave_out(own, "not-usable", {"plan.out.not-usable", {own.gpu}});
      continue;
    }
    const auto [kind, is_new] = kinds.emplace(own.gpu, own);
    if (is_new)
      to.add(own);
    else
      ++kind->second.gpu_count;
  }
  // Those of one kind together are a place of their own.
  for (const auto& [name, together] : kinds)
    if (together.gpu_count > 1) to.add(together);
}

/// How far a price may have moved. Lists: Lambda's A10 and A100 rose by 50 and 34 % from May to
/// September 2026, RunPod's secure A100 by 29 % in three months, and none fell. Vast's market: the
/// median of H100 SXM went from 6.15 to 2.40 in twelve days.
PlanRange price_part(const std::string& provider, std::optional<std::int64_t> age_days) {
  constexpr std::int64_t old_days = 180;
  if (provider == "colab") return {1, 1, 1};
  if (provider == "vast" || !age_days || *age_days > old_days) return {0.6, 1, 1.6};
  return {1, 1, 1.5};
}

Candidate priced(const catalog::Price& price, const catalog::Catalog& catalog, std::int64_t today) {
  Candidate c;
  c.where = price.provider, c.kind = price.kind;
  const NamedRow named = row_of(catalog.gpus, price.gpu, price.vram_gib);
  c.row = named.row, c.gpu = named.row != nullptr ? named.row->name : price.gpu;
  if (!named.certain) c.notes.push_back({"plan.note.which-gpu", {price.gpu, c.gpu}});
  c.gpu_count = price.gpu_count, c.vram_gib = price.vram_gib;
  const std::string date(
      base::trim(std::string_view(price.as_of).substr(0, price.as_of.find('('))));
  c.usd_per_hour = Fact<double>(price.usd_per_hour, "data/prices.csv");
  c.price_as_of = Fact<std::string>(date, "data/prices.csv");
  const auto day = day_of(date);
  c.price_part =
      price_part(price.provider, day ? std::optional<std::int64_t>(today - *day) : std::nullopt);
  return c;
}

using Kind = std::tuple<std::string, std::string, std::int64_t, std::string>;
Kind kind_of(const Candidate& c) { return {c.where, c.gpu, c.gpu_count, c.kind}; }

/// Of rows for the same machine the newest one counts; of the same day the dearer.
void add_table(const catalog::Catalog& catalog, const Market& market, Gatherer& to) {
  std::map<Kind, std::pair<std::int64_t, Candidate>> newest;
  for (const catalog::Price& price : catalog.prices) {
    if (has(market.asked, price.provider)) continue;
    ++to.out().considered;
    Candidate c = priced(price, catalog, market.today);
    const std::int64_t day = day_of(c.price_as_of.value_or("")).value_or(0);
    const Kind kind = kind_of(c);
    const auto found = newest.find(kind);
    if (found == newest.end()) {
      newest.emplace(kind, std::pair{day, std::move(c)});
      continue;
    }
    auto& [known_day, known] = found->second;
    const bool better =
        day > known_day || (day == known_day && *c.usd_per_hour > *known.usd_per_hour);
    to.leave_out(better ? known : c, "same", {"plan.out.same-older", {}});
    if (better) known_day = day, known = std::move(c);
  }
  for (auto& [kind, entry] : newest) to.add(std::move(entry.second));
}

Candidate offered(const Offer& offer, const catalog::Catalog& catalog) {
  Candidate c;
  c.where = offer.provider, c.kind = offer.kind, c.region = offer.region, c.offer = offer.id;
  if (offer.vram_bytes_per_gpu)
    c.vram_gib = static_cast<double>(*offer.vram_bytes_per_gpu) / gibibyte;
  const NamedRow named = row_of(catalog.gpus, offer.gpu, c.vram_gib);
  c.row = named.row, c.gpu = named.row != nullptr ? named.row->name : offer.gpu;
  if (!named.certain) c.notes.push_back({"plan.note.which-gpu", {offer.gpu, c.gpu}});
  c.gpu_count = offer.gpu_count, c.cpu_arch = offer.cpu_arch, c.live = true;
  c.usd_per_hour = offer.usd_per_hour;
  c.notes.insert(c.notes.end(), offer.notes.begin(), offer.notes.end());
  return c;
}

/// Of offers of the same machine the cheapest one counts.
void add_live(const catalog::Catalog& catalog, const Market& market, Gatherer& to) {
  std::map<Kind, Candidate> cheapest;
  for (const Offer& offer : market.live.offers) {
    ++to.out().considered;
    if (offer.gpu_count < 1) continue;  // a machine without a GPU
    Candidate c = offered(offer, catalog);
    if (offer.available.is(false)) {
      to.leave_out(c, "unavailable", {"plan.out.unavailable", {}});
      continue;
    }
    if (!c.usd_per_hour || !std::isfinite(*c.usd_per_hour) || *c.usd_per_hour <= 0) {
      to.leave_out(c, "unknown-price", {"plan.out.unknown-price", {}});
      continue;
    }
    const auto [found, is_new] = cheapest.emplace(kind_of(c), c);
    if (!is_new && *c.usd_per_hour < *found->second.usd_per_hour) found->second = std::move(c);
  }
  for (auto& [kind, candidate] : cheapest) to.add(std::move(candidate));
}

void leave_colab_to_itself(const Machine& machine, Gathered& gathered) {
  if (!machine.environment.colab) return;
  std::erase_if(gathered.candidates, [](const Candidate& c) { return c.where == "colab"; });
  gathered.left_out.push_back({"colab", "Tesla T4", 1, "same", {"plan.out.is-colab", {}}});
}

}  // namespace

NamedRow row_of(const std::vector<catalog::Gpu>& gpus, std::string_view name, double vram_gib) {
  auto found = catalog::find_gpus(gpus, name);
  if (found.size() > 1 && vram_gib > 0) {
    auto sized = found;
    std::erase_if(sized, [&](const catalog::Gpu* gpu) {
      return std::ranges::none_of(gpu->vram_gb, [&](double nominal) {
        return std::abs(nominal - vram_gib) < 0.1 * nominal;
      });
    });
    if (!sized.empty()) found = std::move(sized);
  }
  if (found.empty()) return {};
  const auto slowest = std::ranges::min_element(found, {}, [](const catalog::Gpu* gpu) {
    return gpu->fp32_tflops > 0 ? gpu->fp32_tflops : HUGE_VAL;
  });
  return {*slowest, found.size() == 1};
}

std::optional<std::int64_t> day_of(std::string_view date) {
  const std::vector<std::string> parts = base::split(base::trim(date), '-');
  if (parts.size() < 2 || parts.size() > 3) return {};
  const auto year = base::to_integer(parts[0]);
  auto month = base::to_integer(parts[1]);
  if (parts[1] == "H1") month = 1;
  if (parts[1] == "H2") month = 7;
  const auto day = parts.size() == 3 ? base::to_integer(parts[2]) : std::optional<std::int64_t>(1);
  if (!year || !month || !day || *year < 1970 || *year > 9999 || *month < 1 || *month > 12)
    return {};
  const std::chrono::year_month_day whole{std::chrono::year(static_cast<int>(*year)),
                                          std::chrono::month(static_cast<unsigned>(*month)),
                                          std::chrono::day(static_cast<unsigned>(*day))};
  if (*day < 1 || *day > 31 || !whole.ok()) return {};
  return std::chrono::sys_days(whole).time_since_epoch().count();
}

Gathered gather(const PlanRequest& request, const Machine& machine, const catalog::Catalog& catalog,
                const Market& market) {
  Gatherer gatherer(request, catalog);
  add_this_machine(machine, catalog, gatherer);
  add_table(catalog, market, gatherer);
  add_live(catalog, market, gatherer);
  leave_colab_to_itself(machine, gatherer.out());
  return std::move(gatherer.out());
}

}  // namespace gpuready::plan
