/// Where to run: wires catalogue, fit, the market and plan together.

#include <algorithm>
#include <map>
#include <tuple>

#include "api/fit_model.hpp"
#include "api/plan_host.hpp"
#include "catalog/catalog.hpp"
#include "fit/answer.hpp"
#include "fit/explain.hpp"
#include "fit/outcome.hpp"
#include "fit/range.hpp"
#include "fit/speed.hpp"
#include "fit/usable.hpp"
#include "gpuready/plan.hpp"
#include "host/real_host.hpp"
#include "plan/explain.hpp"
#include "plan/rank.hpp"
#include "plan/work.hpp"

namespace gpuready {

namespace {

/// Colab's free machine has some 12.7 GB of main memory.
constexpr double colab_memory_bytes = 12.7e9;

catalog::Override tables_in(host::Host& host, const std::string& folder) {
  if (folder.empty()) return {};
  return [&host, folder](const std::string& name) -> std::optional<std::string> {
    constexpr std::size_t most_bytes = std::size_t{16} << 20U;
    auto text = host.read_file(folder + "/" + name, most_bytes);
    if (!text) return {};
    return std::move(*text);
  };
}

/// An unknown GPU is an error with near names; a name of several GPUs means any of them.
Result<void> check_gpu(const std::string& name, const catalog::Catalog& catalog) {
  if (name.empty() || !catalog::find_gpus(catalog.gpus, name).empty()) return {};
  FitRequest request;
  request.gpu = name;
  const auto found = fit::devices_for(request, Machine{}, catalog.gpus);
  if (found) return {};
  // What fit proposes besides, a size in place of a name, is no way here: prices are of names.
  std::string text = found.error().text;
  for (const char* way : {"; or name its memory", "; name its memory", "; name the laptop"})
    if (const std::size_t at = text.find(way); at != std::string::npos) text.resize(at);
  return failure(text);
}

/// This machine, and what was measured on it.
struct Here {
  Machine machine;
  Bench bench;
};

/// The devices of a place, as fit wants them.
Result<fit::Devices> devices_of(const plan::Candidate& candidate, const Here& here,
                                const catalog::Catalog& catalog) {
  const auto own = fit::devices_for(FitRequest{}, here.machine, catalog.gpus);
  if (!own) return tl::unexpected(own.error());
  fit::Devices out;
  if (candidate.where == "this-cpu") {
    out.cpu = own->cpu;
    for (const Bandwidth& b : here.bench.bandwidth)
      if (b.device == "cpu" && b.what == "host-triad")
        out.cpu.bandwidth_bytes_per_s = b.bytes_per_s;
    return out;
  }
  if (candidate.where == "this-gpu") {
    out.cpu = own->cpu;
    for (const fit::Device& gpu : own->gpus)
      if (gpu.gpu == candidate.gpu &&
          out.gpus.size() < static_cast<std::size_t>(candidate.gpu_count))
        out.gpus.push_back(gpu);
    if (out.gpus.empty()) return failure("its free memory is not known");
    return out;
  }
  out.cpu.name = "cpu", out.cpu.gpu = "main memory";
  if (candidate.where == "colab")
    out.cpu.usable_bytes = out.cpu.total_bytes = fit::whole_bytes(colab_memory_bytes);
  if (candidate.row->vram_gb.empty() && candidate.vram_gib <= 0)
    return failure("data/gpus.csv has no memory for " + candidate.gpu);
  out.given = true;
  for (std::int64_t i = 0; i < candidate.gpu_count; ++i) {
    out.gpus.push_back(fit::device_of(*candidate.row, candidate.vram_gib));
    out.gpus.back().name = "cuda:" + std::to_string(i);
  }
  return out;
}

PlanFits fits_as(FitVerdict verdict) {
  switch (verdict) {
    case FitVerdict::fits:
      return PlanFits::yes;
    case FitVerdict::tight:
      return PlanFits::tight;
    case FitVerdict::does_not_fit:
      return PlanFits::no;
    case FitVerdict::unknown:
      break;
  }
  return PlanFits::unknown;
}

/// The model on one place; the error says which option can't be had there.
Result<plan::Memory> memory_on(const fit::Model& model, const FitRequest& request,
                               const fit::Devices& devices) {
  fit::Forward forward(model, devices);
  const auto outcome = forward(request);
  if (!outcome) return tl::unexpected(outcome.error());
  plan::Memory memory;
  memory.fits = fits_as(outcome->verdict);
  memory.speed = fit::speed_of(model, *outcome, devices);
  if (outcome->shares.empty()) return memory;
  const fit::DeviceTerms& share = outcome->shares[outcome->fullest];
  const auto all = fit::targets(devices);
  memory.needed_bytes = Fact<std::int64_t>(share.total().high_bytes, "fit");
  memory.usable_bytes = Fact<std::int64_t>(
      fit::whole_bytes(fit::limit_bytes(
          all[static_cast<std::size_t>(std::max<std::int64_t>(share.device, 0))], *outcome)),
      "fit");
  return memory;
}

/// The model, and what it is in figures with the options in use.
struct KnownModel {
  fit::Model model;
  FitRequest request;
  ModelSummary summary;
  std::string precision;  ///< of training, where the GPU computes in bf16
  std::vector<Message> assumptions;
};

Result<KnownModel> known_model(host::Host& host, const catalog::Catalog& catalog,
                               const PlanRequest& request) {
  KnownModel known;
  known.request = request.fit;
  api::PlanHost careful(host, request.offline);
  auto found = api::find_model(careful, catalog, request.fit.model, request.fit.inference.dtype);
  if (!found && request.offline) found.error().text += " (--offline)";
  if (!found) return tl::unexpected(found.error());
  known.model = std::move(found->model);
  if (known.request.inference.dtype.empty() && known.request.training.task.empty())
    known.request.inference.dtype = found->dtype;
  // On a device that holds anything, for the figures that do not depend on the place.
  fit::Devices endless;
  endless.given = true;
  fit::Device device;
  device.name = "cuda:0", device.usable_bytes = device.total_bytes = std::int64_t{1} << 50U;
  device.compute_capability = 9;
  endless.gpus = {device};
  auto estimate = fit::estimate(known.model, known.request, endless);
  if (!estimate) {
    // Options for several GPUs: without them, for the figures alone.
    FitRequest plain = known.request;
    plain.inference.tp = plain.inference.pp = plain.inference.ep = 0;
    plain.training.tp = plain.training.pp = plain.training.cp = 0;
    estimate = fit::estimate(known.model, plain, endless);
  }
  if (!estimate) return tl::unexpected(estimate.error());
  known.precision = fit::with_precision(known.model, known.request, endless).training.precision;
  known.summary = std::move(estimate->model);
  known.assumptions = std::move(estimate->assumptions);
  return known;
}

/// Asks fit for every place; those where an option can't be had are left out. An error where it can
/// be had nowhere.
Result<void> judge_memory(const KnownModel& known, const Here& here,
                          const catalog::Catalog& catalog, plan::Gathered& gathered) {
  using Kind = std::tuple<std::string, std::string, std::int64_t, double>;
  std::map<Kind, Result<plan::Memory>> seen;
  std::vector<plan::Candidate> kept;
  for (plan::Candidate& c : gathered.candidates) {
    const bool own = !c.device.empty();
    const Kind kind{own || c.where == "colab" ? c.where : std::string(), c.gpu, c.gpu_count,
                    c.vram_gib};
    auto found = seen.find(kind);
    if (found == seen.end()) {
      const auto devices = devices_of(c, here, catalog);
      found = seen.emplace(kind, devices ? memory_on(known.model, known.request, *devices)
                                         : tl::unexpected(devices.error()))
                  .first;
    }
    if (found->second) {
      c.memory = *found->second;
      kept.push_back(std::move(c));
    } else {
      gathered.left_out.push_back(
          {c.where, c.gpu, c.gpu_count, "options", {"", {found->second.error().text}}});
    }
  }
  const bool nowhere = kept.empty() && !gathered.candidates.empty();
  gathered.candidates = std::move(kept);
  if (nowhere) return failure(gathered.left_out.back().why.args.front());
  return {};
}

double size_of(const ModelSummary& model) {
  return static_cast<double>(model.file_bytes > 0 ? model.file_bytes : model.weight_bytes);
}

plan::Market market_of(const PlanRequest& request, host::Host& host,
                       const catalog::Catalog& catalog, Plan& plan) {
  constexpr std::int64_t day_s = 86400;
  plan::Market market;
  market.today = host.now() / day_s;
  api::ask_market(host, request, catalog.gpus, market);
  plan.errors = market.live.errors;
  return market;
}

}  // namespace

Result<Plan> plan_work(const PlanRequest& request, const PlanSources& sources) {
  auto host = host::make_real_host();
  const auto catalog = catalog::load_catalog(tables_in(*host, sources.data_dir));
  if (!catalog) return tl::unexpected(catalog.error());
  if (const auto known = check_gpu(request.gpu, *catalog); !known)
    return tl::unexpected(known.error());
  std::optional<KnownModel> model;
  if (!request.fit.model.empty()) {
    auto known = known_model(*host, *catalog, request);
    if (!known) return tl::unexpected(known.error());
    model = std::move(*known);
  }
  Plan plan;
  PlanRequest precise = request;
  if (model) precise.fit.training.precision = model->precision;
  const auto work = plan::work_of(precise, model ? &model->summary : nullptr);
  if (!work) return tl::unexpected(work.error());
  plan.work = *work;
  Here here;
  auto bench = sources.look(here.machine);
  if (!bench) return tl::unexpected(bench.error());
  here.bench = std::move(*bench);
  const plan::Market market = market_of(request, *host, *catalog, plan);
  plan::Gathered gathered = plan::gather(request, here.machine, *catalog, market);
  if (model) {
    plan.model = model->summary.name, plan.assumptions = model->assumptions;
    if (const auto judged = judge_memory(*model, here, *catalog, gathered); !judged)
      return tl::unexpected(judged.error());
  }
  const plan::RateBook rates(catalog->gpus);
  const plan::Task task{request,
                        plan.work,
                        here.machine,
                        here.bench,
                        rates,
                        model ? &model->summary : nullptr,
                        model ? size_of(model->summary) : 0,
                        model && host->status(request.fit.model)};
  for (const plan::Candidate& candidate : gathered.candidates)
    plan.choices.push_back(plan::evaluate(task, candidate));
  plan.left_out = std::move(gathered.left_out), plan.considered = gathered.considered;
  plan::rank(request, plan.choices);
  plan::conclude(request, plan);
  plan::explain(task, market.today, plan);
  return plan;
}

bool plan_uses_rates(const PlanRequest& request) {
  return request.cpu_hours > 0 || request.flops > 0 || request.train_tokens > 0;
}

}  // namespace gpuready
