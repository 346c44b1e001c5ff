#include <algorithm>

#include "api/cloud_desk.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "cloud/fault.hpp"
#include "gpuready/cloud.hpp"

namespace gpuready {

namespace {

using cloud::LedgerEntry;

const LedgerEntry* entry_of(const std::vector<LedgerEntry>& entries,
                            const cloud::Instance& machine) {
  const auto it = std::ranges::find_if(entries, [&](const LedgerEntry& entry) {
    return entry.provider == machine.provider &&
           (entry.id == machine.id || cloud::token_of(machine.name) == entry.token);
  });
  return it == entries.end() ? nullptr : &*it;
}

RentedMachine show(const cloud::Instance& machine, const LedgerEntry* entry) {
  RentedMachine out;
  out.provider = machine.provider, out.id = machine.id, out.name = machine.name;
  out.whose = entry != nullptr                   ? "ours"
              : cloud::is_our_name(machine.name) ? "other-computer"
                                                 : "stranger";
  out.state = cloud::name_of(machine.state), out.state_as_told = machine.state_as_told;
  out.gpu = machine.gpu, out.gpu_count = machine.gpu_count, out.region = machine.region;
  out.usd_per_hour = machine.usd_per_hour
                         ? Fact<double>(*machine.usd_per_hour, machine.provider)
                         : Fact<double>::absent(Absence::not_found, "the provider tells no price");
  out.ends_at = entry != nullptr
                    ? Fact<std::string>(base::iso8601(entry->deadline_at), "the ledger")
                    : Fact<std::string>::absent(Absence::not_applicable, "not in the ledger");
  out.dead_because = machine.dead_because;
  return out;
}

void add_unlisted(const std::vector<LedgerEntry>& entries, RentedList& list,
                  const std::vector<cloud::Instance>& all) {
  for (const LedgerEntry& entry : entries) {
    const bool listed = std::ranges::any_of(
        all, [&](const cloud::Instance& one) { return entry_of({entry}, one) != nullptr; });
    if (listed) continue;
    const bool answered = std::ranges::find(list.asked, entry.provider) != list.asked.end();
    list.unlisted.push_back({entry.provider, entry.id, entry.token, answered, entry.usd_per_hour});
  }
}

}  // namespace

Result<RentedList> cloud_list(const CloudRequest& request) {
  const auto rows = api::chosen_providers(request.providers);
  if (!rows) return tl::unexpected(rows.error());
  auto desk = api::CloudDesk::open(request.data_dir, request.stopped);
  if (!desk) return tl::unexpected(desk.error());
  RentedList list;
  // The machines are listed without it, too: who has lost it needs their ids most.
  std::vector<LedgerEntry> kept;
  const auto ledger = (*desk)->ledger();
  auto entries =
      ledger ? ledger->entries() : Result<std::vector<LedgerEntry>>(tl::unexpected(ledger.error()));
  if (entries)
    kept = std::move(*entries);
  else
    list.errors.push_back({"", "garbled", entries.error().text});
  std::vector<cloud::Instance> all;
  for (const cloud::ProviderRow* row : *rows) {
    auto open = (*desk)->provider(*row);
    if (!open) {
      list.errors.push_back(cloud::to_error(row->name, open.error()));
      continue;
    }
    const auto machines = open->provider->list();
    if (!machines) {
      list.errors.push_back(api::error_with_key(*open, machines.error()));
      continue;
    }
    list.asked.emplace_back(row->name);
    for (const cloud::Instance& machine : *machines) {
      if (machine.state == cloud::State::gone) continue;
      all.push_back(machine);
      list.machines.push_back(show(machine, entry_of(kept, machine)));
    }
  }
  std::erase_if(kept, [&](const LedgerEntry& entry) {
    return std::ranges::none_of(
        *rows, [&](const cloud::ProviderRow* row) { return row->name == entry.provider; });
  });
  add_unlisted(kept, list, all);
  std::ranges::stable_partition(
      list.machines, [](const RentedMachine& machine) { return machine.whose == "ours"; });
  return list;
}

}  // namespace gpuready
