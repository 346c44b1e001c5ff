/// `gpuready cloud down` and `reap`.

#include <algorithm>
#include <map>
#include <set>

#include "api/cloud_desk.hpp"
#include "base/text.hpp"
#include "cloud/destroy.hpp"
#include "cloud/fault.hpp"
#include "cloud/reap.hpp"
#include "gpuready/cloud_run.hpp"

namespace gpuready {

namespace {

using cloud::Answer;
using cloud::FaultKind;
using cloud::LedgerEntry;

/// What "vast:123" and "123" name.
struct Named {
  std::string provider, id;
};

Named parse_name(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || cloud::find_provider(text.substr(0, colon)) == nullptr)
    return {"", text};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

class Ender {
 public:
  Ender(api::CloudDesk& desk, const CloudDownRequest& request,
        std::vector<const cloud::ProviderRow*> rows)
      : desk_(desk), request_(request), rows_(std::move(rows)), ledger_(desk.ledger()) {
    if (!ledger_) return;
    auto entries = ledger_->entries();
    if (entries) entries_ = std::move(*entries);
  }

  /// Without a ledger that can be read there is no telling whose they are, but by their names.
  [[nodiscard]] const Result<cloud::Ledger>& ledger() const { return ledger_; }

  CloudEnds end_one() {
    const Named named = parse_name(request_.id);
    bool found = false;
    for (const LedgerEntry& entry : entries_) {
      if (entry.token != named.id && entry.id != named.id) continue;
      if (!named.provider.empty() && entry.provider != named.provider) continue;
      found = true, end_entry(entry);
    }
    if (!found) find_elsewhere(named);
    return std::move(ends_);
  }

  CloudEnds end_all() {
    if (!ledger_) {
      ends_.errors.push_back({"", "garbled", ledger_.error().text});
      ends_.uncertain = true;
    }
    for (const LedgerEntry& entry : entries_)
      if (is_asked_of(entry)) end_entry(entry);
    for (const cloud::ProviderRow* row : rows_) end_listed(*row, true);
    return std::move(ends_);
  }

  CloudEnds reap() {
    for (const LedgerEntry& entry : entries_) {
      if (!is_asked_of(entry)) continue;
      const cloud::Due due = cloud::due(desk_.host(), entry);
      if (due == cloud::Due::overdue || due == cloud::Due::orphaned)
        end_entry(entry);
      else
        add(entry.provider, entry.id, entry.token, "in-use",
            due == cloud::Due::in_use
                ? "its process " + std::to_string(entry.owner_pid) + " lives and has time left"
                : "rented from another computer, and has time left");
    }
    for (const cloud::ProviderRow* row : rows_) end_listed(*row, false);
    return std::move(ends_);
  }

 private:
  /// --provider may leave some out; an entry of a provider that we don't know is told.
  [[nodiscard]] bool is_asked_of(const LedgerEntry& entry) const {
    const cloud::ProviderRow* row = cloud::find_provider(entry.provider);
    return row == nullptr || std::ranges::find(rows_, row) != rows_.end();
  }

  /// Whether an id has the form that this provider gives its machines: numbers at Vast, 32 hex
  /// digits at Lambda, short words at RunPod.
  static bool may_be_of(const cloud::ProviderRow& row, const std::string& id) {
    constexpr std::size_t lambda_digits = 32;
    const bool number = id.find_first_not_of("0123456789") == std::string::npos;
    const bool hex = id.find_first_not_of("0123456789abcdefABCDEF-") == std::string::npos;
    if (row.name == "vast") return number;
    if (row.name == "lambda") return hex && id.size() >= lambda_digits;
    return !number && id.size() < lambda_digits;
  }

  void add(const std::string& provider, const std::string& id, const std::string& token,
           std::string outcome, std::string message) {
    ends_.uncertain = ends_.uncertain || outcome == "unknown";
    handled_.insert(provider + ":" + id);
    ends_.machines.push_back({provider, id, token, std::move(outcome), std::move(message)});
  }

  /// Opened once each.
  Answer<api::OpenProvider>& provider(const cloud::ProviderRow& row) {
    const auto known = open_.find(&row);
    if (known != open_.end()) return known->second;
    return open_.emplace(&row, desk_.provider(row)).first->second;
  }

  void end_entry(const LedgerEntry& entry) {
    const auto unknown = [&](const std::string& why) {
      add(entry.provider, entry.id, entry.token, "unknown", why);
    };
    const cloud::ProviderRow* row = cloud::find_provider(entry.provider);
    if (row == nullptr) return unknown("this gpuready knows no such provider");
    const auto& open = provider(*row);
    if (!open) return unknown(open.error().message);
    if (open->base_url != entry.base_url)
      return unknown("it was rented at " + entry.base_url + ", not at " + open->base_url +
                     ": set " + std::string(row->url_variable));
    const auto result = cloud::end_entry(
        {*open->provider, open->base_url, *ledger_, desk_.pace(), desk_.host()}, entry, false);
    if (!result.confirmed) return unknown(result.why);
    add(entry.provider, entry.id, entry.token, result.existed ? "gone" : "never-was", "");
  }

  /// A machine with a name of ours that the ledger does not hold.
  void end_stray(const api::OpenProvider& open, const cloud::Instance& instance) {
    const std::string provider(open.row->name), token = cloud::token_of(instance.name);
    desk_.pace().finish_up(true);
    const auto destroyed = cloud::destroy_until_gone(*open.provider, desk_.pace(),
                                                     {instance.id, cloud::settle_s, true, 600});
    desk_.pace().finish_up(false);
    if (destroyed.confirmed)
      add(provider, instance.id, token, "gone", "");
    else
      add(provider, instance.id, token, "unknown", destroyed.why);
  }

  void add_error(const cloud::ProviderRow& row, const cloud::Fault& fault) {
    ends_.errors.push_back(cloud::to_error(row.name, fault));
    if (fault.kind != FaultKind::no_key) ends_.uncertain = true;
  }

  void end_listed(const cloud::ProviderRow& row, bool end_strays) {
    const auto& open = provider(row);
    if (!open) return add_error(row, open.error());
    const auto list = open->provider->list();
    if (!list) return add_error(row, list.error());
    for (const cloud::Instance& instance : *list) {
      const std::string token = cloud::token_of(instance.name);
      if (token.empty() || instance.state == cloud::State::gone ||
          handled_.count(std::string(row.name) + ":" + instance.id) != 0 || is_known(token))
        continue;
      if (end_strays)
        end_stray(*open, instance);
      else
        add(std::string(row.name), instance.id, token, "not-ours",
            "named like ours, but not in this ledger (another computer's?): gpuready cloud down " +
                std::string(row.name) + ":" + base::printable(instance.id));
    }
  }

  [[nodiscard]] bool is_known(const std::string& token) const {
    return std::ranges::any_of(entries_, [&](const LedgerEntry& e) { return e.token == token; });
  }

  void find_elsewhere(const Named& named) {
    bool asked = false;
    for (const cloud::ProviderRow* row : rows_) {
      if (!named.provider.empty() && row->name != named.provider) continue;
      const auto& open = provider(*row);
      if (!open) {
        add_error(*row, open.error());
        // Its provider may be the one that could not be asked.
        if (may_be_of(*row, named.id)) ends_.uncertain = true;
        continue;
      }
      const auto got = open->provider->get(named.id);
      if (!got && got.error().kind != FaultKind::gone) {
        add_error(*row, got.error());
        continue;
      }
      asked = true;
      if (!got || got->state == cloud::State::gone) continue;
      if (cloud::is_our_name(got->name)) return end_stray(*open, *got);
      return add(std::string(row->name), named.id, "", "not-ours",
                 "it is called '" + base::printable(got->name) +
                     "', so gpuready did not rent it: end it at " + std::string(row->machine_page));
    }
    if (asked && !ends_.uncertain)
      add(named.provider, named.id, "", "gone", "no provider that could be asked knows it");
    else
      add(named.provider, named.id, "", "unknown", "the provider could not be asked");
  }

  api::CloudDesk& desk_;
  const CloudDownRequest& request_;
  std::vector<const cloud::ProviderRow*> rows_;
  Result<cloud::Ledger> ledger_;
  std::vector<LedgerEntry> entries_;
  std::map<const cloud::ProviderRow*, Answer<api::OpenProvider>> open_;
  std::set<std::string> handled_;
  CloudEnds ends_;
};

Result<CloudEnds> end(const CloudDownRequest& request, CloudEnds (Ender::*what)(),
                      bool needs_ledger) {
  auto desk = api::CloudDesk::open(request.data_dir, request.stopped);
  if (!desk) return tl::unexpected<Error>(desk.error());
  auto rows = api::chosen_providers(request.providers);
  if (!rows) return tl::unexpected<Error>(rows.error());
  Ender ender(**desk, request, *rows);
  if (!ender.ledger() && needs_ledger) return tl::unexpected<Error>(ender.ledger().error());
  return (ender.*what)();
}

}  // namespace

Result<CloudEnds> cloud_down(const CloudDownRequest& request) {
  if (!request.all && parse_name(request.id).id.empty())
    return failure("down " + request.id +
                   ": expected the id of a machine, as `gpuready cloud list` "
                   "shows it");
  return end(request, request.all ? &Ender::end_all : &Ender::end_one, false);
}

Result<CloudEnds> cloud_reap(const CloudDownRequest& request) {
  return end(request, &Ender::reap, true);
}

}  // namespace gpuready
