#include <algorithm>

#include "api/cloud_desk.hpp"
#include "base/text.hpp"
#include "cloud/fault.hpp"
#include "gpuready/cloud.hpp"

namespace gpuready {

namespace {

/// Type and material of a public key, and its comment.
struct KeyWords {
  std::string type, material, comment;
};

KeyWords words_of(const std::string& key) {
  KeyWords out;
  std::vector<std::string> words = base::split(base::trim(key), ' ');
  if (!words.empty()) out.type = words[0];
  if (words.size() > 1) out.material = words[1];
  if (words.size() > 2)
    out.comment = base::join(std::vector<std::string>(words.begin() + 2, words.end()), " ");
  return out;
}

/// The public key that rented machines take from this computer; empty where none was made yet.
std::string own_public_key(api::CloudDesk& desk) {
  const auto folder = cloud::state_folder(desk.host());
  if (!folder) return {};
  const auto text = desk.host().read_file(*folder + "/id_ed25519.pub");
  return text ? words_of(*text).material : "";
}

void add_account(const api::OpenProvider& open, ProviderKey& out) {
  const auto account = open.provider->account();
  if (account) {
    out.works = Fact<bool>(true, "the provider answered");
    out.balance_usd =
        account->balance_usd
            ? Fact<double>(*account->balance_usd, "the provider")
            : Fact<double>::absent(Absence::not_applicable, "this interface tells no balance");
    return;
  }
  const cloud::Fault& fault = account.error();
  out.errors.push_back(api::error_with_key(open, fault));
  if (fault.kind == cloud::FaultKind::bad_key || fault.kind == cloud::FaultKind::forbidden)
    out.works = Fact<bool>(false, "the provider refused it");
  else
    out.works = Fact<bool>::absent(Absence::call_failed, fault.message);
  out.balance_usd = Fact<double>::absent(Absence::not_tested, "the account could not be read");
}

void add_ssh_keys(const api::OpenProvider& open, const std::string& own, ProviderKey& out) {
  const auto keys = open.provider->ssh_keys();
  if (!keys) {
    out.errors.push_back(api::error_with_key(open, keys.error()));
    return;
  }
  for (const cloud::SshKey& key : *keys) {
    const KeyWords words = words_of(key.public_key);
    out.ssh_keys.push_back(
        {key.id, key.name, words.type, words.comment, !own.empty() && words.material == own});
  }
}

ProviderKey look_at(api::CloudDesk& desk, const cloud::ProviderRow& row, const std::string& own) {
  ProviderKey out;
  out.provider = row.name;
  out.ssh_how = row.name == "lambda" ? "registered" : "per-machine";
  const auto open = desk.provider(row);
  if (!open) {
    out.errors.push_back(cloud::to_error(row.name, open.error()));
    out.works = Fact<bool>::absent(Absence::not_tested, open.error().message);
    out.balance_usd = Fact<double>::absent(Absence::not_tested, open.error().message);
    return out;
  }
  out.source = open->key_source, out.last4 = open->key_last4, out.base_url = open->base_url;
  add_account(*open, out);
  if (out.works.is(true)) add_ssh_keys(*open, own, out);
  return out;
}

}  // namespace

Result<KeyList> cloud_keys(const CloudRequest& request) {
  const auto rows = api::chosen_providers(request.providers);
  if (!rows) return tl::unexpected(rows.error());
  auto desk = api::CloudDesk::open(request.data_dir, request.stopped);
  if (!desk) return tl::unexpected(desk.error());
  const std::string own = own_public_key(**desk);
  KeyList list;
  for (const cloud::ProviderRow* row : *rows) list.keys.push_back(look_at(**desk, *row, own));
  return list;
}

}  // namespace gpuready
