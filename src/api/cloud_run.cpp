#include "gpuready/cloud_run.hpp"

#include <algorithm>
#include <map>

#include "api/cloud_desk.hpp"
#include "api/cloud_use.hpp"
#include "base/format.hpp"
#include "base/text.hpp"
#include "cloud/fault.hpp"
#include "cloud/filter.hpp"
#include "cloud/gpu_names.hpp"
#include "cloud/reap.hpp"
#include "cloud/session.hpp"
#include "gpuready/gpuready.hpp"
#include "host/detached.hpp"
#include "net/key_pair.hpp"
#include "net/openssh.hpp"

namespace gpuready {

namespace {

using cloud::SessionEnd;

constexpr double minutes_per_hour = 60;

std::string_view name_of(SessionEnd end) {
  switch (end) {
    case SessionEnd::done:
      return "done";
    case SessionEnd::stopped:
      return "stopped";
    case SessionEnd::no_machine:
      return "no-machine";
    case SessionEnd::failed:
      return "failed";
    case SessionEnd::not_started:
      break;
  }
  return "not-started";
}

std::string_view name_of(cloud::Protection protection) {
  return protection == cloud::Protection::in_machine_timer ? "in-machine-timer" : "local-reaper";
}

/// How a machine is ended by hand.
std::string cure_of(const cloud::LedgerEntry& entry) {
  if (entry.id.empty()) return "gpuready cloud reap";
  return "gpuready cloud down " + base::shell_word(entry.provider + ":" + entry.id);
}

/// All of one `cloud run`.
class Renting {
 public:
  Renting(const CloudRunRequest& request, api::CloudDesk& desk, cloud::Ledger ledger)
      : request_(request), desk_(desk), ledger_(std::move(ledger)) {}

  Result<CloudRun> run() {
    auto gpus = chosen_gpus();
    if (!gpus) return tl::unexpected<Error>(gpus.error());
    if (auto opened = open_providers(); !opened) return tl::unexpected<Error>(opened.error());
    clean_up_first();
    const auto key = net::own_key_pair(desk_.host(), ledger_.folder());
    if (!key) return tl::unexpected<Error>(key.error());
    find_offers(*gpus);
    if (offers_.empty()) return nothing_fits();
    if (!agreed()) return ended("not-started", "nothing was rented");
    return rent(*key);
  }

 private:
  /// Names of the table that the user may mean; empty: any. Never another GPU than was asked for.
  Result<std::vector<std::string>> chosen_gpus() const {
    if (request_.gpu.empty()) return std::vector<std::string>{};
    return cloud::resolve_gpu(desk_.gpus(), request_.gpu);
  }

  Result<void> open_providers() {
    auto rows = api::chosen_providers(request_.providers);
    if (!rows) return tl::unexpected<Error>(rows.error());
    for (const cloud::ProviderRow* row : *rows) {
      auto open = desk_.provider(*row);
      if (open)
        open_[std::string(row->name)] = std::move(*open);
      else
        complain(*row, open.error());
    }
    if (open_.empty())
      return failure("no provider can be asked: " + base::join(complaints_, "; "), network_fault);
    return {};
  }

  void complain(const cloud::ProviderRow& row, const cloud::Fault& fault) {
    complaints_.push_back(std::string(row.name) + ": " + fault.message);
  }

  /// What an earlier run left is ended before more is rented.
  void clean_up_first() {
    const auto entries = ledger_.entries();
    if (!entries) return;
    for (const cloud::LedgerEntry& entry : *entries) {
      const cloud::Due due = cloud::due(desk_.host(), entry);
      if (due != cloud::Due::overdue && due != cloud::Due::orphaned) continue;
      const auto open = open_.find(entry.provider);
      const bool can_ask = open != open_.end() && open->second.base_url == entry.base_url;
      const bool gone = can_ask && cloud::end_entry(tools(open->second), entry, false).confirmed;
      if (!gone) left_over_ = cure_of(entry);
      tell(gone ? "ended what an earlier run left: " + entry.provider + " " + entry.id
                : "an earlier run left " + entry.provider + " " + entry.id +
                      ", which may still cost money: " + cure_of(entry));
    }
  }

  cloud::Tools tools(const api::OpenProvider& open) {
    return {*open.provider, open.base_url, ledger_, desk_.pace(), desk_.host()};
  }

  void tell(const std::string& line) const {
    if (request_.tell) request_.tell(line);
  }

  cloud::OfferFilter filter(const std::vector<std::string>& gpus) const {
    cloud::OfferFilter filter;
    filter.gpus = gpus;
    filter.gpu_count = request_.gpu_count;
    filter.min_vram_bytes = request_.min_vram_bytes;
    filter.max_usd_per_hour = request_.max_usd_per_hour;
    filter.region = request_.region;
    filter.kind = request_.kind;
    filter.available_only = true;
    return filter;
  }

  void find_offers(const std::vector<std::string>& gpus) {
    for (auto& [name, open] : open_) {
      const auto offers = open.provider->offers({request_.gpu_count, 0});
      if (!offers) {
        ++failed_;
        complain(*open.row, offers.error());
        continue;
      }
      for (Offer& offer : cloud::filter_offers(*offers, filter(gpus)))
        offers_.push_back(std::move(offer));
    }
    // What was built for one processor does not run on another.
    std::erase_if(offers_, [&](const Offer& offer) {
      return !offer.usd_per_hour || offer.cpu_arch == "aarch64" || offer.kind == "spot" ||
             (gpus.empty() && !is_known(offer.gpu));
    });
    cloud::sort_offers(offers_);
  }

  /// Nobody wants a GPU of which nothing is known, unless he named it.
  [[nodiscard]] bool is_known(const std::string& name) const {
    return std::ranges::any_of(desk_.gpus(),
                               [&](const catalog::Gpu& gpu) { return gpu.name == name; });
  }

  CloudRun ended(std::string end, std::string why) const {
    CloudRun run;
    run.end = std::move(end), run.why = std::move(why), run.destroyed = "none";
    run.notes = complaints_, run.left_over = left_over_;
    return run;
  }

  CloudRun nothing_fits() const {
    const bool all_failed = failed_ > 0 && failed_ >= open_.size();
    return ended(
        all_failed ? "failed" : "no-offer",
        base::format("no machine for at most {:.2f} USD/h fits; see `gpuready cloud offers`",
                     request_.max_usd_per_hour));
  }

  [[nodiscard]] bool agreed() {
    const Offer& first = offers_.front();
    const auto& open = open_.at(first.provider);
    // Another one of the offers may be taken, up to the price that was allowed.
    const double hours = static_cast<double>(request_.max_minutes) / minutes_per_hour;
    const CloudQuote quote{first, request_.max_minutes, request_.max_usd_per_hour * hours,
                           std::string(name_of(open.provider->protection())),
                           static_cast<std::int64_t>(offers_.size())};
    return !request_.confirm || request_.confirm(quote);
  }

  net::OpenSshOptions ssh_options() const {
    net::OpenSshOptions options;
    for (const cloud::ProviderRow& row : cloud::providers())
      options.hidden_variables.emplace_back(row.key_variable);
    options.hidden_variables.emplace_back("HF_TOKEN");
    return options;
  }

  void show_risk(const cloud::LedgerEntry* entry) const {
    if (!request_.last_words) return;
    request_.last_words(entry == nullptr
                            ? ""
                            : entry->provider + " " + entry->id +
                                  " may still cost money; end it with: " + cure_of(*entry));
  }

  /// The request without what uses the machine.
  cloud::SessionRequest session_request(const net::KeyPair& key, net::Ssh& ssh) {
    cloud::SessionRequest session;
    session.offers = offers_;
    session.max_usd_per_hour = request_.max_usd_per_hour;
    session.max_minutes = request_.max_minutes;
    session.private_key_file = key.private_file, session.ssh_public_key = key.public_key;
    session.lender_of = [this](const Offer& offer) -> cloud::Lender {
      const auto& open = open_.at(offer.provider);
      return {open.provider.get(), open.base_url};
    };
    session.guard = [this](const cloud::LedgerEntry& entry) -> Result<void> {
      const auto started = host::start_detached({desk_.host().self(), "__reap", entry.token});
      if (!started)
        return failure(
            "no process could be started that ends the machine if this one "
            "dies, so nothing is rented: " +
            started.error().text);
      return {};
    };
    session.knock = [&ssh](const cloud::Instance& instance, const net::SshIdentity& identity) {
      net::SshCommand command;
      command.command = "true";
      return ssh.run(*instance.ssh, identity, command);
    };
    session.tell = [this](const cloud::Progress& progress) {
      last_ = {std::string(progress.stage), progress.elapsed_s, progress.usd};
      if (request_.progress) request_.progress(last_);
    };
    session.at_risk = [this](const cloud::LedgerEntry* entry) { show_risk(entry); };
    session.passed_over = [this](const Offer& offer, const std::string& why) {
      tell(offer.provider + " " + offer.gpu + ": " + why);
    };
    return session;
  }

  CloudRun rent(const net::KeyPair& key) {
    const auto ssh = net::make_openssh(desk_.host(), ssh_options());
    api::CloudAnswer answer;
    api::CloudJob job{*ssh,
                      desk_.pace(),
                      desk_.host(),
                      request_.command,
                      desk_.scale(),
                      request_.json,
                      [this](const char* stage) {
                        last_.stage = stage;
                        if (request_.progress) request_.progress(last_);
                      },
                      {}};
    cloud::SessionRequest session = session_request(key, *ssh);
    session.use = [&](const cloud::Ready& ready) {
      answer = {};
      return api::use_machine(job, ready, answer);
    };
    const auto result = cloud::run_session({ledger_, desk_.pace(), desk_.host()}, session);
    return describe(result, answer);
  }

  CloudRun describe(const cloud::SessionResult& result, const api::CloudAnswer& answer) const {
    CloudRun run;
    run.end = name_of(result.end), run.why = result.why;
    const cloud::LedgerEntry& entry = result.entry;
    if (result.created) {
      run.instance = {entry.provider,
                      entry.id,
                      entry.token,
                      result.instance.usd_per_hour.value_or(entry.usd_per_hour),
                      entry.gpu,
                      entry.gpu_count,
                      result.instance.region};
      run.protection = name_of(open_.at(entry.provider).provider->protection());
    }
    for (const cloud::Stage& stage : result.stages)
      run.stages.push_back({stage.name, stage.seconds});
    run.cost_usd = result.cost_usd;
    run.machines = static_cast<std::int64_t>(result.machines);
    run.destroyed = result.still_billing ? "unconfirmed" : result.created ? "confirmed" : "none";
    if (result.still_billing) run.cure = cure_of(entry);
    run.exit_code = answer.exit_code, run.notes = answer.notes;
    run.left_over = left_over_;
    run.notes.insert(run.notes.end(), complaints_.begin(), complaints_.end());
    run.result_text = answer.text, run.result_is_json = answer.is_json;
    return run;
  }

  const CloudRunRequest& request_;
  api::CloudDesk& desk_;
  cloud::Ledger ledger_;
  std::map<std::string, api::OpenProvider> open_;
  std::vector<std::string> complaints_;
  std::size_t failed_ = 0;  ///< providers that were opened but did not answer
  std::string left_over_;   ///< what ends a machine of an earlier run that may still be billed
  std::vector<Offer> offers_;
  CloudProgress last_;
};

}  // namespace

Result<CloudRun> cloud_run(const CloudRunRequest& request) {
  auto desk = api::CloudDesk::open(request.data_dir, request.stopped);
  if (!desk) return tl::unexpected<Error>(desk.error());
  auto ledger = (*desk)->ledger();
  if (!ledger) return tl::unexpected<Error>(ledger.error());
  return Renting(request, **desk, std::move(*ledger)).run();
}

bool cloud_guard(const std::string& token) {
  auto desk = api::CloudDesk::open("", {});
  if (!desk) return false;
  auto ledger = (*desk)->ledger();
  if (!ledger) return false;
  const auto entries = ledger->entries();
  if (!entries) return false;
  constexpr double most_s = 2.0 * 24 * 3600;
  for (const cloud::LedgerEntry& entry : *entries) {
    if (entry.token != token) continue;
    const cloud::ProviderRow* row = cloud::find_provider(entry.provider);
    if (row == nullptr) return false;
    const auto open = (*desk)->provider(*row);
    if (!open || open->base_url != entry.base_url) return false;
    return cloud::guard_entry(
        {*open->provider, open->base_url, *ledger, (*desk)->pace(), (*desk)->host()}, token,
        most_s);
  }
  return true;
}

}  // namespace gpuready
