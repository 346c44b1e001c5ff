#include "plan/next.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/messages.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"

namespace gpuready::plan {

namespace {

/// Above this price per hour a machine is not what a learner rents (the lesson's upper end).
constexpr double dearest_usd_per_hour = 2.0;

bool is_ordinary_rental(const catalog::Price& price) {
  return price.gpu_count == 1 && price.usd_per_hour > 0 && price.kind != "spot" &&
         price.usd_per_hour <= dearest_usd_per_hour;
}

/// The newest date in the table, of those that are whole dates (2026-11-09).
std::string newest_date(const std::vector<catalog::Price>& prices) {
  constexpr std::size_t iso_length = 10;
  std::string newest;
  for (const catalog::Price& price : prices) {
    const bool whole = price.as_of.size() == iso_length && price.as_of[4] == '-';
    if (whole && price.as_of > newest) newest = price.as_of;
  }
  return newest;
}

Place local_gpu() {
  return {"local",
          {"place.local.name", {}},
          {"place.local.cost", {}},
          {"place.local.setup", {}},
          {"place.local.best-for", {}},
          Fact<double>(0.0, "an own card has no hourly price"),
          Fact<double>(0.0, "an own card has no hourly price"),
          {}};
}

Place colab() {
  return {"colab",
          {"place.colab.name", {}},
          {"place.colab.cost", {}},
          {"place.colab.setup", {}},
          {"place.colab.best-for", {}},
          Fact<double>(0.0, "data/prices.csv"),
          Fact<double>(0.0, "data/prices.csv"),
          {}};
}

Place rented(const catalog::Catalog& catalog) {
  Place place{"rented",
              {"place.rented.name", {}},
              {},
              {"place.rented.setup", {}},
              {"place.rented.best-for", {}},
              {},
              {},
              {}};
  double low = dearest_usd_per_hour, high = 0;
  for (const catalog::Price& price : catalog.prices) {
    if (!is_ordinary_rental(price)) continue;
    low = std::min(low, price.usd_per_hour), high = std::max(high, price.usd_per_hour);
  }
  if (high == 0) {
    place.cost = {"place.rented.cost-unknown", {}};
    return place;
  }
  const std::string date = newest_date(catalog.prices);
  place.cost = {"place.rented.cost", {base::show_usd_per_hour(low), base::show_usd_per_hour(high)}};
  place.usd_per_hour_low = Fact<double>(low, "data/prices.csv");
  place.usd_per_hour_high = Fact<double>(high, "data/prices.csv");
  if (!date.empty()) place.price_as_of = Fact<std::string>(date, "data/prices.csv");
  return place;
}

bool torch_is_installed(const Machine& machine) {
  return std::ranges::any_of(machine.python,
                             [](const PythonEnvironment& p) { return p.torch.known(); });
}

/// Not tested because the GPU is of a vendor that the ladder does not climb to.
bool is_of_another_vendor(const Doctor& doctor) {
  return doctor.verdict == Verdict::not_tested && !doctor.ladder.empty() &&
         doctor.ladder.front().outcome == Outcome::finding;
}

std::vector<Message> steps_with_gpu(const Machine& machine, const Doctor& doctor,
                                    const DeviceChoice& torch_device) {
  std::vector<Message> steps;
  if (torch_device.reason.key == "device.cuda-index") {
    steps.push_back({"next.use-cuda-index", torch_device.reason.args});
  } else if (torch_device.device == "cuda") {
    steps.push_back({"next.use-cuda", {}});
  } else if (!torch_is_installed(machine)) {
    steps.push_back({"next.install-torch", {}});
  } else {
    steps.push_back({"next.torch-on-cpu", {}});
  }
  if (doctor.verdict == Verdict::degraded) steps.push_back({"next.doctor", {}});
  steps.push_back({"next.bench", {}});
  return steps;
}

/// The commands do not follow here: a full stop stands for the colon before them.
std::string as_sentence(std::string text) {
  constexpr std::string_view wide_colon = "：", wide_stop = "。";
  if (base::ends_with(text, ":")) text.back() = '.';
  if (base::ends_with(text, wide_colon))
    text.replace(text.size() - wide_colon.size(), wide_colon.size(), wide_stop);
  return text;
}

/// The cure of the worst finding in its own words; its commands stand in doctor's answer.
Message mend(const Doctor& doctor) {
  if (doctor.findings.empty() || doctor.findings.front().fixes.empty()) return {"next.mend", {}};
  const Fix& fix = doctor.findings.front().fixes.front();
  const std::string english = fix.when.args.empty() ? std::string() : fix.when.args.front();
  if (english.empty() || fix.commands.empty()) return {"next.mend", {}};
  Message text = fix.when;
  for (std::string& one : text.args) one = as_sentence(std::move(one));
  return base::put_around("next.mend-by", text);
}

}  // namespace

Next next_steps(const Machine& machine, const Doctor& doctor, const DeviceChoice& torch_device,
                const Bench& bench, const catalog::Catalog& catalog) {
  Next next;
  for (const CaseError& error : bench.errors)
    if (error.wrong_product) next.steps.push_back({"next.distrust", {error.device}});
  if (!next.steps.empty()) return next;
  if (doctor.verdict == Verdict::usable || doctor.verdict == Verdict::degraded) {
    next.steps = steps_with_gpu(machine, doctor, torch_device);
    return next;
  }
  if (machine.environment.colab) next.steps.push_back({"next.colab-runtime", {}});
  if (doctor.verdict == Verdict::not_usable) next.steps.push_back(mend(doctor));
  if (doctor.verdict == Verdict::not_tested)
    next.steps.push_back(
        {is_of_another_vendor(doctor) ? "next.other-vendor" : "next.not-asked", {}});
  next.steps.push_back({"next.use-cpu", {}});
  next.places = {local_gpu(), colab(), rented(catalog)};
  return next;
}

}  // namespace gpuready::plan
